/** No verdict turns on what stands before a service: caches and outages fail nothing, and cost little time. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore, listen } from '../../../reference-server/index.ts';
import { findFault } from '../../faults/index.ts';
import { keysOfTrials } from '../../services/wraps.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import { eventSourced } from './event-sourced.ts';
import { behind, cache, flaky, type Gateway } from './gateway.ts';
import type { Neighbour } from './index.ts';
import { complaints, judge } from './judge.ts';
import { oneFile } from './one-file.ts';
import { sqlite } from './sqlite.ts';

const oneSecondInSeven = (elapsedMs: number): boolean => elapsedMs % 7_000 < 1_000;
const everyNth = (n: number) => (_elapsedMs: number, count: number) => count % n === 0;

/** A gateway, the server behind it, and the seconds that a run may wait for it at most. */
const surroundings: Readonly<Record<string, readonly [gateway: Gateway, neighbour: Neighbour, mostSeconds: number]>> = {
  'a cache of 2 s with grace': [cache(2_000, 'with grace'), sqlite, 25],
  'a cache of 10 s': [cache(10_000, 'plain'), oneFile, 30],
  'an outage of one second in seven': [flaky(oneSecondInSeven, 502), eventSourced, 15],
  'connections that break one second in seven': [flaky(oneSecondInSeven), sqlite, 15],
  'an outage of ten seconds at the start': [flaky((elapsedMs) => elapsedMs < 10_000, 503), oneFile, 25],
  'every seventh connection broken': [flaky(everyNth(7)), eventSourced, 30],
};

for (const [id, [gateway, neighbour, mostSeconds]] of Object.entries(surroundings)) {
  test(`a neighbour conforms behind ${id}`, async () => {
    for (const [maxRequests, concurrency] of [
      [60, 1],
      [300, 8],
    ] as const) {
      let waitedMs = 0;
      const report = await judge(behind(neighbour, gateway), maxRequests, concurrency, {
        // The other waits are for the rate limit of the neighbour.
        onWait: (ms, why) => {
          waitedMs += /limit|429/.test(why) ? 0 : ms;
        },
      });
      assert.equal(complaints(report), []);
      assert.is(report.exitCode, 0, reasonInWords(report.reason));
      // At the end of a small budget no request is left that could end a wait for copies early.
      const bound = maxRequests === 60 && id.includes('cache') ? 65 : mostSeconds;
      assert.ok(waitedMs < bound * 1_000, `${waitedMs} ms within ${maxRequests} requests`);
    }
  });
}

test('an outage that lasts ends a run with 3, names the gateway and fails nothing', async () => {
  for (const [fromMs, status] of [
    [0, 502],
    [150, 502],
    [150, undefined],
  ] as const) {
    const report = await judge(
      behind(
        oneFile,
        flaky((elapsedMs) => elapsedMs >= fromMs, status),
      ),
      300,
      1,
    );
    assert.equal(complaints(report), []);
    assert.is(report.exitCode, 3);
    if (fromMs > 0) assert.match(reasonInWords(report.reason) ?? '', /out of service/);
  }
});

/** The reference server with a fault, as a neighbour. */
const faulty = (id: string): Neighbour => ({
  ...oneFile,
  async start({ now, keys }) {
    const { handle } = createPetStore({ keys: [{ key: keys.api, plan: 'business' }] });
    const { url, close } = await listen(findFault(id).wrap(handle, keysOfTrials), { port: 0, now });
    return { baseUrl: `${url}/v1`, close };
  },
});

test('a failure of the service is found behind gateways, and the answers of the gateway are counted apart', async () => {
  const gateways = { flaky: flaky(everyNth(5), 502), cache: cache(2_000, 'with grace') };
  for (const [kind, gateway] of Object.entries(gateways)) {
    const report = await judge(behind(faulty('limit-one-too-many'), gateway), 300, 1);
    assert.is(report.exitCode, 1, kind);
    assert.is(report.requirements.find(({ id }) => id === 'list-limit')?.verdict, 'fail', kind);
    const notes = [...(report.notes ?? []), reasonInWords(report.reason)].join(' ');
    if (kind === 'flaky') assert.match(notes, /\d+ of \d+ answers were a gateway's \(502\)/);
  }
});

test.run();
