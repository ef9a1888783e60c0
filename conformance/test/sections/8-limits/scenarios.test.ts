/** The requests and waits that exhaust a key, and the reasons if it cannot be exhausted. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createTwin } from '../../../../reference-server/twin/gaps.ts';
import { limitFaults } from '../../../faults/limits.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { runInProcess, trialSettings } from '../../../proof/trial.ts';
import type { InProcessOptions } from '../../../services/in-process.ts';
import { services } from '../../../services/index.ts';
import { limitedBy, sharedWindow } from '../../../services/limiters.ts';
import { bansAtOnce, comesBackSooner, refusesLimitKey } from '../../../services/limits.ts';
import {
  apiKey,
  changeAnswer,
  errorAnswer,
  hasKey,
  keysOfTrials,
  limitKey,
  type Wrap,
  withHeader,
} from '../../../services/wraps.ts';
import type { Settings } from '../../../world/settings.ts';

const only = new Set(['rate-exceeded', 'rate-retry-after', 'rate-recovery'] as const);

/** A run for the requirements of the probe: what it sent with the key that may be exhausted, and the verdicts. */
async function probe(
  wrap: Wrap,
  settings: Partial<Settings> = {},
  { perMinute = 8, ...options }: InProcessOptions & { readonly perMinute?: number } = {},
) {
  const keys = [
    { key: apiKey, plan: 'business' },
    { key: limitKey, plan: 'enterprise', perMinute, perDay: 1_000 },
  ] as const;
  const sent: Exchange[] = [];
  const report = await runInProcess(wrap(createTwin({ keys }).handle, keysOfTrials), trialSettings(300, settings), {
    ...options,
    verdictOptions: { only, requiresAll: false },
    onExchange: (exchange) => {
      if (exchange.credential.kind === 'rate-limit') sent.push(exchange);
    },
  });
  const shown = sent.map(({ operation, response }) => `${operation} ${response?.status ?? 'lost'}`);
  const pauses = sent.slice(1).map(({ startedAt }, at) => startedAt - sent[at]!.endedAt);
  const verdicts = [...only].map((id) => {
    const { verdict, reason } = report.requirements.find((one) => one.id === id)!;
    return reason === undefined ? verdict : `${verdict}: ${reason}`;
  });
  return {
    sent,
    shown,
    verdicts,
    /** From the first refusal on. */
    after: shown.join(', ').replace(/^.*?(?=\w+ 429)/, ''),
    /** The first pause of more than three seconds. */
    waitedMs: pauses.find((ms) => ms > 3_000) ?? 0,
  };
}

const asIs: Wrap = (handle) => handle;
const passes = ['pass', 'pass', 'pass'];

/** The refusals of each operation, the return, a creation and its read; then the key is used up again. */
const whole =
  /^getPet 429, createPet 429, listPets 429, (?:createPet 429, )?listPets 200, createPet 201, getPet 200, (\w+ 20[01], ){5}\w+ 429$/;

test('a key is used up by every operation, exceeded with each, and used again after the wait', async () => {
  const orders = new Set<string>();
  for (const seed of [1, 2, 3, 4]) {
    const { shown, verdicts } = await probe(asIs, { seed }, { perMinute: 12 });
    const used = shown.slice(0, 12);
    assert.is(used[0], 'listPets 200');
    for (const one of ['createPet 201', 'getPet 200', 'createPet 400', 'getPet 404', 'listPets 400']) {
      assert.ok(used.includes(one), `${one} not in ${used.join(', ')}`);
    }
    // An error in the last place would leave open whether the limit is reached.
    assert.match(used.slice(-2).join(', '), /^createPet 201, \w+ 20[01]$/);
    assert.is(used.filter((one) => one === 'createPet 201').length, 2);
    assert.equal(verdicts, passes);
    orders.add(used.join());
  }
  assert.ok(orders.size > 1);
  assert.match((await probe(asIs)).after, whole);
});

test('where errors are counted, those are sent beyond the limit that a service may check first', async () => {
  const beyond = async (wrap: Wrap): Promise<readonly string[]> => {
    const { sent } = await probe(wrap);
    return sent
      .filter(({ response }) => response?.status === 429)
      .slice(0, 4)
      .map(({ request }) => `${request.method} ${request.target} ${request.body?.includes('categoryId') ?? ''}`.trim());
  };
  const counted = await beyond(asIs);
  assert.match(counted[0]!, /^GET \/pets\/\d{6,}$/);
  assert.equal(counted.slice(1), ['POST /pets true', 'GET /pets?limit=0&status=sold', 'POST /pets false']);
  const notCounted = await beyond(services.find(({ id }) => id === 'limit-key-counts-success-only')!.wrap!);
  assert.match(
    notCounted.slice(0, 3).join(),
    /^GET \/pets\/\d{1,4},POST \/pets true,GET \/pets\?limit=\d+&status=\w+$/,
  );
});

test('a key is exhausted again only if that takes a small part of the requests left', async () => {
  assert.match((await probe(asIs, {}, { perMinute: 20 })).after, /getPet 200, .* 429$/);
  assert.match((await probe(asIs, {}, { perMinute: 60 })).after, /listPets 200, createPet 201, getPet 200$/);
});

