/** §8: what each request takes from Remaining. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { seededRandom } from '../../../../spec/random.ts';
import { shuffle } from '../../../sections/orders.ts';
import { type Answer, failuresIn } from './limit-answers.ts';

type Kind = 'create' | 'list' | 'filter' | 'read';

const requests: Readonly<Record<Kind, Partial<Answer>>> = {
  create: { operation: 'createPet', status: 201 },
  read: { operation: 'getPet' },
  list: {},
  filter: { target: '/pets?status=sold' },
};

/** The failures of some requests in quick succession that take so much each. */
function failuresOfPrices(kinds: readonly Kind[], priceOf: (kind: Kind, at: number) => number): readonly string[] {
  let remaining = 1_000;
  const answers = kinds.map((kind, at): Answer => {
    remaining -= priceOf(kind, at);
    return { ...requests[kind], at: 1 + at / 100, limit: 1_000, remaining, reset: 45 };
  });
  return failuresIn(answers);
}

const kinds: readonly Kind[] = ['create', 'list', 'read', 'filter'];
const inOrder = kinds.flatMap((kind) => Array.from({ length: 10 }, () => kind));
const mixed = shuffle(inOrder, seededRandom(1));
const several = ['rate-remaining-falls: counts-several'];
const two = (kind: Kind): number => (kind === 'create' ? 2 : 1);

test('each request takes one: a kind that takes several among others fails', () => {
  for (const priced of kinds) {
    for (const price of [2, 10]) {
      const failures = failuresOfPrices(mixed, (kind) => (kind === priced ? price : 1));
      assert.equal(failures, several, `${priced} ${price}`);
    }
  }
  // A bucket gains one now and then.
  const ofBucket = failuresOfPrices(mixed, (kind, at) => (kind === 'create' ? 5 : 1) - (at % 9 === 0 ? 1 : 0));
  assert.equal(ofBucket, several);
});

test('other clients, who take some at any moment, fail nothing', () => {
  for (const every of [1, 2, 3, 5, 7]) {
    const failures = failuresOfPrices(mixed, (_kind, at) => (at % every === 0 ? 4 : 1));
    assert.equal(failures, [], String(every));
  }
  // They come while the run happens to send one kind of request, or rarely sends it, or take now more and now less.
  assert.equal(failuresOfPrices(inOrder, two), []);
  const few: readonly Kind[] = ['list', 'create', 'list', 'create', 'list', 'create', 'list', 'create', 'list'];
  assert.equal(failuresOfPrices(few, two), []);
  const uneven = failuresOfPrices(mixed, (kind, at) => (kind === 'create' ? 2 + (at % 3) : 1));
  assert.equal(uneven, []);
});

test.run();
