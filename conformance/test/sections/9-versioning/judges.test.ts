/** §9: the version segment, and getPet until the day of its removal begins in the earliest time zone. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalOfGetPet } from '../../../../spec/facts.ts';
import { secondMs } from '../../../http/tolerances.ts';
import { changes, errorAnswer } from '../../../services/wraps.ts';
import { sentenceOf } from '../../../verdict/finding.ts';
import { judged } from '../../run/bench.ts';
import { animalOf, checkRows, created, failuresIn, type HandMadeAnswer, read } from '../evidence.ts';

test('getPet fails where it says that it is gone, or answers no known animal; a 404 is a claim', () => {
  const found = read(1, animalOf(1));
  checkRows({
    'version-base-address': [['holds', found]],
    'get-until-removal': [
      ...[405, 410, 400, 301].map((status) => ['removed-early', created(1), read(1, status)] as const),
      ...[401, 404, 500].map((status) => ['', created(1), read(1, status)] as const),
      ...[410, 400].map((status) => ['', created(1), read(2, status)] as const),
      ...[404, 400].map((status) => ['holds', created(1), found, read(1, status)] as const),
      ['removed-early', created(1), found, read(1, 410)],
    ],
  });
});

test('an early removal is told by its statuses, and shown by three reads at most', () => {
  const shown = (...answers: readonly HandMadeAnswer[]) => {
    const [failing] = failuresIn([created(1), ...answers], /^get-until-removal$/);
    return [failing!.failure.received, failing!.exchanges.map(({ number }) => number)];
  };
  const found = read(1, animalOf(1));
  assert.equal(shown(found, read(1, 410), read(1, 405)), ['410 and 405 for 2 of 3 reads', [3, 4]]);
  assert.equal(shown(...[410, 410, 410, 410].map((status) => read(1, status))), ['410 for 4 of 4 reads', [2, 3, 4]]);
});

test('a base address that ends in another segment than v1 fails', () => {
  const answers = [read(1, animalOf(1))];
  const failures = ['v1/pets', 'v2'].map((end) => {
    const [failing] = failuresIn(answers, /^version-base-address$/, { baseUrl: `https://pets.example/${end}` });
    return [failing!.failure.code, sentenceOf(failing!.failure)];
  });
  assert.equal(
    failures,
    ['pets', 'v2'].map((end) => [
      'no-version-segment',
      `expected a base address that ends in v1, received one that ends in ${end}`,
    ]),
  );
});

/** The verdicts on a getPet that is gone from a moment on, in a run of about a minute that starts at another. */
async function verdictsOf(goneAt: number, startsAt: number): Promise<readonly string[]> {
  const wrap = changes.answer((answer, { operation, isAuthorized, now }) =>
    operation === 'getPet' && isAuthorized && now >= goneAt ? errorAnswer(410, answer) : undefined,
  );
  const settings = { today: startsAt, hasRateLimitKey: false };
  const { of } = await judged({ wrap }, 60, settings, { startsAt, latencyMs: secondMs });
  return [of('get-answer').verdict, of('get-until-removal').verdict];
}

test('getPet is judged until 5 December 2030 begins in the earliest time zone, also in the middle of a run', async () => {
  const hourMs = 3_600 * secondMs;
  assert.equal(await verdictsOf(0, removalOfGetPet - hourMs), ['inconclusive', 'fail']);
  assert.equal(await verdictsOf(0, removalOfGetPet), ['not-applicable', 'not-applicable']);
  assert.equal(await verdictsOf(removalOfGetPet, removalOfGetPet - 20 * secondMs), ['pass', 'pass']);
  assert.equal(await verdictsOf(0, removalOfGetPet - 50 * secondMs), ['inconclusive', 'fail']);
});

test.run();
