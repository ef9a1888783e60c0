/** No requirement fails on a neighbour, whatever it chose where the interface is silent, at any budget and concurrency. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../http/exchange.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import { disclosuresIn } from '../encodings.ts';
import { neighbours } from './index.ts';
import { complaints, judge } from './judge.ts';

for (const neighbour of neighbours.filter(({ id }) => !id.startsWith('one-file-as'))) {
  for (const [maxRequests, concurrency] of [
    [20, 1],
    [60, 8],
    [300, 1],
    [300, 8],
  ] as const) {
    test(`${neighbour.id} conforms at ${maxRequests} requests, ${concurrency} at a time`, async () => {
      const report = await judge(neighbour, maxRequests, concurrency);
      assert.equal(complaints(report), []);
      assert.is(report.exitCode, 0, reasonInWords(report.reason));
    });
  }
}

test('the key is in no report on a server that repeats it with the escapes of its language', async () => {
  const keys = { api: 'Sample+Key/4711==Zz', rateLimit: "Other'Key+/0815<>Yy" };
  for (const neighbour of neighbours.filter(({ id }) => id.startsWith('one-file-as'))) {
    const exchanges: Exchange[] = [];
    const onExchange = (exchange: Exchange) => void exchanges.push(exchange);
    const report = await judge(neighbour, 60, 1, { keys, onExchange });
    const text = JSON.stringify([report, exchanges]);
    assert.is(report.exitCode, 0, neighbour.id);
    assert.match(text, 'one is [key]');
    for (const key of Object.values(keys)) assert.equal(disclosuresIn(text, key), [], neighbour.id);
  }
});

test.run();
