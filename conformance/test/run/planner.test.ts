/** The planner sends by rank: which items a choice of requirements needs, in which order, and what is kept for later. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RequirementId } from '../../../spec/requirements.ts';
import type { Exchange } from '../../http/exchange.ts';
import { trialSettings } from '../../proof/trial.ts';
import { BudgetSpent, createBudget } from '../../run/budget.ts';
import { sendByRank } from '../../run/planner.ts';
import type { Session } from '../../run/session.ts';
import type { Check, Probe, RunState } from '../../run/suite.ts';
import { RunStopped } from '../../run/waits.ts';
import { listPets } from '../../sections/requests.ts';
import { fails } from '../../verdict/finding.ts';
import { reason } from '../../verdict/reasons.ts';
import { exchangeOf } from './hand-made.ts';

const probeAt = (rank: number): Probe => ({ rank, request: () => listPets(`rank=${rank}`) });

function probes(id: string, verifies: readonly RequirementId[], ranks: readonly number[], part: object = {}): Check {
  return { id, verifies, probes: () => ranks.map(probeAt), ...part };
}

const creating = probes('animals', ['create-answer'], [0, 1, 2, 4], { createsAnimals: true });
const lists = probes('lists', ['list-limit-refused'], [1, 2, 3, 4, 7]);
const keys: Check = {
  id: 'keys',
  verifies: ['auth-missing-key', 'auth-invalid-key'],
  rank: 5,
  run: async () => undefined,
};

interface Plan {
  readonly checks?: readonly Check[];
  readonly only?: readonly RequirementId[] | 'shown';
  readonly isLastFailed?: boolean;
  readonly maxRequests?: number;
  readonly isFailing?: boolean;
  readonly send?: (sent: number) => void;
  readonly onBudget?: () => void;
  /** What is noted before. */
  readonly noted?: readonly (readonly [RequirementId, string])[];
}

/** Sends what a plan asks for: what was sent, as check and rank, how many requests were left each time, and the notes. */
async function sentBy({
  checks = [creating, lists],
  only,
  isLastFailed,
  maxRequests = 300,
  isFailing,
  send,
  onBudget,
  noted,
}: Plan) {
  const sent: string[] = [];
  const left: number[] = [];
  const exchanges: Exchange[] = [];
  const budget = createBudget(maxRequests, 61);
  const errors = new Map<RequirementId, string>();
  const notes = new Map<RequirementId, string>(noted);
  // Each draw is smaller than the one before, so that what is shuffled is reversed.
  let drawn = 1;
  const random = () => {
    drawn /= 2;
    return drawn;
  };
  const shared = { budget, settings: trialSettings(maxRequests), random, exchanges };
  const forCheck = (id: string) => ({
    ...shared,
    send: ({ target }: { readonly target: string }) => {
      sent.push(`${id} ${target.replace('/pets?rank=', '')}`);
      left.push(budget.requestsLeft());
      send?.(sent.length);
      exchanges.push(exchangeOf(exchanges.length + 1));
      return Promise.resolve(exchanges.at(-1)!);
    },
  });
  const failing = () => [fails('list-limit', 'too-many', { expected: '', received: '' }, exchangeOf(1))];
  const state = {
    suite: { checks, findCredential: () => undefined },
    judge: isFailing ? failing : () => [],
    counterexamples: new Map([['list-limit', {}]]),
    errors,
    notes,
  };
  const options = {
    ...(only !== undefined && { only: only === 'shown' ? only : new Set(only) }),
    ...(isLastFailed && { isLastFailed }),
  };
  const session = { ...shared, forCheck } as unknown as Session;
  await sendByRank(session, state as unknown as RunState, options, onBudget);
  return { sent: sent.join(', '), left, errors: [...errors], notes: [...notes] };
}

const everything = 'animals 0, lists 1, animals 1, lists 2, animals 2, lists 3, lists 4, animals 4, lists 7';

test('without a choice every item is sent, by rank', async () => {
  assert.equal((await sentBy({})).sent.split(', ').toSorted(), everything.split(', ').toSorted());
  const ranks = (await sentBy({})).sent.split(', ').map((one) => Number(one.split(' ')[1]));
  assert.equal(
    ranks,
    ranks.toSorted((one, other) => one - other),
  );
});

/** A choice of requirements, and what is sent. */
const choices: readonly (readonly [Plan, sent: string])[] = [
  // Listings need no animal of the run.
  [{ only: ['list-limit-refused'] }, 'lists 1, lists 2, lists 3, lists 4, lists 7'],
  // What only animals of the run show needs the first of them.
  [{ only: ['create-answer'] }, 'animals 0, animals 1, animals 2, animals 4'],
  [
    { only: ['list-limit-refused', 'pet-name-kept'] },
    'animals 0, animals 1, lists 1, lists 2, lists 3, lists 4, lists 7',
  ],
  // A requirement without a check of its own is shown by any answer, and all that fits into twenty requests.
  [{ only: ['service-json'] }, 'animals 0, animals 1, lists 1'],
  [
    { only: ['list-limit-refused', 'service-json'] },
    'animals 0, animals 1, lists 1, lists 2, lists 3, lists 4, lists 7',
  ],
  // What failed is sent again without a long search.
  [{ only: ['list-limit-refused'], isLastFailed: true }, 'lists 1, lists 2, lists 3'],
  [{ only: ['service-json'], isLastFailed: true }, 'animals 0, animals 1, lists 1'],
  [{ only: ['auth-missing-key'], checks: [keys, lists] }, ''],
];

test('a choice of requirements sends what they need, and nothing else', async () => {
  for (const [plan, expected] of choices) {
    const { sent } = await sentBy(plan);
    assert.equal(sent.split(', ').toSorted(), expected.split(', ').toSorted(), JSON.stringify(plan.only));
  }
});

