/** Counterexamples: of all evidence for a failure the smallest is shown. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../http/exchange.ts';
import { smallestFailures } from '../../verdict/counterexample.ts';
import { fails, holds } from '../../verdict/finding.ts';
import { exchangeOf } from '../run/hand-made.ts';

/** A creation with a body of so many characters. */
function creation(number: number, length: number): Exchange {
  return exchangeOf(number, { request: { method: 'POST', target: '/pets', headers: {}, body: 'x'.repeat(length) } });
}

const failing = (code: 'id-missing' | 'id-not-int64', ...exchanges: readonly Exchange[]) =>
  fails('pet-id', code, `expected ${code}`, ...exchanges);

const chosen = (...findings: Parameters<typeof smallestFailures>[0]) =>
  smallestFailures(findings).map(({ requirement, exchanges }) => [requirement, exchanges.map(({ number }) => number)]);

test('the failure with the shortest requests is shown, whichever came first', () => {
  const [long, short, middle] = [creation(1, 5_400), creation(2, 40), creation(3, 90)];
  assert.equal(chosen(failing('id-missing', long), failing('id-missing', short), failing('id-missing', middle)), [
    ['pet-id', [2]],
  ]);
});

test('two short requests are smaller than one long one, and larger than one short one', () => {
  const two = failing('id-missing', creation(1, 20), creation(2, 20));
  assert.equal(chosen(failing('id-missing', creation(3, 400)), two), [['pet-id', [1, 2]]]);
  assert.equal(chosen(two, failing('id-missing', creation(3, 60))), [['pet-id', [3]]]);
});

test('the first failure decides which code is shown, and each requirement has one', () => {
  const findings = [
    failing('id-not-int64', creation(1, 500)),
    failing('id-missing', creation(2, 10)),
    fails('pet-name', 'name-missing', 'expected a name', creation(3, 10)),
    holds('pet-status', creation(4, 10)),
  ];
  assert.equal(chosen(...findings), [
    ['pet-id', [1]],
    ['pet-name', [3]],
  ]);
});

test.run();
