/** Long traffic: it is judged in windows, and its report is of bounded size. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalOfGetPet } from '../../../spec/facts.ts';
import { dayMs } from '../../http/tolerances.ts';
import { trialSettings } from '../../proof/trial.ts';
import { viewOf } from '../../reporters/view.ts';
import { conformanceSuite } from '../../sections/index.ts';
import type { Observer } from '../../sections/judge.ts';
import { placesOf } from '../../traffic/captured-exchange.ts';
import { createTrafficRecorder } from '../../traffic/recorder.ts';
import { createTrafficJudge, windowSize } from '../../traffic/traffic-judge.ts';
import type { Report } from '../../verdict/report.ts';
import { exchangeOf } from '../run/hand-made.ts';
import { seen } from '../seen.ts';
import { creates, createsBoth, errorOf, failures, judge, mia, options, rex } from './judge.ts';

test('each exchange of long traffic is counted once, and each failure names its exchange', () => {
  const count = 2 * windowSize + 10;
  const wrong = { ...rex, id: 'one' };
  const traffic = Array.from({ length: count }, (_nothing, at) =>
    seen(at, 'GET /pets', 200, at % 100 === 0 ? [wrong] : []),
  );
  const report = judge(traffic);
  const ids = report.requirements.find(({ id }) => id === 'pet-id')!;
  assert.equal(
    [ids.evidence, ids.failures.length, ids.reason],
    [6, 5, '1 more failure of the same kinds, left out of the report'],
  );
  assert.is(report.requirements.find(({ id }) => id === 'list-answer')?.evidence, count);
  assert.is(report.requests, count);
});

test('traffic that goes on until getPet is removed is judged up to then', () => {
  const failuresAt = (startedAt: number) =>
    failures([creates(0), seen(1, 'GET /pets/1', 410, errorOf(410), { startedAt, endedAt: startedAt + 1 })]).filter(
      (failure) => failure.startsWith('get-until-removal'),
    );
  assert.equal(failuresAt(removalOfGetPet - dayMs), ['get-until-removal removed-early']);
  assert.equal(failuresAt(removalOfGetPet), []);
});

test('a report holds exchanges up to a limit and those that failures cite, and says how many it lacks', () => {
  const settings = trialSettings(0, { baseUrl: 'http://in-process/v1' });
  const conclude = (count: number): Report => {
    const recorder = createTrafficRecorder(options);
    const judging = createTrafficJudge({
      suite: conformanceSuite,
      settings,
      verdictOptions: { requiresAll: false },
      scope: 'all',
      mostExchanges: 5,
    });
    const traffic = Array.from({ length: count }, (_nothing, at) =>
      seen(at, 'GET /pets', 200, at === 7 ? [{ ...rex, id: 'one' }] : []),
    );
    for (const [at, place] of placesOf(traffic).entries()) judging.add(recorder.record(traffic[at]!, place));
    return judging.conclude();
  };
  const numbers = ({ exchanges }: Report): readonly number[] => exchanges.map(({ number }) => number);
  const [few, many] = [conclude(5), conclude(20)];
  assert.equal([numbers(few), few.timeline.length, few.omittedExchanges], [[1, 2, 3, 4, 5], 5, undefined]);
  assert.ok(numbers(many).includes(8));
  assert.is(many.timeline.length + many.omittedExchanges!, 20);
  assert.match(viewOf(many).effort, `${many.omittedExchanges} of them are judged, but not in the report.`);
});

test('a failure that spans two windows is found', () => {
  const listings = Array.from({ length: windowSize - 1 }, (_nothing, at) =>
    seen(at + 2, 'GET /pets?limit=1', 200, [mia]),
  );
  const read = seen(windowSize + 5, 'GET /pets', 200, [mia, { ...rex, name: 'Max' }]);
  assert.ok(failures([...createsBoth(1), ...listings, read]).includes('pet-name-kept name-changed'));
});

test('the first failure of each kind is reported as soon as it is judged', () => {
  const reported: string[] = [];
  const recorder = createTrafficRecorder(options);
  const judging = createTrafficJudge({
    suite: conformanceSuite,
    settings: trialSettings(0, { baseUrl: 'http://in-process/v1' }),
    verdictOptions: { requiresAll: false },
    scope: 'failures',
    onFailure: ({ requirement }) => reported.push(requirement),
  });
  const wrong = [1, 2, 3].map((at) => seen(at, 'GET /pets', 200, [{ ...rex, id: 'one' }]));
  for (const [at, place] of placesOf(wrong).entries()) {
    judging.add(recorder.record(wrong[at]!, place));
    judging.judge();
  }
  assert.equal(reported, ['pet-id']);
  assert.equal(
    judging.conclude().exchanges.map(({ number }) => number),
    [1, 2, 3],
  );
});

test('the answers that windows observe are put together, with the example of the first', () => {
  const answers = [['oldest-first'], ['shuffled', 'oldest-first']] as const;
  let window = 0;
  const observer: Observer = {
    gap: 'list-order',
    observe: ({ exchanges }) => ({ answers: answers[window]!, exchange: exchanges.at(-1)! }),
  };
  const judging = createTrafficJudge({
    suite: { ...conformanceSuite, judges: [], observers: [observer] },
    settings: trialSettings(0, { baseUrl: 'http://in-process/v1' }),
    verdictOptions: { requiresAll: false },
  });
  for (const number of [1, 2]) {
    judging.add({ exchange: exchangeOf(number) });
    judging.judge();
    window += 1;
  }
  const order = judging.conclude().gaps.find(({ id }) => id === 'list-order');
  assert.equal([order?.observed, order?.example], [['oldest-first', 'shuffled'], 1]);
});

test('of two equal requests that overlap, neither repeats the other', () => {
  const lost = { ...seen(1, 'GET /pets', 503, errorOf(503)) };
  const recorder = createTrafficRecorder(options);
  const record = (number: number, sent: number, answered: number) =>
    recorder.record(lost, { number, sent, answered }).exchange.repeats;
  assert.equal([record(2, 2, 3), record(1, 1, 4), record(3, 5, 6)], [undefined, undefined, 1]);
});

test('a report holds exchanges until their texts take sixteen mebibytes', () => {
  const judging = createTrafficJudge({
    suite: { ...conformanceSuite, judges: [], observers: [] },
    settings: trialSettings(0, { baseUrl: 'http://in-process/v1' }),
    verdictOptions: { requiresAll: false },
    scope: 'all',
  });
  const body = ' '.repeat(9 * 1024 * 1024);
  for (const number of [1, 2, 3]) {
    judging.add({ exchange: exchangeOf(number, { response: { status: 404, headers: {}, body } }) });
  }
  const { exchanges, omittedExchanges } = judging.conclude();
  assert.equal([exchanges.length, omittedExchanges], [2, 1]);
});

test.run();
