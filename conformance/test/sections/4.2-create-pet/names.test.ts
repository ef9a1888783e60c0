/** Names are hard, and do no harm to a shared target. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../../http/exchange.ts';
import { isJsonObject } from '../../../http/json.ts';
import { readRequestJson } from '../../../http/read-request.ts';
import { runInProcess, trialSettings } from '../../../proof/trial.ts';
import { handleOf } from '../../../services/index.ts';
import { refuseBodies, sentPet } from '../../../services/wraps.ts';
import { nameIn } from '../../../verdict/names.ts';
import type { Settings } from '../../../verdict/settings.ts';

async function bodiesOfRun(
  changes: Partial<Settings>,
  isRefused: (name: string) => boolean = () => false,
): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = [];
  const settings = trialSettings(600, { maxCreates: 200, ...changes });
  const wrap = refuseBodies((call) => call.isAuthorized && isRefused(String(sentPet(call)['name'])));
  await runInProcess(handleOf({ id: 'plain', wrap }), settings, { onExchange: (exchange) => exchanges.push(exchange) });
  return exchanges.filter(({ operation }) => operation === 'createPet');
}

function namesIn(exchanges: readonly Exchange[]): readonly string[] {
  return exchanges.flatMap(({ request }) => {
    const reading = readRequestJson(request);
    const name = 'value' in reading && isJsonObject(reading.value) ? reading.value['name'] : undefined;
    return typeof name === 'string' ? [name] : [];
  });
}

const disposable = await bodiesOfRun({});
const seeds = [1, 2, 3] as const;
const shared = await Promise.all(seeds.map((seed) => bodiesOfRun({ isDisposable: false, seed })));
const plainly = await Promise.all(seeds.map((seed) => bodiesOfRun({ isDisposable: false, maxRequests: 1_000, seed })));

test('a shared target receives only plain names of at most 30 characters, with the tag of the run in front', () => {
  for (const exchanges of plainly) {
    const names = namesIn(exchanges);
    assert.ok(names.length > 100);
    for (const name of names) assert.match(name, /^cf-[0-9a-f]{6}-[A-Za-z0-9 -]*$/, JSON.stringify(name));
    for (const name of names) assert.ok(name.length <= 30, name);
  }
});

test('every animal on a shared target has the tag of the run in its name', () => {
  for (const exchanges of shared) {
    const created = namesIn(exchanges.filter(({ response }) => response?.status === 201));
    assert.ok(created.length > 30);
    for (const name of created) assert.ok(nameIn(name, {}), JSON.stringify(name));
  }
});

test('a disposable target receives every kind of hazardous name, and names without a tag', () => {
  const names = namesIn(disposable);
  for (const kind of [/\p{Cs}/u, /\u0000/, /\n/, /\u202e/, /<b>/, /&amp;/, /^.{4000}/su]) {
    assert.ok(
      names.some((name) => kind.test(name)),
      String(kind),
    );
  }
  for (const name of ['0', '']) assert.ok(names.includes(name), name);
  assert.ok(names.some((name) => /^[1-9]\d*$/.test(name)));
  assert.ok(names.some((name) => /^(null|true|false)$/.test(name)));
});

test('a name that a target refuses is sent again by halves, without the other half', async () => {
  const names = namesIn(await bodiesOfRun({ maxRequests: 60 }, (name) => name.includes('<b>')));
  assert.ok(names.some((name) => name.includes('ÄßŒ') && !name.includes('🦄')));
});

test.run();