test('it creates nothing in a read-only run, and reads no animal after the removal of getPet', async () => {
  for (const settings of [{ isReadOnly: true }, { maxCreates: 0 }]) {
    const { after, shown } = await probe(asIs, settings);
    assert.match(after, /^getPet 429, listPets 429, ((listPets|getPet) 200, ){8}\w+ 429$/);
    assert.not.match(shown.join(), /createPet/);
  }
  const today = Date.UTC(2031, 0, 1);
  const late = await probe(asIs, { today }, { startsAt: today });
  assert.match(late.after, /^createPet 429, listPets 429, createPet 429, listPets 200, createPet 201/);
  assert.not.match(late.shown.join(), /getPet/);
});

test('an operation that was refused early is not asked beyond the limit', async () => {
  const { wrap } = limitFaults.find(({ id }) => id === 'limit-enforced-too-early')!;
  const { after, verdicts } = await probe(wrap, {}, { perMinute: 12 });
  assert.not.ok(/^(\w+) 429, \1 /.test(after), after);
  assert.match(verdicts[0]!, /^fail/);
});

const asked = ['5', '70', '6', '5'].values();
const hourAhead = changeAnswer((answer, { now }) =>
  withHeader(answer, 'X-RateLimit-Reset', String(Math.ceil(now / 1000) + 3_600)),
);

test('it waits for Retry-After and the reset, for the longest of several refusals', async () => {
  // The window ends 40 s after the run began.
  for (const [wrap, least, most] of [
    [asIs, 40_000, 43_000],
    [comesBackSooner(() => '1'), 40_000, 43_000],
    [comesBackSooner(() => '60'), 60_000, 63_000],
    [comesBackSooner(() => asked.next().value ?? '5'), 69_990, 73_000],
    [hourAhead, 40_000, 45_000],
  ] as const) {
    const { waitedMs, verdicts } = await probe(wrap);
    assert.ok(waitedMs > least && waitedMs < most, `${waitedMs}`);
    assert.is(verdicts[2], 'pass');
  }
  assert.is(
    (await probe(bansAtOnce(429))).verdicts[2],
    'inconclusive: the refusal lasts for 864001 s, longer than --max-wait',
  );
});

test('it asks where a Retry-After beyond the longest wait, or of 0, can be refuted', async () => {
  const hours = await probe(comesBackSooner(() => '7200'));
  assert.match(hours.after, /^(\w+ 429, ){4}listPets 200/);
  assert.ok(hours.waitedMs > 40_000 && hours.waitedMs < 43_000);
  const zero = await probe(comesBackSooner(() => '0'));
  assert.match(zero.after, /^(\w+ 429, ){5}listPets 200, createPet 201/);
  for (const { verdicts } of [hours, zero]) assert.is(verdicts[1], 'fail');
});

test('if others have exhausted the key, it waits for the next window', async () => {
  const nextIsUsed: Wrap = (handle) => (request, now) => {
    const isNext = Math.floor(now / 60_000) === Math.floor(Date.UTC(2026, 10, 21, 12, 1) / 60_000);
    const theirs = { ...request, method: 'GET', target: '/v1/pets?limit=1', body: new Uint8Array() };
    const isOurs = request.headers.some(([, value]) => value.includes(limitKey));
    for (let others = 0; isNext && isOurs && others < 8; others += 1) handle(theirs, now);
    return handle(request, now);
  };
  const next = await probe(nextIsUsed);
  assert.match(next.shown.join(', '), /createPet 429, listPets 429, listPets 200, createPet 201, getPet 200, /);
  assert.equal(next.verdicts, passes);
  const before = await probe(refusesLimitKey(429, 40_000));
  assert.match(before.shown.join(', '), /^listPets 429, listPets 200, /);
  assert.match(
    before.shown
      .slice(1)
      .join(', ')
      .replace(/^.*?(?=\w+ 429)/, ''),
    whole,
  );
  assert.equal(before.verdicts, passes);
});

const withoutRest = changeAnswer((answer) => withHeader(answer, 'X-RateLimit-Remaining', undefined));
const failing = (times: number): Wrap => {
  let count = 0;
  return changeAnswer((answer, call) => {
    if (hasKey(call, 'rateLimit')) count += 1;
    return count > 3 && count <= 3 + times ? errorAnswer(502, answer) : undefined;
  });
};

test('a key that cannot be exhausted is left alone, and the report says why', async () => {
  const rows: readonly (readonly [sent: number, reason: string, wrap: Wrap, options?: Parameters<typeof probe>[2]])[] =
    [
      [1, 'the key that may be exhausted was answered with 401', refusesLimitKey(401)],
      [1, 'the key that may be exhausted was answered with 403', refusesLimitKey(403)],
      [2, 'the key that may be exhausted was refused with 429 from the start', refusesLimitKey(429)],
      [8, 'the target answers too slowly for 60 requests a minute', asIs, { perMinute: 60, latencyMs: 4_000 }],
      [1, 'the headers do not say how many requests are left', withoutRest],
      [5, 'the key that may be exhausted was answered with 502', failing(2)],
      [20, '17 requests did not exhaust the key', limitedBy((size) => sharedWindow(size, 0, 0, 1))],
      [
        1,
        'exhausting the key takes 506 more requests, the budget has 298: raise --max-requests',
        asIs,
        { perMinute: 500 },
      ],
    ];
  for (const [count, reason, wrap, options] of rows) {
    const { sent, verdicts } = await probe(wrap, {}, options);
    assert.is(verdicts[0], `inconclusive: ${reason}`);
    assert.is(sent.length, count, reason);
  }
  assert.equal((await probe(failing(1))).verdicts, passes);
});

test.run();
