/** The requests and waits that exhaust a key, and the reasons if it cannot be exhausted. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Handle } from '../../../../reference-server/index.ts';
import { createTwin } from '../../../../reference-server/twin/gaps.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { runInProcess, trialSettings, tryVariant } from '../../../proof/trial.ts';
import { comesBackSooner } from '../../../services/dates.ts';
import type { InProcessOptions } from '../../../services/in-process.ts';
import { services } from '../../../services/index.ts';
import { limitedBy, sharedWindow } from '../../../services/limiters.ts';
import { bansAtOnce, refusesLimitKey } from '../../../services/limits.ts';
import {
  apiKey,
  changeAnswer,
  errorAnswer,
  keysOfTrials,
  limitKey,
  type Wrap,
  withHeader,
} from '../../../services/wraps.ts';
import type { Report } from '../../../verdict/report.ts';
import type { Settings } from '../../../verdict/settings.ts';

const only = new Set(['rate-exceeded', 'rate-retry-after', 'rate-recovery'] as const);

interface Probe {
  readonly sent: readonly Exchange[];
  readonly report: Report;
}

/** A run for the requirements of the probe, and what it sent with the key that may be exhausted. */
async function probe(
  wrap: Wrap,
  settings: Partial<Settings> = {},
  options: InProcessOptions & { readonly perMinute?: number; readonly day?: 'day' } = {},
): Promise<Probe> {
  const { perMinute = 8, day, ...inProcess } = options;
  const keys = [
    { key: apiKey, plan: 'business' },
    { key: limitKey, plan: 'enterprise', perMinute, perDay: 1_000 },
  ] as const;
  const gaps = day === undefined ? {} : { 'rate-limit-window': day };
  const handle: Handle = wrap(createTwin({ keys, gaps }).handle, keysOfTrials);
  const sent: Exchange[] = [];
  const report = await runInProcess(handle, trialSettings(300, settings), {
    ...inProcess,
    verdictOptions: { only, requiresAll: false },
    onExchange: (exchange) => {
      if (exchange.credential.kind === 'rate-limit') sent.push(exchange);
    },
  });
  return { sent, report };
}

const asIs: Wrap = (handle) => handle;

function shown({ sent }: Probe): string {
  return sent.map(({ operation, response }) => `${operation} ${response?.status ?? 'lost'}`).join(', ');
}

function verdictOf({ report }: Probe, id: string): string {
  const { verdict, reason } = report.requirements.find((one) => one.id === id)!;
  return reason === undefined ? verdict : `${verdict}: ${reason}`;
}

function verdicts(made: Probe): readonly string[] {
  return [...only].map((id) => verdictOf(made, id));
}

/** What was sent and answered from the first refusal on. */
function afterExhaustion(made: Probe): string {
  return shown(made).replace(/^.*?(?=\w+ 429)/, '');
}

/** How many requests were sent up to the first refusal. */
function countBefore({ sent }: Probe): number {
  return sent.findIndex(({ response }) => response?.status === 429);
}

/** The last request before the waiting, and the first after it. */
function aroundWait({ sent }: Probe): readonly [Exchange, Exchange] {
  const at = sent.findIndex(({ startedAt }, index) => index > 0 && startedAt - sent[index - 1]!.endedAt > 3_000);
  return [sent[at - 1]!, sent[at]!];
}

function waitOf(made: Probe): number {
  const [last, next] = aroundWait(made);
  return next.startedAt - last.endedAt;
}

/** The refusals of each operation, the return, a creation and its read; then the key is used up again. */
const whole =
  /^getPet 429, createPet 429, listPets 429, (?:createPet 429, )?listPets 200, createPet 201, getPet 200, (\w+ 20[01], ){5}\w+ 429$/;
const passes = ['pass', 'pass', 'pass'];

test('the scenario exhausts the key, exceeds the limit with each operation, returns, creates, and exhausts it again', async () => {
  const made = await probe(asIs);
  assert.is(countBefore(made), 8);
  assert.match(afterExhaustion(made), whole);
  assert.equal(verdicts(made), passes);
});

