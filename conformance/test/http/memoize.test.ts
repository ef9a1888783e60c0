/** Values read from a record are computed once, whoever holds the record. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../http/exchange.ts';
import { memoize, memoizeIncrementally } from '../../http/memoize.ts';

test('each exchange of a record is read once, also if it is added later', () => {
  const read: number[] = [];
  const oddNumbers = memoizeIncrementally(
    (): number[] => [],
    (odd, { number }) => {
      read.push(number);
      if (number % 2 === 1) odd.push(number);
    },
  );
  const exchanges = [1, 2, 3].map((number) => ({ number }) as Exchange);
  assert.equal(oddNumbers({ exchanges }), [1, 3]);
  exchanges.push({ number: 5 } as Exchange);
  assert.equal(oddNumbers({ exchanges }), [1, 3, 5]);
  assert.equal(oddNumbers({ exchanges: [...exchanges] }), [1, 3, 5]);
  assert.equal(read, [1, 2, 3, 5, 1, 2, 3, 5]);
});

test('a result is computed once for each object, also where it is undefined', () => {
  const computed: object[] = [];
  const firstOf = memoize((list: readonly (number | undefined)[]) => {
    computed.push(list);
    return list[0];
  });
  const [some, none] = [[7], [undefined]];
  for (let time = 0; time < 2; time += 1) assert.equal([firstOf(some), firstOf(none)], [7, undefined]);
  assert.equal(computed, [some, none]);
});

test.run();
