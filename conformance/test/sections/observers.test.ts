/** Observers report what a server chose, and nothing that it did not choose. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createTwin, gapChoices, type TwinOptions } from '../../../reference-server/twin/gaps.ts';
import type { OpenGapId } from '../../../spec/gaps.ts';
import { rateLimitKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { isJsonObject } from '../../http/json.ts';
import { combine, misreadIn, runInProcess, trialSettings } from '../../proof/trial.ts';
import { createBudget } from '../../run/budget.ts';
import { createSession } from '../../run/session.ts';
import { observers } from '../../sections/observers.ts';
import { listPets } from '../../sections/requests.ts';
import { createClock, inProcess } from '../../services/in-process.ts';
import { handleOf, services } from '../../services/index.ts';
import { bansAtOnce } from '../../services/limits.ts';
import {
  apiKey,
  changeAnswer,
  changeCreation,
  errorAnswer,
  keysOfTrials,
  limitKey,
  sentJson,
  type Wrap,
} from '../../services/wraps.ts';
import { readHistory } from '../../verdict/history.ts';

// proof/self-test.test.ts runs these services, and expects that nothing is misread.
test('each answer that a server can give is a service that says what is observed', () => {
  for (const [gap, answers] of Object.entries(gapChoices)) {
    for (const [at, answer] of answers.entries()) {
      const row = services.find(({ id }) => id === `${gap}=${answer}` || (at === 0 && id === 'reference'));
      assert.ok(Object.hasOwn(row?.observes ?? {}, gap) || gap === 'after-removal', answer);
    }
  }
});

/** Gaps that a run with the default budget does not show. */
const unseen: readonly string[] = ['ban', 'after-removal'];
/** The self-test tries a hundred with smaller budgets. */
const combinations = 60;

test('random combinations of choices are observed as chosen, for nearly all gaps', async () => {
  const seen = new Map<string, number>();
  for (let seed = 0; seed < combinations; seed += 1) {
    const variant = combine(seed);
    const report = await runInProcess(handleOf(variant, seed), trialSettings(300, { seed, plan: 'business' }), variant);
    assert.equal(misreadIn(report, variant), [], variant.id);
    for (const { id, observed } of report.gaps) if (observed.length > 0) seen.set(id, (seen.get(id) ?? 0) + 1);
  }
  const rare = Object.keys(gapChoices).filter((gap) => (seen.get(gap) ?? 0) < combinations / 2);
  assert.equal(rare, unseen);
});

const ofPlain = await runInProcess(handleOf({ id: 'plain' }), trialSettings(300));

test('an observation that differs from the choice of the server is reported', () => {
  const misread = (variant: Parameters<typeof misreadIn>[1]): readonly string[] => misreadIn(ofPlain, variant);
  assert.equal(misread({ id: 'plain' }), []);
  assert.equal(misread({ id: 'sold', gaps: { 'status-omitted': 'sold' } }), [
    'status-omitted: expected sold, observed available',
  ]);
  assert.equal(misread({ id: 'ban', observes: { ban: 'none' } }), ['ban: expected none, observed nothing']);
  assert.equal(misread({ id: 'order', observes: { 'list-order': null } }), [
    'list-order: expected nothing, observed oldest-first',
  ]);
  assert.equal(misread({ id: 'two', observes: { 'location-header': ['sent', 'none'] } }), [
    'location-header: expected sent, none, observed none',
  ]);
});

test('an observation names an exchange that shows it', async () => {
  for (const [gap, status] of [
    ['known-categories=refused-400', 400],
    ['limit-out-of-range=refused-422', 422],
    ['pet-id-not-int64=refused-400', 400],
    ['other-operations=refused-404', 404],
    ['bearer-case=refused-401', 401],
    ['name-limits=not-empty', 400],
    ['status-omitted=sold', 201],
    ['list-order=shuffled', 200],
    ['too-many-requests-body=text', 429],
  ] as const) {
    const exchanges: Exchange[] = [];
    const variant = services.find(({ id }) => id === gap)!;
    const onExchange = (exchange: Exchange): number => exchanges.push(exchange);
    const report = await runInProcess(handleOf(variant), trialSettings(300), { onExchange });
    const { example } = report.gaps.find(({ id }) => gap.startsWith(`${id}=`))!;
    assert.is(exchanges.find(({ number }) => number === example)?.response?.status, status, gap);
  }
});

test('a gap that no exchange shows has no answer and no example', () => {
  assert.equal(
    ofPlain.gaps.find(({ id }) => id === 'ban'),
    {
      id: 'ban',
      section: '8',
      question: 'Is a key banned for a while after repeated excess, and how is that answered?',
      observed: [],
    },
  );
});

test('a read-only run observes nothing about creations and sends no other method', async () => {
  const report = await runInProcess(handleOf({ id: 'plain' }), trialSettings(300, { isReadOnly: true }));
  const observed = new Map(report.gaps.map(({ id, observed: answer }) => [id, answer.join(', ')]));
  for (const gap of ['known-categories', 'name-limits', 'id-form', 'location-header', 'other-operations'] as const) {
    assert.is(observed.get(gap), '', gap);
  }
  assert.is(observed.get('bearer-case'), 'accepted');
});