test('a key is used up by every operation, with valid and invalid requests in an order by the seed', async () => {
  const orders = new Set<string>();
  for (const seed of [1, 2, 3, 4]) {
    const made = await probe(asIs, { seed }, { perMinute: 12 });
    const used = made.sent.slice(0, 12).map(({ operation, response }) => `${operation} ${response?.status}`);
    assert.is(used[0], 'listPets 200');
    for (const one of ['listPets 200', 'createPet 201', 'getPet 200', 'createPet 400', 'getPet 404']) {
      assert.ok(used.includes(one), `${one} not in ${used.join(', ')}`);
    }
    // An error in the last place would leave open whether the limit is reached.
    assert.match(used.slice(-2).join(', '), /^\w+ 20[01], \w+ 20[01]$/);
    assert.ok(used.filter((one) => one === 'createPet 201').length <= 2);
    orders.add(used.join());
  }
  assert.ok(orders.size > 1);
});

test('where errors are counted, a read, a listing and a creation beyond the limit are ones that a service may check first', async () => {
  const beyond = ({ sent }: Probe): readonly string[] =>
    sent
      .filter(({ response }) => response?.status === 429)
      .slice(0, 4)
      .map(({ request }) => `${request.method} ${request.target} ${request.body?.includes('categoryId') ?? ''}`.trim());
  const counted = beyond(await probe(asIs));
  assert.match(counted[0]!, /^GET \/pets\/\d{6,}$/);
  assert.equal(counted.slice(1), ['POST /pets true', 'GET /pets?limit=0&status=sold', 'POST /pets false']);
  const variant = services.find(({ id }) => id === 'limit-key-counts-success-only')!;
  const notCounted = beyond(await probe(variant.wrap!));
  assert.match(notCounted[0]!, /^GET \/pets\/\d{1,4}$/);
  // The last is of the second exhaustion.
  assert.equal(notCounted.slice(1, 3), ['POST /pets true', 'GET /pets?limit=1&status=sold']);
  assert.not.match(notCounted[3]!, /false/);
});

test('a key is exhausted again only if that takes a small part of the requests left', async () => {
  assert.match(afterExhaustion(await probe(asIs, {}, { perMinute: 20 })), /getPet 200, .* 429$/);
  const large = afterExhaustion(await probe(asIs, {}, { perMinute: 60 }));
  assert.match(large, /createPet 429, listPets 200, createPet 201, getPet 200, listPets 200$/);
});

test('it creates nothing in a read-only run, and reads no animal after the removal of getPet', async () => {
  for (const settings of [{ isReadOnly: true }, { maxCreates: 0 }]) {
    const made = await probe(asIs, settings);
    assert.match(afterExhaustion(made), /^getPet 429, listPets 429, (listPets 200, |getPet 200, ){8}\w+ 429$/);
    assert.not.match(shown(made), /createPet/);
  }
  const today = Date.UTC(2031, 0, 1);
  const late = await probe(asIs, { today }, { startsAt: today });
  assert.match(afterExhaustion(late), /^createPet 429, listPets 429, createPet 429, listPets 200, createPet 201/);
  assert.not.match(shown(late), /getPet/);
});

test('it waits for Retry-After or the reset, whichever is later', async () => {
  for (const wrap of [asIs, comesBackSooner(() => '1')]) {
    const waitedMs = waitOf(await probe(wrap));
    // The window ends 40 s after the run began.
    assert.ok(waitedMs > 40_000 && waitedMs < 43_000);
  }
  assert.ok(waitOf(await probe(comesBackSooner(() => '60'))) > 60_000);
});

test('it waits for the longest of several refusals', async () => {
  const asked = ['5', '70', '6', '5'].values();
  assert.ok(waitOf(await probe(comesBackSooner(() => asked.next().value ?? '5'))) > 69_990);
});

test('it asks once where Retry-After is beyond the longest wait but the reset is not, or where it is 0', async () => {
  const hours = await probe(comesBackSooner(() => '7200'));
  assert.match(afterExhaustion(hours), /(\w+ 429, ){4}listPets 200$/);
  assert.ok(waitOf(hours) > 40_000 && waitOf(hours) < 43_000);
  assert.is(verdictOf(hours, 'rate-retry-after'), 'fail');
  const zero = await probe(comesBackSooner(() => '0'));
  assert.match(afterExhaustion(zero), /(\w+ 429, ){5}listPets 200, createPet 201/);
  assert.is(verdictOf(zero, 'rate-retry-after'), 'fail');
});

