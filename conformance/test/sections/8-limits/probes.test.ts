/** §8: the requests and waits that exhaust a key. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createTwin } from '../../../../reference-server/twin/gaps.ts';
import type { Session } from '../../../run/session.ts';
import { exhaust } from '../../../sections/8-limits/probes.ts';
import { listPets } from '../../../sections/requests.ts';
import { manyAnimals } from '../../../services/catalogues.ts';
import type { InProcessOptions } from '../../../services/in-process.ts';
import { findService } from '../../../services/index.ts';
import { bansAtOnce, comesBackSooner, refusesLimitKey, withoutHeaders } from '../../../services/limits.ts';
import type { Service } from '../../../services/service.ts';
import {
  apiKey,
  changes,
  keysOfTrials,
  layers,
  limitKey,
  type Wrap,
  withHeader,
  withKey,
} from '../../../services/wraps.ts';
import type { Settings } from '../../../world/settings.ts';
import { judged } from '../../run/bench.ts';
import { type Answer, exchangesOf } from './limit-answers.ts';

/** What ends the exhaustion of a key that gives these answers, the last one for ever; `budget` is what is left at first. */
async function endOf(answers: readonly Partial<Answer>[], budget = 500) {
  const kind = 'rate-limit';
  let sent = 0;
  const session = {
    budget: { requestsLeft: () => budget - sent },
    sendOnce: () => {
      const answer = answers[Math.min(sent, answers.length - 1)]!;
      sent += 1;
      return Promise.resolve(exchangesOf([{ kind, at: sent, ...answer }])[0]!);
    },
  } as unknown as Session;
  const end = await exhaust(session, () => listPets());
  return [typeof end === 'string' ? end : end.response?.status, sent] as const;
}

const ofTen = (remaining: number): Partial<Answer> => ({ limit: 10, remaining, reset: 60 });
const error = (status: number, operation: Answer['operation'] = 'getPet'): Partial<Answer> => ({ status, operation });
const refused: Partial<Answer> = { status: 429 };

/** Answers of a key, what ends its exhaustion, and after how many requests. */
const ends: readonly (readonly [answers: readonly Partial<Answer>[], end: number | string, sent: number])[] = [
  [[{}, {}, refused], 429, 3],
  [[refused], 429, 1],
  [[ofTen(1), ofTen(0)], 200, 2],
  [[ofTen(1), { ...ofTen(0), status: 404, operation: 'getPet' }, refused], 429, 3],
  // An error may be the answer to its own request alone, after one that was served.
  [[{}, error(404), error(400, 'createPet'), error(422, 'listPets'), refused], 429, 5],
  [[{}, error(403), error(403, 'createPet'), refused], 429, 4],
  ...([error(401), error(500), error(503), error(399), error(403, 'listPets')] as const).map(
    (one) => [[{}, one], `the key that may be exhausted was answered with ${one.status}`, 2] as const,
  ),
  [[error(404)], 'the key that may be exhausted was answered with 404', 1],
  [[{}, { isBroken: true }], 'the key that may be exhausted was answered with nothing', 2],
  [[{}, ...Array.from({ length: 10 }, () => error(404)), refused], 429, 12],
  [[{}, error(404)], 'the key that may be exhausted was answered with 404', 12],
  // An answer without a number leaves the one before.
  [[ofTen(9), ofTen(8), {}, ofTen(0)], 200, 4],
  [Array.from({ length: 19 }, (_nothing, at) => (at % 2 === 0 ? ofTen(9 - at / 2) : {})), 200, 19],
];

test('a key is sent requests until it is refused, nothing is left, or an answer says that it cannot go on', async () => {
  for (const [answers, ...end] of ends) assert.equal(await endOf(answers), end, JSON.stringify(answers));
});

test('the budget has to hold what is left, and seven requests more', async () => {
  const takes = 'exhausting the key takes 16 more requests, the budget has 15: raise --max-requests';
  assert.equal(await endOf([ofTen(9), ofTen(0)], 17), [200, 2]);
  assert.equal(await endOf([ofTen(9), ofTen(0)], 16), [takes, 1]);
});

const only = new Set(['rate-exceeded', 'rate-retry-after', 'rate-recovery'] as const);

interface Trial {
  readonly perMinute?: number;
  readonly animals?: Service['animals'] & {};
}

