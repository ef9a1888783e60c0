/** Outages: which exchanges are evidence of nothing, and which requests fail by themselves. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../http/exchange.ts';
import { countUnanswered } from '../../verdict/history.ts';
import { describeOutages, looksLikeOutage, readOutages } from '../../verdict/outages.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import { exchangeOf } from '../run/hand-made.ts';

const broken = { failure: { code: 'broken', message: 'ECONNRESET' } };

/** An exchange in the second of its number: a status, or a broken connection. */
function at(number: number, status: number | 'broken', repeats?: number): Exchange {
  const { response, ...plain } = exchangeOf(number, repeats === undefined ? {} : { repeats });
  return status === 'broken' ? { ...plain, ...broken } : { ...plain, response: { ...response!, status } };
}

const numbersOf = (exchanges: Iterable<Exchange>): readonly number[] => [...exchanges].map(({ number }) => number);
/** A request that fails at 1, 2, 4 and 9 s while another is served. */
const failsEachTime = [at(1, 503), at(2, 503, 1), at(3, 200), at(4, 502, 1), at(9, 503, 1)];

test('502, 503, 504, those of Cloudflare and a broken connection look like an outage, other statuses and a timeout do not', () => {
  const seen = ([502, 503, 504, 520, 524, 530, 'broken'] as const).filter((status) => !looksLikeOutage(at(1, status)));
  assert.equal(seen, []);
  assert.equal(
    [200, 401, 429, 500, 501, 505, 519, 531].filter((status) => looksLikeOutage(at(1, status))),
    [],
  );
  assert.not.ok(looksLikeOutage({ failure: { code: 'timeout', message: 'none' } }));
});

test('a request that fails each time over seven seconds, while another is served, fails by itself', () => {
  const { persistent, lost, disregarded } = readOutages(failsEachTime);
  assert.equal(numbersOf(persistent.keys()), [9]);
  assert.equal(numbersOf([...persistent.values()][0]!), [1, 2, 4, 3, 9]);
  assert.equal(lost, []);
  assert.equal(numbersOf(disregarded), [1, 2, 4]);
});

const outages: Readonly<Record<string, readonly Exchange[]>> = {
  'it was served at last': [...failsEachTime.slice(0, 4), at(9, 200, 1)],
  'it was repeated twice only': [at(1, 503), at(2, 503, 1), at(3, 200), at(9, 503, 1)],
  'less than seven seconds passed': [at(1, 503), at(2, 503, 1), at(3, 200), at(4, 503, 1), at(7, 503, 1)],
  'no other request was served meanwhile': failsEachTime.filter(({ number }) => number !== 3),
  'the other was served before': [at(0, 200), ...failsEachTime.filter(({ number }) => number !== 3)],
  'the other was refused with 429': failsEachTime.map((one) => (one.number === 3 ? at(3, 429) : one)),
  'the other was answered by the gateway, too': failsEachTime.map((one) => (one.number === 3 ? at(3, 504) : one)),
};

for (const [why, exchanges] of Object.entries(outages)) {
  test(`a request that meets an outage is evidence of nothing: ${why}`, () => {
    const { persistent, disregarded } = readOutages(exchanges);
    assert.is(persistent.size, 0);
    assert.equal(numbersOf(disregarded), numbersOf(exchanges.filter(looksLikeOutage)));
  });
}

test('behind a gateway that fails now and then, a request has to fail more often before it fails by itself', () => {
  const recovered = Array.from({ length: 10 }, (_nothing, index) => [
    at(100 + 2 * index, 503),
    at(101 + 2 * index, 200, 100 + 2 * index),
  ]).flat();
  assert.is(readOutages(failsEachTime).requiredRepeats, 3);
  assert.is(readOutages([...failsEachTime, ...recovered]).requiredRepeats, 8);
  assert.is(readOutages([...failsEachTime, ...recovered]).persistent.size, 0);
  const more = [at(17, 503, 1), at(25, 503, 1), at(33, 503, 1), at(41, 503, 1), at(49, 503, 1)];
  assert.equal(numbersOf(readOutages([...failsEachTime, ...more, ...recovered]).persistent.keys()), [49]);
});

test('the share of lost attempts decides how often a request has to fail, not that of requests', () => {
  const recovered = Array.from({ length: 20 }, (_nothing, index) => [
    at(3 * index, 503),
    at(3 * index + 1, 503, 3 * index),
    at(3 * index + 2, 200, 3 * index),
  ]).flat();
  const others = Array.from({ length: 140 }, (_nothing, index) => at(100 + index, 200));
  assert.is(readOutages([...recovered, ...others]).requiredRepeats, 7);
});

test('repeats that name the attempt before them belong together as well', () => {
  const chained = [at(1, 503), at(2, 503, 1), at(3, 200), at(4, 503, 2), at(9, 503, 4)];
  assert.equal(numbersOf(readOutages(chained).persistent.keys()), [9]);
});

test('an outage is one sentence: how many answers, which statuses, from when to when', () => {
  const exchanges = [at(1, 503), at(2, 200, 1), at(3, 502), at(4, 'broken', 3), at(5, 200, 3)];
  assert.is(
    reasonInWords(describeOutages(readOutages(exchanges), 5)),
    "2 of 5 answers were a gateway's 502 or 503, the connection broke for 1 of 5 requests, " +
      'from 12:00:01 UTC to 12:00:04 UTC: an outage, not judged',
  );
  assert.is(describeOutages(readOutages(failsEachTime), 5), undefined);
  assert.is(describeOutages(readOutages([at(1, 200)]), 1), undefined);
});

test('a request counts as unanswered if its last repeat got no answer', () => {
  assert.is(countUnanswered([at(1, 'broken'), at(2, 200, 1)]), 0);
  assert.is(countUnanswered([at(1, 'broken'), at(2, 'broken', 1), at(3, 'broken')]), 2);
});

test('where every request recovers, a persistent failure takes the most repeats', () => {
  assert.is(readOutages([at(1, 503), at(2, 200, 1)]).requiredRepeats, 8);
  assert.is(readOutages([at(1, 200)]).requiredRepeats, 3);
});

test.run();
