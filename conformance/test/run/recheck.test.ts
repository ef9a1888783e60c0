/** What is said of a failure beyond the verdict: the few requests that show it, and whether they show it again. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RequirementId } from '../../../spec/requirements.ts';
import { findFault } from '../../faults/index.ts';
import { rateLimitKey, validKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { trialSettings } from '../../proof/trial.ts';
import { viewOf } from '../../reporters/view.ts';
import { BudgetSpent } from '../../run/budget.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import { noteCounterexamples, recheckFailures } from '../../run/recheck.ts';
import type { Session } from '../../run/session.ts';
import type { RunState } from '../../run/suite.ts';
import { changes, type Wrap, withHeader } from '../../services/wraps.ts';
import { type Counterexample, fails, holds, type JudgeAll } from '../../verdict/finding.ts';
import type { Settings } from '../../world/settings.ts';
import { animalOf, created, exchangesOf, type HandMadeAnswer, page, read } from '../sections/evidence.ts';
import { judged } from './bench.ts';

const judge = (wrap: Wrap, maxRequests: number, settings: Partial<Settings> = {}) =>
  judged({ wrap }, maxRequests, { plan: 'business', ...settings });

test('a failure that does not come again is called flaky, and fails the run all the same', async () => {
  let answered = 0;
  const once = changes.answer((answer) => {
    answered += 1;
    return answered === 5 ? withHeader(answer, 'X-RateLimit-Limit', 'many') : undefined;
  });
  const { report, of } = await judge(once, 100);
  const { verdict, recheck } = of('rate-limit-header');
  assert.equal([verdict, recheck, report.exitCode], ['fail', 'flaky', 1]);
});

const findCredential = () => validKey('some-key');

/** Shows each animal with another name. */
const changesNames = changes.answer((answer, { operation }) =>
  operation === 'getPet' && answer.status === 200
    ? { ...answer, body: answer.body.replace(/"name":"/, '"name":"x') }
    : undefined,
);

test('a failure that comes again is asked for once, with names and ids of its own', async () => {
  // Long enough to be shrunk; a disposable target gets short names besides.
  const long = { nameTemplate: 'Made by a test of the kit, {n}', isDisposable: false };
  const { exchanges, of } = await judge(changesNames, 100, long);
  assert.is(of('pet-name-kept').recheck, 'fails-again');
  const [created, read] = exchanges.filter(({ check }) => check === 're-check');
  assert.equal([created?.request.method, read?.request.method], ['POST', 'GET']);
  assert.is(read!.request.target, `/pets/${JSON.parse(created!.response!.body).id}`);
  const tagsOf = ({ request }: Exchange): readonly string[] => request.body?.match(/of the kit, [a-z]+/) ?? [];
  const others = exchanges.filter((exchange) => exchange !== created).flatMap(tagsOf);
  assert.not.ok(others.includes(tagsOf(created!)[0] ?? others[0]!));
});

/** A fault, a budget, whether the target is disposable, and the body that shows the failure. */
const shownBodies: readonly (readonly [id: string, maxRequests: number, isDisposable: boolean, body: RegExp])[] = [
  ['category-stored-rounded-to-double', 100, true, /^\{"name":"a","categoryId":9007199254740993\}$/],
  // On a shared target the smaller bodies carry names of the run.
  [
    'category-stored-rounded-to-double',
    100,
    false,
    /^\{"name":"CFklmbcd[a-z]+","categoryId":9007199254740993(,"status":"\w+")?\}$/,
  ],
  ['name-stored-folded-nfkc', 60, true, /^.{1,60}$/s],
  ['name-stored-cut-to-255', 60, true, /^.{1,310}$/s],
  // Only other exchanges of the run show that nothing but the name can be the reason of the refusal.
  ['body-name-number-answers-422', 100, true, /^\{"name":123,"categoryId":\d+\}$/],
];

for (const [id, maxRequests, isDisposable, body] of shownBodies) {
  test(`the fault ${id} is shown with the values that the failure needs, within ${maxRequests} requests: ${body}`, async () => {
    const { wrap, breaks } = findFault(id);
    const { report, exchanges, of } = await judge(wrap, maxRequests, { isDisposable });
    const { failures, recheck } = of(breaks[0]);
    const [first] = failures[0]!.sequence!;
    assert.match(exchanges.find(({ number }) => number === first)!.request.body!, body);
    assert.equal([recheck, report.requests <= maxRequests], ['fails-again', true]);
  });
}

/** Breaks at bodies beyond 1 KiB. */
const refusesLong = changes.answer((answer, { request }) => {
  if (request.method !== 'POST' || request.body.length <= 1_024) return undefined;
  return { ...answer, status: 500, body: '{"code":"broken","message":"no","status":500}' };
});

test('the last exchange of a failure is the one that shows it, with the padding of its body, and never the control', async () => {
  const wraps: readonly Wrap[] = [
    refusesLong,
    findFault('creation-needs-a-status-else-422').wrap,
    findFault('refusal-remembered-for-its-address').wrap,
    findFault('read-lags-ten-minutes').wrap,
  ];
  for (const wrap of wraps) {
    const { report, exchanges } = await judge(wrap, 300, { isDisposable: false });
    const failures = report.requirements.flatMap((requirement) => requirement.failures);
    assert.ok(failures.length > 0);
    for (const { code, status, exchanges: numbers } of failures) {
      const last = exchanges.find(({ number }) => number === numbers.at(-1))!;
      if (status !== undefined) assert.is(last.response?.status, status, code);
    }
  }
  const { of, exchanges } = await judge(findFault('page-remembered-for-ten-minutes').wrap, 300);
  const { exchanges: numbers } = of('list-limit-default').failures[0]!;
  assert.not.match(exchanges.find(({ number }) => number === numbers.at(-1))!.request.target, /limit=/);
});

test('a long creation is shrunk although the read that shows its failure is short', async () => {
  const nameTemplate = `${'Made by a test of the kit'.repeat(4)} {n}`;
  const { of, exchanges } = await judge(changesNames, 100, { nameTemplate });
  const [first] = of('pet-name-kept').failures[0]!.sequence!;
  const { target, body = '' } = exchanges.find(({ number }) => number === first)!.request;
  assert.is(`${target} ${body}`, '/pets {"name":"a","categoryId":1}');
});

test('a smaller request that is shown is said to be one of the recheck, by its number', async () => {
  const { report, of } = await judge(findFault('name-stored-cut-to-255').wrap, 60, { isDisposable: true });
  const [first] = of('pet-name-kept').failures[0]!.sequence!;
  const remarks = viewOf(report).causes.flatMap(({ broken }) => broken.flatMap((one) => one.remarks));
  assert.ok(
    remarks.includes(`Sent on recheck, where smaller requests take the place of the first ones: #${first}.`),
    remarks.join(),
  );
});

const facts = { expected: 'an id', received: 'none' };

interface Rechecking {
  /** The exchanges of the run. All of them show the failure, unless `isShown` says otherwise. */
  readonly before: readonly HandMadeAnswer[];
  /** What the requests get that are sent again; an error in place of an answer is thrown. */
  readonly next?: readonly (HandMadeAnswer | Error)[];
  readonly left?: number;
  readonly knowsKey?: boolean;
  /** Whether these exchanges show the failure again: the new ones alone, or all of the run. */
  readonly isShown?: (shown: readonly Exchange[], again: readonly Exchange[]) => boolean;
  readonly shows?: RequirementId;
}

/** How the recheck of a failure of pet-id ends, and how many requests it sent. */
async function rechecked({ before, next = [], left = 99, knowsKey = true, isShown, shows = 'pet-id' }: Rechecking) {
  const old = exchangesOf(before);
  const exchanges = [...old];
  const again: Exchange[] = [];
  const toCome = [...next];
  const session = {
    exchanges,
    settings: trialSettings(60),
    newName: () => 'n',
    budget: { requestsLeft: () => left },
    send: async () => {
      const answer = toCome.shift()!;
      if (answer instanceof Error) throw answer;
      const exchange = { ...exchangesOf([answer])[0]!, number: 100 + again.length };
      again.push(exchange);
      exchanges.push(exchange);
      return exchange;
    },
  };
  const judge: JudgeAll = (shown) => {
    if (again.length === 0) return [fails('pet-id', 'id-missing', facts, ...old)];
    const isFailing = isShown?.(shown, again) ?? false;
    return isFailing ? [fails(shows, 'id-missing', facts, old[0]!, ...again)] : [holds('pet-id', ...again)];
  };
  const suite = { findCredential: () => (knowsKey ? validKey('some-key') : undefined) };
  const counterexamples = new Map<RequirementId, Counterexample>();
  const state = { suite, judge, counterexamples };
  await recheckFailures(session as unknown as Session, state as unknown as RunState);
  return [counterexamples.get('pet-id')?.recheck, again.length];
}

const animals = [animalOf(1), animalOf(2)];

test('what fails in new exchanges, alone or together with the rest of the run, fails again', async () => {
  const one = { before: [created(1)], next: [created(2)] };
  assert.equal(await rechecked({ ...one, isShown: (shown, again) => shown.length === again.length }), [
    'fails-again',
    1,
  ]);
  assert.equal(await rechecked({ ...one, isShown: (shown, again) => shown.length > again.length }), ['fails-again', 1]);
  // Another requirement is another failure.
  assert.equal(await rechecked({ ...one, isShown: () => true, shows: 'pet-name' }), ['flaky', 1]);
});

test('what does not fail again is flaky where the same was asked in the same state', async () => {
  for (const [before, next, recheck] of [
    [created(1), created(2), 'flaky'],
    [read(1, animalOf(1)), read(1, 404), 'flaky'],
    [page('', ...animals), page('', ...animals), 'flaky'],
    [page('', ...animals), page('', animalOf(1)), 'not-asked-again'],
  ] as const)
    assert.equal(await rechecked({ before: [before], next: [next] }), [recheck, 1]);
  const [before, next] = [
    [created(1), page('', ...animals)],
    [created(2), page('')],
  ];
  assert.equal(await rechecked({ before, next }), ['not-asked-again', 2]);
});

test('a sequence is sent again if it is short, its keys are not used up, and the budget allows', async () => {
  const listings = (count: number): readonly HandMadeAnswer[] => Array.from({ length: count }, () => page(''));
  const withLimitKey = { ...page(''), credential: rateLimitKey('other') };
  const not = ['not-asked-again', 0];
  assert.equal(await rechecked({ before: listings(8), next: listings(8) }), ['flaky', 8]);
  assert.equal(await rechecked({ before: listings(9), next: listings(9) }), not);
  assert.equal(await rechecked({ before: listings(4), next: listings(4), left: 4 }), ['flaky', 4]);
  assert.equal(await rechecked({ before: listings(4), next: listings(4), left: 3 }), not);
  assert.equal(await rechecked({ before: [page(''), withLimitKey], next: listings(2) }), not);
  assert.equal(await rechecked({ before: listings(2), next: listings(2), knowsKey: false }), not);
});

test('a recheck that a gateway or the budget ends is none, and an error of ours is thrown', async () => {
  const before = [page(''), page('')];
  const next = [page(''), { ...page(''), status: 503 }];
  assert.equal(await rechecked({ before, next, isShown: () => true }), ['not-asked-again', 2]);
  const spent = new BudgetSpent('requests', 60);
  assert.equal(await rechecked({ before, next: [page(''), spent] }), ['not-asked-again', 1]);
  assert.is(await rechecked({ before, next: [new Error('ours')] }).catch(String), 'Error: ours');
});

test('a request that has failed several times, while others were served, is not sent again', async () => {
  const failing = (seconds: number, part: Partial<HandMadeAnswer> = {}) => ({
    ...page(''),
    status: 503,
    seconds,
    ...part,
  });
  const served = { ...read(1, 404), seconds: 4 };
  const before = [
    failing(0),
    failing(2, { repeats: 1 }),
    served,
    failing(8, { repeats: 1 }),
    failing(12, { repeats: 1 }),
  ];
  assert.equal(await rechecked({ before }), ['fails-again', 0]);
});

test('the first counterexample of a requirement is kept', () => {
  const [first, second] = exchangesOf([created(1), created(2)]) as [Exchange, Exchange];
  const counterexamples = new Map<RequirementId, Counterexample>();
  const findings = [fails('pet-id', 'id-missing', facts, first), holds('pet-name', first)];
  const state = { counterexamples, judge: () => findings } as unknown as RunState;
  assert.is(noteCounterexamples(state, findings, [first, second]).length, 1);
  const noted = { finding: findings[0], exchanges: [first], recheck: 'not-asked-again' };
  assert.equal([...counterexamples], [['pet-id', noted]]);
  assert.equal(noteCounterexamples(state, [fails('pet-id', 'id-missing', facts, second)], [first, second]), []);
  assert.equal([...counterexamples], [['pet-id', noted]]);
});

test('smaller requests take the part of the name that came back different, and end with the first that fails', async () => {
  const name = `${'x'.repeat(60)}Q${'y'.repeat(60)}`;
  const others = page('', animalOf(2, { name: 'Rex' }), animalOf(3, { name: 'Rex' }));
  const before = exchangesOf([created(1, { name }), others, read(1, animalOf(1, { name: name.replace('Q', 'q') }))]);
  const bodies: (string | undefined)[] = [];
  const session = {
    exchanges: before,
    settings: trialSettings(60),
    newName: () => 'n',
    budget: { requestsLeft: () => 99 },
    send: async (request: PlannedRequest) => {
      bodies.push(request.body);
      return exchangesOf([{ ...created(9), request }])[0]!;
    },
  };
  const judgeAll: JudgeAll = (shown) => {
    const isShown = shown.some(({ request }) => request.body?.includes('Q'));
    return isShown ? [holds('pet-id', ...shown), fails('pet-id', 'id-missing', facts, ...shown)] : [];
  };
  const counterexamples = new Map<RequirementId, Counterexample>();
  const state = { suite: { findCredential }, judge: judgeAll, counterexamples } as unknown as RunState;
  await recheckFailures(session as unknown as Session, state);
  const creations = bodies.filter((body) => body !== undefined).map((body) => JSON.parse(body).name);
  assert.equal(creations, [name, 'a', 'xxQyyyyyyy']);
  const { exchanges, finding, recheck } = counterexamples.get('pet-id')!;
  assert.equal([finding.exchanges, recheck, exchanges.length], [exchanges, 'fails-again', 3]);
  assert.match(exchanges[0]!.request.body ?? '', /"name":"xxQy{7}"/);
});

test('what is sent to shrink failures is within the budget, for all of them together, and a flaky one is not shrunk', async () => {
  const long = 'x'.repeat(100);
  const ids = ['pet-id', 'pet-name', 'pet-status'] as const;
  const before = exchangesOf(ids.map((_id, at) => created(at, { name: long, categoryId: BigInt(at + 5) })));
  // Only the name and the category together show it, and that of pet-status never again.
  const judgeAll: JudgeAll = (all, only) =>
    all.flatMap((exchange) =>
      ids.flatMap((id, at) => {
        const isShown = exchange.request.body?.includes(`"name":"${long}","categoryId":${at + 5}`) ?? false;
        const isOld = before.includes(exchange);
        return isShown && (only ?? id) === id && (at < 2 || isOld) ? [fails(id, 'id-missing', facts, exchange)] : [];
      }),
    );
  for (const [left, sent] of [
    [5, 3 + 5],
    [99, 3 + 2 * 3],
  ] as const) {
    const asked: Exchange[] = [];
    const session = {
      exchanges: before,
      settings: trialSettings(60),
      newName: () => 'n',
      budget: { requestsLeft: () => left },
      send: async (request: PlannedRequest) => {
        asked.push(exchangesOf([{ ...created(9), request }])[0]!);
        return asked.at(-1)!;
      },
    };
    const state = { suite: { findCredential }, judge: judgeAll, counterexamples: new Map() };
    await recheckFailures(session as unknown as Session, state as unknown as RunState);
    assert.is(asked.length, sent, asked.map(({ request }) => request.body).join());
  }
});

test('a failure that needs a key to exhaust, or more creations than are left, is not rechecked, and a conforming run asks for nothing again', async () => {
  const { of } = await judge(findFault('retry-after-missing').wrap, 300);
  assert.is(of('rate-retry-after').recheck, 'not-asked-again');
  const spent = await judge(changesNames, 100, { maxCreates: 4 });
  assert.is(spent.of('pet-name-kept').recheck, 'not-asked-again');
  assert.not.ok(spent.exchanges.some(({ check }) => check === 're-check'));
  const { report, exchanges } = await judge((handle) => handle, 300);
  const checks = new Set(exchanges.map(({ check }) => check));
  assert.equal([report.exitCode, checks.has('re-check'), checks.has('drawn-sequences')], [0, false, true]);
});

test.run();
