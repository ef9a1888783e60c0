/** No requirement fails on a neighbour, whatever it chose where the interface is silent, at any budget and concurrency. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { reasonInWords } from '../../verdict/reasons.ts';
import { disclosuresIn } from '../encodings.ts';
import { neighbours } from './index.ts';
import { complaints, judge } from './judge.ts';

const budgets = [20, 60, 300];
/** With concurrency 1, the run gets only the options that it cannot find out itself; with 8, it gets all of them. */
const concurrencies = [1, 8];
for (const neighbour of neighbours) {
  const { id } = neighbour;
  for (const maxRequests of budgets) {
    for (const concurrency of concurrencies) {
      test(`${id} conforms at ${maxRequests} requests, ${concurrency} at a time`, async () => {
        const report = await judge(neighbour, maxRequests, concurrency);
        assert.equal(complaints(report), []);
        assert.is(report.exitCode, 0, reasonInWords(report.reason));
      });
    }
  }
}

test('the key is in no report on a server that repeats it with the escapes of its language', async () => {
  const keys = { api: 'Sample+Key/4711==Zz', rateLimit: "Other'Key+/0815<>Yy" };
  for (const neighbour of neighbours.filter(({ id }) => /dot-net|php/.test(id))) {
    const report = await judge(neighbour, 60, 1, { keys, scope: 'all' });
    const text = JSON.stringify(report);
    assert.match(text, 'one is [key]');
    for (const key of Object.values(keys)) assert.equal(disclosuresIn(text, key), [], neighbour.id);
  }
});

test('every neighbour lists its choices, and no two made the same', () => {
  const all = neighbours.map(({ choices }) => choices.join());
  assert.is(new Set(all).size, neighbours.length);
  for (const { choices } of neighbours) assert.ok(choices.length >= 10);
});

test.run();
