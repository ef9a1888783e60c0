/** No verdict turns on what stands before a service: caches and outages fail nothing, and cost little time. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore, type Handle, listen } from '../../../reference-server/index.ts';
import { faults } from '../../faults/index.ts';
import { keysOfTrials } from '../../services/wraps.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import { behind, cache, flaky, type Gateway } from './gateway.ts';
import { type Neighbour, neighbours } from './index.ts';
import { complaints, judge } from './judge.ts';

/** A gateway, and the seconds that a run may wait for it at most. */
type Surroundings = Readonly<Record<string, readonly [gateway: Gateway, mostSeconds: number]>>;

const oneSecondInSeven = { isDown: ({ elapsedMs }: { elapsedMs: number }) => elapsedMs % 7_000 < 1_000 };
const everyNth = (n: number) => ({ isDown: ({ count }: { count: number }) => count % n === 0 });
const between = (fromMs: number, toMs: number) => ({
  isDown: ({ elapsedMs }: { elapsedMs: number }) => elapsedMs >= fromMs && elapsedMs < toMs,
});
/** From a creation on, for ten seconds. */
function duringCreations() {
  let since: number | undefined;
  return {
    isDown: ({ elapsedMs, posts }: { elapsedMs: number; posts: number }) => {
      if (posts >= 3) since ??= elapsedMs;
      return since !== undefined && elapsedMs < since + 10_000;
    },
  };
}

const caches: Surroundings = {
  'a cache of 1 s': [cache({ ttlMs: 1_000 }), 15],
  'a cache of 2 s with grace': [cache({ ttlMs: 2_000, hasGrace: true }), 25],
  'a shared cache of 10 s': [cache({ ttlMs: 10_000, isShared: true }), 30],
  'a cache of 10 s with grace': [cache({ ttlMs: 10_000, hasGrace: true }), 30],
  'a cache of 10 s with grace and Age': [cache({ ttlMs: 10_000, hasGrace: true, showsAge: true }), 30],
  'a shared cache of 60 s with grace': [cache({ ttlMs: 60_000, isShared: true, hasGrace: true }), 80],
  'a cache of 60 s with Age': [cache({ ttlMs: 60_000, showsAge: true }), 80],
};

const outages: Surroundings = {
  'down one second in seven': [flaky({ ...oneSecondInSeven, status: 502, isHtml: true }), 15],
  'connections that break one second in seven': [flaky(oneSecondInSeven), 15],
  'down for 300 ms once': [flaky({ ...between(200, 500), status: 503 }), 15],
  'down for ten seconds at the start': [flaky({ ...between(0, 10_000), status: 503 }), 25],
  'down for ten seconds during creations': [flaky({ ...duringCreations(), status: 504 }), 25],
  'creations that lose their answers for ten seconds': [
    flaky({ ...duringCreations(), status: 504, reachesServer: true }),
    25,
  ],
  'every fourth answer a 502 in HTML': [flaky({ ...everyNth(4), status: 502, isHtml: true }), 15],
  'every fourth answer a 503 with Retry-After': [flaky({ ...everyNth(4), status: 503, retryAfter: '1' }), 110],
  'every seventh connection broken': [flaky(everyNth(7)), 30],
};

/** Neighbours take turns, so that each gateway stands before some of them. */
const common = neighbours.filter(({ id }) => /one-file|sqlite|event-sourced/.test(id));

for (const [at, [id, [gateway, mostSeconds]]] of Object.entries({ ...caches, ...outages }).entries()) {
  test(`a neighbour conforms behind ${id}`, async () => {
    for (const [turn, maxRequests] of [60, 300].entries()) {
      const neighbour = common[(at + turn) % common.length]!;
      let waitedMs = 0;
      const report = await judge(behind(neighbour, gateway), maxRequests, 1 + 7 * turn, {
        // The other waits are for the rate limit of the neighbour.
        onWait: (ms, why) => {
          waitedMs += /limit|429/.test(why) ? 0 : ms;
        },
      });
      assert.equal(complaints(report), [], neighbour.id);
      assert.is(report.exitCode, 0, `${neighbour.id}: ${reasonInWords(report.reason)}`);
      // At the end of a small budget no request is left that could end a wait for copies early.
      const bound = maxRequests === 60 && id.includes('cache') ? 65 : mostSeconds;
      assert.ok(
        waitedMs < Math.max(bound, mostSeconds) * 1_000,
        `${neighbour.id}: ${waitedMs} ms within ${maxRequests} requests`,
      );
    }
  });
}

test('an outage that lasts ends a run with 3, names the gateway and fails nothing', async () => {
  for (const fromMs of [0, 150]) {
    for (const status of [502, undefined] as const) {
      const down = flaky({ ...between(fromMs, Number.POSITIVE_INFINITY), isHtml: true, ...(status && { status }) });
      const report = await judge(behind(common[0]!, down), 300, 1);
      assert.equal(complaints(report), []);
      assert.is(report.exitCode, 3);
      if (fromMs > 0) assert.match(reasonInWords(report.reason) ?? '', /out of service/);
    }
  }
});

/** The reference server with a fault, as a neighbour. */
function faulty(id: string): Neighbour {
  const fault = faults.find((one) => one.id === id)!;
  return {
    ...common[0]!,
    async start({ now, keys }) {
      const store = createPetStore({ keys: [{ key: keys.api, plan: 'business' }] });
      const handle: Handle = fault.wrap(store.handle, keysOfTrials);
      const { url, close } = await listen(handle, { port: 0, now });
      return { baseUrl: `${url}/v1`, close };
    },
  };
}

test('a failure of the service is found behind gateways, and the answers of the gateway are counted apart', async () => {
  const gateway = flaky({ ...everyNth(5), status: 502, isHtml: true });
  for (const [id, requirement] of [
    ['limit-one-too-many', 'list-limit'],
    ['read-answers-array', 'get-answer'],
  ] as const) {
    for (const before of [gateway, cache({ ttlMs: 2_000, hasGrace: true })]) {
      const report = await judge(behind(faulty(id), before), 300, 1);
      assert.is(report.exitCode, 1, id);
      const failing = report.requirements.filter(({ verdict }) => verdict === 'fail').map((one) => one.id);
      assert.ok(failing.includes(requirement), `${id}: ${failing}`);
      if (before !== gateway) continue;
      const notes = [...(report.notes ?? []), reasonInWords(report.reason)].join(' ');
      assert.match(notes, /\d+ of \d+ answers were a gateway's \(502\)/);
    }
  }
});

test.run();