test('if others have exhausted the next window, it waits for the one after', async () => {
  const nextIsUsed: Wrap = (handle) => (request, now) => {
    const isNext = Math.floor(now / 60_000) === Math.floor(Date.UTC(2026, 10, 21, 12, 1) / 60_000);
    const theirs = { ...request, method: 'GET', target: '/v1/pets?limit=1', body: new Uint8Array() };
    const isOurs = request.headers.some(([, value]) => value.includes(limitKey));
    for (let others = 0; isNext && isOurs && others < 8; others += 1) handle(theirs, now);
    return handle(request, now);
  };
  const made = await probe(nextIsUsed);
  assert.match(shown(made), /createPet 429, listPets 429, listPets 200, createPet 201, getPet 200, /);
  assert.equal(verdicts(made), passes);
});

test('it does not wait for a reset beyond the longest wait, but for Retry-After', async () => {
  const late = changeAnswer((answer, { now }) =>
    withHeader(answer, 'X-RateLimit-Reset', String(Math.ceil(now / 1000) + 3_600)),
  );
  const made = await probe(late);
  assert.is(verdictOf(made, 'rate-recovery'), 'pass');
  assert.ok(waitOf(made) < 45_000);
  const banned = await probe(bansAtOnce(429));
  assert.match(
    verdictOf(banned, 'rate-recovery'),
    /^inconclusive: the refusal lasts for 86400\d s, longer than --max-wait$/,
  );
});

test('a key that is refused from the start is not judged, and the report says why', async () => {
  for (const status of [401, 403] as const) {
    const made = await probe(refusesLimitKey(status));
    assert.is(shown(made), `listPets ${status}`);
    const reason = `inconclusive: the key that may be exhausted was answered with ${status}`;
    assert.equal(verdicts(made), [reason, reason, reason]);
  }
  const made = await probe(refusesLimitKey(429));
  assert.is(shown(made), 'listPets 429, listPets 429');
  const reason = 'the key that may be exhausted was refused with 429 from the start';
  assert.is(verdictOf(made, 'rate-exceeded'), `inconclusive: ${reason}`);
  assert.is(verdictOf(made, 'rate-recovery'), `inconclusive: ${reason}`);
});

test('a key that others have just exhausted is exhausted once it is served again', async () => {
  const made = await probe(refusesLimitKey(429, 40_000));
  assert.match(shown(made), /^listPets 429, listPets 200, /);
  assert.match(afterExhaustion({ ...made, sent: made.sent.slice(1) }), whole);
  assert.equal(verdicts(made), passes);
});

test('the key of a target that answers too slowly for its limit is not exhausted', async () => {
  const made = await probe(asIs, {}, { perMinute: 60, latencyMs: 4_000 });
  assert.is(made.sent.filter(({ response }) => (response?.status ?? 0) < 300).length, 5);
  assert.is(verdictOf(made, 'rate-exceeded'), 'inconclusive: the target answers too slowly for 60 requests a minute');
});

test('without headers the key is not exhausted, and the report says why', async () => {
  const made = await probe(changeAnswer((answer) => withHeader(answer, 'X-RateLimit-Remaining', undefined)));
  assert.is(made.sent.length, 1);
  assert.is(verdictOf(made, 'rate-exceeded'), 'inconclusive: the headers do not say how many requests are left');
});

test('a transient failure during the exhaustion is repeated once', async () => {
  const failing = (times: number): Wrap => {
    let asked = 0;
    return changeAnswer((answer, { request }) => {
      if (request.headers.some(([, value]) => value.includes(limitKey))) asked += 1;
      return asked > 3 && asked <= 3 + times ? errorAnswer(502, answer) : undefined;
    });
  };
  assert.equal(verdicts(await probe(failing(1))), passes);
  const reason = 'inconclusive: the key that may be exhausted was answered with 502';
  assert.is(verdictOf(await probe(failing(2)), 'rate-exceeded'), reason);
});

test('a key that twice its limit does not exhaust is left alone', async () => {
  const made = await probe(limitedBy((size) => sharedWindow(size, 0, 0, 1)));
  assert.is(made.sent.filter(({ response }) => (response?.status ?? 0) < 300).length, 17);
  assert.is(verdictOf(made, 'rate-exceeded'), 'inconclusive: 17 requests did not exhaust the key');
});

test('other clients who use the key at the first exhaustion may also take the last request of the second', async () => {
  const variant = services.find(({ id }) => id === 'busy')!;
  assert.is((await tryVariant(variant, 300, 2)).complaint, undefined);
});

test.run();