test('a choice of one requirement of a check sends its probes, and asks no other check for any', async () => {
  const other: Check = {
    id: 'other',
    verifies: ['create-answer'],
    probes: () => {
      throw new Error('asked for probes');
    },
  };
  const both = probes('both', ['list-limit', 'list-answer'], [1, 4]);
  assert.is((await sentBy({ checks: [both, other], only: ['list-answer'] })).sent, 'both 1, both 4');
});

test('what rests on animals of the run is sent with the first of them, and with no other first item', async () => {
  const reads = probes('reads', ['pet-name-kept'], [2]);
  const checks = [creating, lists, reads];
  const animals = 'animals 0, animals 1, reads 2';
  assert.is((await sentBy({ checks, only: ['pet-name-kept'] })).sent, animals);
  const both = await sentBy({ checks, only: ['pet-name-kept', 'list-limit-refused'], isLastFailed: true });
  assert.equal(both.sent.split(', ').toSorted(), [...animals.split(', '), 'lists 1', 'lists 2', 'lists 3'].toSorted());
  assert.is((await sentBy({ checks, only: 'shown' })).sent.split(', ').length, 10);
});

test('the first animals keep their order, and other probes of a rank are shuffled', async () => {
  const inOrder = (rank: number): Check => ({
    id: 'own',
    verifies: ['list-limit'],
    probes: () => ['a', 'b', 'c'].map((name) => ({ rank, request: () => listPets(`rank=${name}`) })),
  });
  assert.is((await sentBy({ checks: [inOrder(0)] })).sent, 'own a, own b, own c');
  assert.is((await sentBy({ checks: [inOrder(1)] })).sent, 'own c, own b, own a');
});

test('scenarios run after the probes of their rank', async () => {
  const scenario: Check = {
    id: 'scenario',
    verifies: ['list-limit-refused'],
    rank: 2,
    run: async (session) => void (await session.send(listPets('rank=2'))),
  };
  const { sent } = await sentBy({ checks: [scenario, lists], only: ['list-limit-refused'] });
  assert.is(sent, 'lists 1, lists 2, scenario 2, lists 3, lists 4, lists 7');
});

test('a tenth of the budget is kept for drawn sequences, a quarter of a large one, and six for rechecks of a small one', async () => {
  const leftAt = async (plan: Plan) => {
    const { left } = await sentBy({
      checks: [probes('lists', ['list-limit'], [2, 2.5, 3.9, 4, 6.5, 9.8, 10])],
      ...plan,
    });
    return left;
  };
  assert.equal(await leftAt({}), [300, 300, 300, 270, 300, 300, 300]);
  assert.equal((await leftAt({ maxRequests: 1_000 })).slice(2, 5), [1_000, 750, 1_000]);
  assert.equal((await leftAt({ maxRequests: 999 }))[3], 999 - 100);
  assert.equal(await leftAt({ maxRequests: 99 }), [99, 99, 99, 99, 99, 99, 99]);
  assert.equal((await leftAt({ maxRequests: 99, isFailing: true })).slice(0, 4), [99, 93, 99, 99]);
  assert.equal((await leftAt({ maxRequests: 150, isFailing: true })).slice(0, 4), [150, 150, 150, 135]);
});

test('a spent budget ends a step with a note, another error is noted as ours, and a stopped run ends', async () => {
  const throwing = (error: Error): Plan => ({
    checks: [keys, probes('lists', ['list-limit', 'list-answer'], [1, 2])],
    send: (sent) => {
      if (sent === 1) throw error;
    },
  });
  const spent = await sentBy(throwing(new BudgetSpent('requests', 300)));
  const note = 'the budget of 300 requests is spent; raise --max-requests';
  assert.equal([spent.sent, spent.errors], ['lists 1, lists 2', []]);
  assert.equal(spent.notes, [
    ['list-limit', note],
    ['list-answer', note],
  ]);
  // What was noted before says more.
  const noted = [['list-limit', 'before']] as const;
  const spentLater = await sentBy({ ...throwing(new BudgetSpent('requests', 300)), noted });
  assert.equal(spentLater.notes, [['list-limit', 'before'], spent.notes[1]]);
  const broken = await sentBy(throwing(new Error('ours')));
  assert.equal(broken.notes, []);
  assert.equal(broken.errors, [
    ['list-limit', 'Error: ours'],
    ['list-answer', 'Error: ours'],
  ]);
  const stopped = new RunStopped(reason('interrupted', {}));
  assert.is(await sentBy(throwing(stopped)).catch((error: unknown) => error), stopped);
  // A step of the planner itself has no requirement.
  const ours = new Error('ours');
  const onBudget = () => {
    throw ours;
  };
  assert.is(await sentBy({ onBudget }).catch((error: unknown) => error), ours);
});

test('what follows from an answer is sent first, and what lacks something waits until another has provided it', async () => {
  let isProvided = false;
  const waiting: Probe = { rank: 1, request: () => (isProvided ? listPets('rank=waiting') : undefined) };
  const follower: Probe = { rank: 1, request: () => listPets('rank=follower') };
  const first: Probe = {
    rank: 1,
    request: () => listPets('rank=first'),
    next: () => {
      isProvided = true;
      return [follower];
    },
  };
  const check: Check = { id: 'own', verifies: ['list-limit'], probes: () => [first, waiting] };
  const { sent } = await sentBy({ checks: [check] });
  assert.is(sent, 'own first, own follower, own waiting');
  const never: Check = { id: 'own', verifies: ['list-limit'], probes: () => [{ rank: 1, request: () => undefined }] };
  assert.is((await sentBy({ checks: [never] })).sent, '');
});

test.run();
