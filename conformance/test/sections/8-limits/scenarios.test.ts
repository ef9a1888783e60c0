/** The requests and waits that exhaust a key, and the reasons if it cannot be exhausted. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore, type Handle } from '../../../../reference-server/index.ts';
import type { Exchange } from '../../../http/exchange.ts';
import type { InProcessOptions } from '../../../proof/in-process.ts';
import { runInProcess, trialSettings } from '../../../proof/trial.ts';
import { bansAtOnce, comesBackSooner, refusesLimitKey } from '../../../proof/variants/limits.ts';
import { limitedBy, sharedWindow } from '../../../sections/8-limits/limiters.ts';
import { apiKey, changeAnswer, errorAnswer, limitKey, type Wrap, withHeader } from '../../../sections/fault.ts';
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
  const handle: Handle = wrap(createPetStore({ keys, gaps }).handle);
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

const served = (count: number): string => Array.from({ length: count }, () => 'listPets 200').join(', ');
const passes = ['pass', 'pass', 'pass'];

test('the scenario exhausts the key, exceeds the limit with each operation, returns and creates', async () => {
  const made = await probe(asIs);
  assert.is(shown(made), `${served(8)}, getPet 429, createPet 429, listPets 429, listPets 200, createPet 201`);
  assert.equal(verdicts(made), passes);
});

test('it creates nothing in a read-only run, and reads no animal after the removal of getPet', async () => {
  const end = 'listPets 429, listPets 200';
  assert.is(shown(await probe(asIs, { isReadOnly: true })), `${served(8)}, getPet 429, ${end}`);
  assert.is(shown(await probe(asIs, { maxCreates: 0 })), `${served(8)}, getPet 429, ${end}`);
  const today = Date.UTC(2031, 0, 1);
  assert.is(
    shown(await probe(asIs, { today }, { startsAt: today })),
    `${served(8)}, createPet 429, ${end}, createPet 201`,
  );
});

test('it waits for Retry-After or the reset, whichever is later', async () => {
  for (const wrap of [asIs, comesBackSooner(() => '1')]) {
    const { sent } = await probe(wrap);
    const [refusal, again] = [sent.at(-5)!, sent.at(-2)!];
    // The window ends 40 s after the run began.
    assert.ok(again.startedAt - refusal.endedAt > 40_000 && again.startedAt - refusal.endedAt < 43_000);
  }
  const later = await probe(comesBackSooner(() => '60'));
  assert.ok(later.sent.at(-2)!.startedAt - later.sent.at(-5)!.endedAt > 60_000);
});

test('it waits for the longest of several refusals', async () => {
  const asked = ['5', '70', '6', '5'].values();
  const { sent } = await probe(comesBackSooner(() => asked.next().value ?? '5'));
  assert.ok(sent.at(-2)!.startedAt - sent.at(-3)!.endedAt > 70_000);
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
  assert.match(shown(made), /listPets 429, listPets 429, listPets 200, createPet 201$/);
  assert.equal(verdicts(made), passes);
});

test('it does not wait for a reset beyond the longest wait, but for Retry-After', async () => {
  const late = changeAnswer((answer, { now }) =>
    withHeader(answer, 'X-RateLimit-Reset', String(Math.ceil(now / 1000) + 3_600)),
  );
  const made = await probe(late);
  assert.is(verdictOf(made, 'rate-recovery'), 'pass');
  assert.ok(made.sent.at(-2)!.startedAt - made.sent.at(-3)!.endedAt < 45_000);
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
  assert.is(
    shown(made),
    `listPets 429, ${served(8)}, getPet 429, createPet 429, listPets 429, listPets 200, createPet 201`,
  );
  assert.equal(verdicts(made), passes);
});

test("if the headers describe the day, the plan's limit per minute is used", async () => {
  const options = { perMinute: 60, day: 'day' } as const;
  const unplanned = await probe(asIs, {}, options);
  assert.is(unplanned.sent.length, 1);
  assert.match(verdictOf(unplanned, 'rate-exceeded'), /^inconclusive: exhausting the key takes \d+ more requests, the/);
  const planned = await probe(asIs, { rateLimitPlan: 'free' }, options);
  assert.is(shown(planned), `${served(60)}, listPets 429, getPet 429, createPet 429, listPets 200, createPet 201`);
  assert.equal(verdicts(planned), passes);
});

test("a plan's limit that is never enforced fails after twice as many requests and one", async () => {
  const made = await probe(asIs, { rateLimitPlan: 'free' }, { perMinute: 500, day: 'day' });
  assert.is(made.sent.length, 121);
  assert.is(verdictOf(made, 'rate-exceeded'), 'fail');
});

test('the key of a target that answers too slowly for its limit is not exhausted', async () => {
  const made = await probe(asIs, {}, { perMinute: 60, latencyMs: 4_000 });
  assert.is(made.sent.length, 5);
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
  assert.is(shown(made), served(17));
  assert.is(verdictOf(made, 'rate-exceeded'), 'inconclusive: 17 requests did not exhaust the key');
});

test.run();
