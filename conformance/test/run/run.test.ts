/** A run against servers that the kit does not know: what it says, what it spends, what it leaves out. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { defined } from '../../../spec/defined.ts';
import { trialSettings } from '../../proof/trial.ts';
import { manyAnimals } from '../../services/catalogues.ts';
import { categories, namesMatching } from '../../services/creations.ts';
import { handleOf, services } from '../../services/index.ts';
import { failedIn, judged, runOver } from './bench.ts';

test('a gateway that answers 502 in every fourth place is waited out, and ends the run with 3 where the user allows none', async () => {
  const flaky = services.find(({ id }) => id === 'outage-every-fourth')!;
  for (const [maxOutages, exitCode] of [
    [undefined, 0],
    [0, 3],
  ] as const) {
    const verdictOptions = defined({ requiresAll: false, maxOutages });
    const { report, said } = await judged(flaky, 60, { hasRateLimitKey: false }, { verdictOptions });
    assert.is(report.exitCode, exitCode, said);
    assert.match(report.notes?.join() ?? '', /^\d+ of 60 answers came from a gateway \(502\): not judged\./);
    if (exitCode === 3)
      assert.match(said, /^\d+ of 60 answers came from a gateway or not at all, more than --max-outages 0 al/);
  }
});

test('an error that is none of the target ends no run with a verdict, but is thrown', async () => {
  const breaking = () => Promise.reject(new Error('a mistake of ours'));
  const thrown = await runOver(breaking, trialSettings(60)).catch(({ message }: Error) => message);
  assert.is(thrown, 'a mistake of ours');
});

test('what a header of the user has in common with answers is judged as it came, and shown', async () => {
  // Each would hide a part of every answer.
  const headers = { 'x-gateway-token': 'application', cookie: 'pool=available; code=not_found' };
  const { report, exchanges } = await judged({}, 120, { headers });
  assert.equal([report.exitCode, failedIn(report)], [0, []]);
  assert.ok(exchanges.every(({ response }) => response?.headers['content-type'] === 'application/json'));
});

test('same seed, same requests', async () => {
  const record = async (seed: number): Promise<string> => {
    const { exchanges } = await judged({}, 200, { seed });
    return JSON.stringify(exchanges.map(({ request }) => request));
  };
  assert.is(await record(7), await record(7));
  assert.is.not(await record(7), await record(8));
});

test('budgets are never passed, whatever they are', async () => {
  for (const maxRequests of [1, 2, 5, 19, 61, 150]) {
    for (const maxCreates of [0, 3, 60]) {
      const { report } = await judged({}, maxRequests, { maxCreates });
      assert.ok(report.requests <= maxRequests, `${report.requests} of ${maxRequests}`);
      assert.ok(report.creates <= maxCreates, `${report.creates} of ${maxCreates}`);
      assert.equal(failedIn(report), []);
    }
  }
});

test('what a spent budget kept from being judged names the option that raises it', async () => {
  for (const [maxRequests, maxCreates, words] of [
    [25, 60, 'the budget of 25 requests is spent; raise --max-requests'],
    [60, 1, 'the budget of 1 creations is spent; raise --max-creates'],
  ] as const) {
    const { report } = await judged({}, maxRequests, { maxCreates });
    assert.ok(report.requirements.some((one) => one.verdict === 'inconclusive' && one.reason === words));
  }
});

test('with sixty requests every required requirement is judged, but for exhaustion, where a page can be full', async () => {
  const { report } = await judged({ animals: manyAnimals(30) }, 60, { plan: 'business', hasRateLimitKey: false });
  const open = report.requirements.filter(({ verdict, level }) => level === 'required' && verdict === 'inconclusive');
  assert.equal([report.exitCode, ...open.map(({ id }) => id)], [0]);
});

test('a read-only run creates nothing, sends no POST, and says what it skipped', async () => {
  const { report, exchanges, of } = await judged({ animals: manyAnimals(30) }, 200, { isReadOnly: true });
  assert.ok(exchanges.every(({ request }) => request.method === 'GET'));
  assert.equal([of('create-answer').verdict, of('get-answer').verdict, report.exitCode], ['skipped', 'pass', 0]);
});

test('the animals of earlier runs fail no later run, also with one name for all animals', async () => {
  for (const [service, settings] of [
    [{}, {}] as const,
    [namesMatching(400, /^Rex$/), { nameTemplate: 'Rex' }] as const,
  ]) {
    const handle = handleOf({ id: 'server', ...service });
    for (const [at, runTag] of ['1a2b3c', '2b3c4d', '3c4d5e'].entries()) {
      const changes = { seed: at, hasRateLimitKey: false, ...settings };
      const startsAt = Date.UTC(2026, 10, 21, 12 + at);
      const { report, said } = await judged(handle, 300, changes, { runTag, startsAt });
      assert.equal([report.exitCode, ...failedIn(report)], [0], `${at}: ${said}`);
    }
  }
});

test('when the plain example is refused, the run cannot judge and names the flag', async () => {
  const seven = categories(400, 7n);
  const { report, said } = await judged(seven, 300);
  assert.is(report.exitCode, 3);
  assert.match(said, /--category-id/);
  assert.is((await judged(seven, 300, { categoryIds: [7n] })).report.exitCode, 0);
});

test.run();