/** A longer probe, which sets its own pace. */
interface Probe {
  readonly ask: (times: number) => Promise<void>;
  readonly wait: (ms: number) => Promise<void>;
}

/** The answer to a gap after requests with the rate-limit key alone. */
async function observe(
  gap: OpenGapId,
  { wrap = (handle) => handle, ...options }: TwinOptions & { readonly wrap?: Wrap },
  send: (probe: Probe) => Promise<void>,
): Promise<string | undefined> {
  const clock = createClock();
  const keys = [{ key: limitKey, plan: 'enterprise', perMinute: 10, perDay: 12 }] as const;
  const settings = trialSettings(1_000);
  const session = createSession({
    settings,
    keys: { api: apiKey, rateLimit: limitKey },
    transport: inProcess(wrap(createTwin({ keys, ...options }).handle, keysOfTrials), clock),
    clock,
    budget: createBudget(1_000, 0),
    runTag: 'abc123',
  });
  await send({
    async ask(times) {
      for (let asked = 0; asked < times; asked += 1) {
        await session.sendOnce(listPets('limit=1', rateLimitKey(limitKey)));
      }
    },
    wait: clock.sleep,
  });
  const observer = observers.find((one) => one.gap === gap);
  const history = readHistory(session.exchanges, settings);
  return observer?.observe(history)?.answers.join(', ');
}

/** A key with a large limit per day. */
const perMinute = [{ key: limitKey, plan: 'enterprise', perMinute: 10, perDay: 1_000 }] as const;

test('requests over more than a minute that use up the day show the kind of window', async () => {
  for (const [window, seen] of [
    ['tightest', 'tightest'],
    ['minute', 'at-most-a-minute'],
    ['day', 'day'],
  ] as const) {
    const observed = await observe('rate-limit-window', { gaps: { 'rate-limit-window': window } }, async (probe) => {
      await probe.ask(1);
      await probe.wait(2_000);
      await probe.ask(5);
      await probe.wait(58_500);
      await probe.ask(7);
    });
    assert.is(observed, seen);
  }
});

test('a fixed window is not mistaken for a sliding one, nor where other clients have used it', async () => {
  const gaps = { 'rate-limit-window': 'minute' } as const;
  const others: Wrap = (handle) => {
    let first: number | undefined;
    return (request, now) => {
      const isNextMinute = first !== undefined && Math.floor(now / 60_000) > Math.floor(first / 60_000);
      for (let times = 0; isNextMinute && times < 5; times += 1) handle(request, now);
      first = isNextMinute ? now : (first ?? now);
      return handle(request, now);
    };
  };
  for (const wrap of [(handle) => handle, others] satisfies Wrap[]) {
    const observed = await observe('rate-limit-window', { gaps, keys: perMinute, wrap }, async (probe) => {
      await probe.ask(5);
      await probe.wait(45_000);
      await probe.ask(3);
    });
    assert.is(observed, 'at-most-a-minute');
  }
});

test('an empty catalogue does not show whether an unknown value matches nothing or is ignored', async () => {
  const ignored = { 'status-filter-unknown': 'ignored', 'limit-out-of-range': 'ignored' } as const;
  const server = { id: 'empty', gaps: { ...ignored, 'limit-not-integer': 'ignored' } } as const;
  const report = await runInProcess(handleOf(server), trialSettings(300, { isReadOnly: true }));
  for (const gap of [...Object.keys(server.gaps), 'unknown-query-parameters']) {
    assert.equal(report.gaps.find(({ id }) => id === gap)?.observed, [], gap);
  }
});

test('a client-sent id that became the id of the animal is not observed as ignored', async () => {
  const wrap = changeCreation((answer, call) => {
    const sent = sentJson(call);
    if (!isJsonObject(sent) || typeof sent['id'] !== 'bigint') return undefined;
    return { ...answer, body: answer.body.replace(/"id":-?\d+/, `"id":${sent['id']}`) };
  });
  const report = await runInProcess(handleOf({ id: 'taken', wrap }), trialSettings(300));
  assert.equal(report.gaps.find(({ id }) => id === 'client-sent-id')?.observed, []);
});

test('requests after many refusals show a ban', async () => {
  for (const [ban, bans] of [
    ['banned-429', { wrap: bansAtOnce(429) }],
    ['none', {}],
  ] as const) {
    const goOn = (times: number) => observe('ban', { keys: perMinute, ...bans }, (probe) => probe.ask(times));
    assert.is(await goOn(40), ban);
    assert.is(await goOn(11), undefined);
  }
});

test('a ban may be answered with 401 or 403', async () => {
  for (const status of [401, 403] as const) {
    let refusals = 0;
    const wrap = changeAnswer((answer) => {
      if (answer.status === 429) refusals += 1;
      return refusals > 5 ? errorAnswer(status, answer) : undefined;
    });
    const observed = await observe('ban', { keys: perMinute, gaps: { ban: 'none' }, wrap }, (probe) => probe.ask(20));
    assert.is(observed, `banned-${status}`);
  }
});

test('refusals in two windows are no ban', async () => {
  const observed = await observe('ban', { keys: perMinute, gaps: { ban: 'none' } }, async (probe) => {
    await probe.ask(13);
    await probe.wait(60_000);
    await probe.ask(13);
  });
  assert.is(observed, undefined);
});

test.run();