/** A run for the requirements of the probe: what it sent with the key that may be exhausted, and the verdicts. */
async function probe(
  wrap: Wrap,
  settings: Partial<Settings> = {},
  { perMinute = 8, animals = [], ...options }: InProcessOptions & Trial = {},
) {
  const keys = [
    { key: apiKey, plan: 'business' },
    { key: limitKey, plan: 'enterprise', perMinute, perDay: 1_000 },
  ] as const;
  const all = { ...options, verdictOptions: { only, requiresAll: false } };
  const handle = wrap(createTwin({ keys, animals }).handle, keysOfTrials);
  const { exchanges, of, waits } = await judged(handle, 300, settings, all);
  const sent = exchanges.filter(({ credential }) => credential.kind === 'rate-limit');
  const shown = sent.map(({ operation, response }) => `${operation} ${response?.status ?? 'lost'}`).join(', ');
  const pauses = sent.slice(1).map(({ startedAt }, at) => startedAt - sent[at]!.endedAt);
  const verdicts = [...only].map((id) => {
    const { verdict, reason } = of(id);
    return reason === undefined ? verdict : `${verdict}: ${reason}`;
  });
  const waitedMs = pauses.filter((ms) => ms >= 2_000).reduce((sum, ms) => sum + ms, 0);
  /** From the first refusal on. */
  const refused = shown.replace(/^.*?(?=\w+ 429)/, '');
  return { exchanges, waits, sent, shown, refused, verdicts, waitedMs };
}

const asIs: Wrap = (handle) => handle;
const passes = ['pass', 'pass', 'pass'];
const each = 'listPets 200, createPet 201, getPet 200, getPet 404, createPet 400, listPets 400';

