/** A run against servers that the kit does not know: what it says, what it spends, what it leaves out. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { manyAnimals } from '../../services/catalogues.ts';
import { categories, names } from '../../services/creations.ts';
import { handleOf } from '../../services/index.ts';
import { failedIn, judged } from './bench.ts';

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
  for (const [service, settings] of [[{}, {}] as const, [names(400, /^Rex$/), { nameTemplate: 'Rex' }] as const]) {
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