test('a key is used up by every operation, exceeded with each, and used again after the wait', async () => {
  const { exchanges, sent, shown, verdicts, waits } = await probe(asIs);
  // A cache may answer a listing that is sent again.
  const listings = sent.slice(0, 8).filter(({ operation }) => operation === 'listPets');
  assert.is(new Set(listings.map(({ request }) => request.target)).size, listings.length);
  const beyond = 'getPet 429, createPet 429, listPets 429, createPet 429';
  assert.is(shown, `${each}, listPets 200, listPets 200, ${beyond}, listPets 200`);
  assert.equal(verdicts, passes);
  assert.match(sent[4]!.request.body ?? '', /^{"name":"[^"]+"}$/);
  // A listing with the other key shows that no outage is the reason, and the first answer after the wait is that to another one.
  const [other, back] = exchanges.filter(({ check }) => check === 'exhaust-key').slice(-2);
  assert.equal([other?.credential.kind, back?.credential.kind], ['valid', 'rate-limit']);
  assert.equal([other?.request.target, back?.request.target], ['/pets?limit=1', '/pets?limit=1']);
  const told = waits.filter(({ ms }) => ms >= 2_000).map(({ why }) => why);
  assert.equal(told, ['the limit of PETSTORE_RATE_LIMIT_KEY was used up on purpose']);
});

test('where errors are not counted, requests are sent beyond the limit that would be served', async () => {
  const { sent } = await probe(findService('counts-success-only').wrap!);
  const refused = sent.filter(({ response }) => response?.status === 429).slice(0, 3);
  const requests = refused.map(({ request }) => `${request.method} ${request.target}`).join();
  assert.match(requests, /^GET \/pets\/\d{1,4},POST \/pets,GET \/pets\?limit=\d+$/);
});

test('of the animals that the key was shown, one is read that no request has read, as long as there is one', async () => {
  const options = { animals: manyAnimals(30) };
  const { sent } = await probe(findService('counts-success-only').wrap!, { maxCreates: 0 }, options);
  const reads = sent.filter(({ operation }) => operation === 'getPet').map(({ request }) => request.target);
  assert.match(reads.join(' '), /^\/pets\/1 \/pets\/\d{19} \/pets\/2$/);
});

test('it creates nothing where it must not, and reads no animal after the removal of getPet', async () => {
  const without = await probe(asIs, { maxCreates: 0 });
  assert.is(without.refused, 'getPet 429, listPets 429, listPets 200');
  assert.not.ok(without.sent.some(({ request }) => request.target.includes('undefined')));
  const today = Date.UTC(2031, 0, 1);
  const late = await probe(asIs, { today }, { startsAt: today });
  assert.is(late.refused, 'createPet 429, listPets 429, createPet 429, listPets 200');
  assert.not.match(late.shown, /getPet/);
});

const asked = ['5', '70', '6', '5'].values();
const askedFirst = ['1', '1', '1', '1'].values();
/** A 429 that shows no limit. */
const bareRefusals: Wrap = changes.answer(
  (answer) => withoutHeaders(answer),
  (_call, { status }) => status === 429,
);
const hourAhead = changes.answer((answer, { now }) =>
  withHeader(answer, 'X-RateLimit-Reset', String(Math.ceil(now / 1000) + 3_600)),
);

/** How a refusal ends, and how long the run waits for it, seconds. The window ends after 40 s. */
const waits: readonly (readonly [what: string, wrap: Wrap, least: number, refusals?: number])[] = [
  ['at the reset', asIs, 40],
  ['at the reset, although Retry-After is sooner, which is tried first', comesBackSooner(() => '1'), 40, 5],
  ['by a later Retry-After', comesBackSooner(() => '60'), 60],
  ['by the longest of several', comesBackSooner(() => asked.next().value ?? '5'), 69.99],
  ['by Retry-After, although the reset is too far', hourAhead, 40],
  ['at the reset, although Retry-After is too far', comesBackSooner(() => '3000'), 40],
  ['at the reset, where Retry-After ends hardly sooner', comesBackSooner(() => '38'), 40],
  [
    'at the reset that the answers before it name',
    layers(
      bareRefusals,
      comesBackSooner(() => '5'),
    ),
    40,
    5,
  ],
  ['by that of a first return', comesBackSooner(() => askedFirst.next().value ?? '65'), 65, 5],
];

for (const [what, wrap, least, refusals = 4] of waits) {
  test(`a refusal ends ${what}`, async () => {
    const { waitedMs, verdicts, refused } = await probe(wrap);
    assert.ok(waitedMs > 1_000 * least && waitedMs < 1_000 * (least + 5), `${waitedMs}`);
    assert.is(verdicts[1], 'pass');
    assert.match(refused, new RegExp(`^(\\w+ 429, ){${refusals}}listPets 200$`));
  });
}

test('a refusal that lasts too long, or says nothing, is not waited for; a key that was used up before the run is', async () => {
  const silent = await probe(comesBackSooner(() => 'soon'));
  assert.is(silent.waitedMs, 0);
  assert.match(silent.verdicts[2]!, /^inconclusive: rate-retry-after fails/);
  const tooLong = await probe(
    layers(
      comesBackSooner(() => '1000'),
      hourAhead,
    ),
  );
  assert.is(tooLong.waitedMs, 0);
  assert.match(tooLong.verdicts[2]!, /^inconclusive: the refusal lasts for 360[01] s, longer than --max-wait$/);
  const { verdicts } = await probe(bansAtOnce(429));
  assert.is(verdicts[2], 'inconclusive: the refusal lasts for 864001 s, longer than --max-wait');
  const before = await probe(refusesLimitKey(429, 40_000));
  assert.ok(before.shown.startsWith(`listPets 429, ${each}`), before.shown);
  assert.equal(before.verdicts, passes);
});

/** Serves every request of the key that may be exhausted, and shows so many as left of eight. */
const endless =
  (...left: readonly number[]): Wrap =>
  (handle, keys) =>
    changes.answer((_answer, call, _send, count) => {
      if (call.key !== 'rateLimit') return undefined;
      const own = handle(withKey(call.request, keys.api), call.now);
      const shown = String(left[count % left.length]);
      return withHeader(withHeader(own, 'X-RateLimit-Limit', '8'), 'X-RateLimit-Remaining', shown);
    })(handle, keys);
const notFound = changes.answer((answer, { key }) =>
  key === 'rateLimit' ? { ...answer, status: 404, body: '{"code":"c","message":"m","status":404}' } : undefined,
);
const withoutRest = changes.answer((answer) => withHeader(answer, 'X-RateLimit-Remaining', undefined));

/** Keys that cannot be exhausted: how many requests are sent, and what is said. */
const left: readonly (readonly [sent: number, reason: string, wrap: Wrap, perMinute?: number, most?: number])[] = [
  [1, 'the key that may be exhausted was answered with 401', refusesLimitKey(401)],
  [1, 'the key that may be exhausted was answered with 403', refusesLimitKey(403)],
  [1, 'the key that may be exhausted was answered with 404', notFound],
  [2, 'the key that may be exhausted was refused with 429 from the start', refusesLimitKey(429)],
  [66, '63 requests did not exhaust the key, and no header says how many are left', withoutRest, 500],
  [
    26,
    '23 requests did not exhaust the key, and no header says how many are left: raise --max-requests',
    withoutRest,
    500,
    40,
  ],
  [20, '17 requests did not exhaust the key', endless(7, 7, 6, 5, 6)],
  [13, 'X-RateLimit-Remaining did not fall with 10 requests', endless(7)],
  [1, 'exhausting the key takes 506 more requests, the budget has 298: raise --max-requests', asIs, 500],
];

/** Answers without the headers of §8, as those of a limiter that shows nothing. */
const headerless: Wrap = changes.answer((answer) => withoutHeaders(answer));
/** The limit refuses listings alone. */
const listingsAlone: Wrap = changes.answer(
  (_refusal, call, send) => send(withKey(call.request, call.keys.api)),
  ({ operation }, { status }) => status === 429 && operation !== 'listPets',
);

/** Other clients use the key up again, until so long after the first refusal. */
const usedUpAgain = (forMs: number): Wrap => {
  let endsAt: number | undefined;
  return changes.answer((answer, { key, now }) => {
    if (key !== 'rateLimit' || (answer.status !== 429 && endsAt === undefined)) return undefined;
    endsAt ??= now + forMs;
    if (now >= endsAt) return undefined;
    const reset = withHeader(answer, 'X-RateLimit-Reset', String(Math.ceil((now + 40_000) / 1000)));
    return withHeader({ ...reset, status: 429 }, 'Retry-After', '40');
  });
};

test('a key that others have used up again after the wait is waited for once more', async () => {
  const { refused, verdicts } = await probe(usedUpAgain(70_000));
  assert.is(refused, 'getPet 429, createPet 429, listPets 429, createPet 429, listPets 429, listPets 200');
  assert.is(verdicts[2], 'pass');
  const always = await probe(usedUpAgain(Number.POSITIVE_INFINITY));
  assert.is(always.refused, 'getPet 429, createPet 429, listPets 429, createPet 429, listPets 429, listPets 429');
  assert.is(always.verdicts[2], 'fail');
});

test('a key that is served beyond its limit is sent one request of each kind, and one after the other key was served', async () => {
  const unlimited = changes.answer(
    ({ headers }, call, send) => ({ ...send(withKey(call.request, call.keys.api)), headers }),
    (_call, { status }) => status === 429,
  );
  const { shown, verdicts } = await probe(unlimited);
  assert.match(shown, /getPet 404, createPet 201, listPets 400, createPet 400, listPets 200$/);
  assert.is(verdicts[0], 'fail');
});

test('a key of a single request is exceeded by valid requests', async () => {
  const { shown } = await probe(asIs, {}, { perMinute: 1 });
  assert.is(shown, 'listPets 200, createPet 429, listPets 429, listPets 200');
});

test('a scope that forbids the key one operation does not keep it from being used up', async () => {
  const readsOnly = changes.answer((answer, { key, operation }) =>
    key === 'rateLimit' && operation === 'createPet' && answer.status !== 429
      ? { ...answer, status: 403, body: '{"code":"forbidden","message":"No.","status":403}' }
      : undefined,
  );
  const { shown, verdicts } = await probe(readsOnly);
  assert.ok(shown.startsWith('listPets 200, createPet 403, '), shown);
  assert.is(verdicts[0], 'pass');
});

test('without headers the key is used up all the same, and the operations are compared where one is served', async () => {
  const { shown, refused, verdicts } = await probe(layers(headerless));
  assert.ok(shown.startsWith(each), shown);
  assert.is(refused, 'listPets 429, getPet 429, createPet 429, listPets 429, listPets 200');
  assert.equal(verdicts, passes);
  const alone = await probe(layers(headerless, listingsAlone));
  const compared = 'listPets 429, getPet 200, createPet 201, listPets 429, getPet 200, listPets 429, listPets 429';
  assert.is(alone.refused, `${compared}, listPets 200`);
  assert.equal(alone.verdicts, ['fail', 'pass', 'pass']);
});

test('a key that cannot be exhausted is left alone, and the report says why', async () => {
  for (const [times, reason, wrap, perMinute = 8, maxRequests = 300] of left) {
    const { sent, verdicts } = await probe(wrap, { maxRequests }, { perMinute });
    assert.equal([verdicts[0], sent.length], [`inconclusive: ${reason}`, times]);
  }
});

test.run();
