/** The creations and the invalid bodies of a run: hard for a disposable target, harmless for a shared one, split when refused. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../../http/exchange.ts';
import { isJsonObject } from '../../../http/json.ts';
import { readNewPet, readRequestJson, type SentPet } from '../../../http/read-request.ts';
import { manyAnimals } from '../../../services/catalogues.ts';
import { acceptingPets, categories, namesMatching } from '../../../services/creations.ts';
import { findService } from '../../../services/index.ts';
import type { Service } from '../../../services/service.ts';
import { nameIn } from '../../../world/names.ts';
import type { Settings } from '../../../world/settings.ts';
import { judged } from '../../run/bench.ts';

/** The creations with the valid key. */
async function creationsOf(variant: Partial<Service>, changes: Partial<Settings> = {}): Promise<readonly Exchange[]> {
  const { exchanges } = await judged(variant, 300, changes);
  return exchanges.filter(
    ({ operation, credential }) => operation === 'createPet' && credential.id === exchanges[0]!.credential.id,
  );
}

const isCreated = ({ response }: Exchange): boolean => response?.status === 201;

function petsIn(exchanges: readonly Exchange[]): readonly SentPet[] {
  return exchanges.flatMap((exchange) => {
    const reading = readNewPet(exchange);
    return reading.kind === 'invalid' || reading.pet === undefined ? [] : [reading.pet];
  });
}

function namesIn(exchanges: readonly Exchange[]): readonly string[] {
  return exchanges.flatMap(({ request }) => {
    const reading = readRequestJson(request);
    const name = 'value' in reading && isJsonObject(reading.value) ? reading.value['name'] : undefined;
    return typeof name === 'string' ? [name] : [];
  });
}

test('a shared target receives only plain names with the tag of the run in front', async () => {
  const exchanges = await creationsOf({}, { isDisposable: false });
  const all = namesIn(exchanges);
  assert.ok(all.length > 60, String(all.length));
  for (const name of all) assert.match(name, /^CF[a-p]{6}[a-z]{3}[A-Za-z0-9 -]{0,20}$/, JSON.stringify(name));
  for (const name of namesIn(exchanges.filter(isCreated))) assert.ok(nameIn(name, {}), JSON.stringify(name));
});

test('a body that is not UTF-8 counts as a creation, since a service may accept it', async () => {
  const accepting = findService('no-halves-of-characters');
  const creations = (await creationsOf(accepting, { maxRequests: 1_000, maxCreates: 100 })).filter(isCreated);
  assert.ok(creations.some(({ request }) => !request.body?.isWellFormed()));
  assert.ok(creations.length <= 100, String(creations.length));
});

test('three animals are created concurrently whatever the setting', async () => {
  const [one, two, three] = (await creationsOf({})).filter(({ check }) => check === 'side-by-side');
  assert.ok(three!.sent < one!.answered && two!.sent < one!.answered);
});

test('if hard names and unknown categories are refused, plainer ones follow at once and later alone', async () => {
  const known = acceptingPets(404, ({ name, categoryId }) => /^[A-Za-z]+$/.test(name) && [1n, 2n].includes(categoryId));
  const creations = await creationsOf(known);
  assert.ok(creations.slice(0, 12).filter(isCreated).length >= 3);
  const plain = petsIn(creations.filter(isCreated)).filter(({ name }) => /^CF[a-z]{8,9}$/.test(name));
  assert.ok(plain.length > 20, String(plain.length));
});

test('a target that refuses one part of names gets the other parts', async () => {
  const all = namesIn(await creationsOf(acceptingPets(400, ({ name }) => !name.includes('<b>'))));
  assert.ok(all.some((name) => name.includes('ÄßŒ') && !name.includes('🦄')));
});

test('only known categories are used: all that the user names, or that of a listed animal', async () => {
  const used = async (variant: Partial<Service>, changes?: Partial<Settings>): Promise<readonly bigint[]> => {
    const accepted = petsIn((await creationsOf(variant, changes)).filter(isCreated));
    assert.ok(accepted.length > 10);
    return [...new Set(accepted.map(({ categoryId }) => categoryId))].sort();
  };
  const named = { categoryIds: [70n, 71n, 72n] };
  assert.equal(await used(categories(409, 70n, 71n, 72n), named), [70n, 71n, 72n]);
  const animals = manyAnimals(30).map((animal) => ({ ...animal, categoryId: 7n }));
  assert.equal(await used({ ...categories(400, 7n), animals }), [7n]);
});

test('if nothing is accepted, or the store is full, the run stops trying', async () => {
  const none = petsIn(await creationsOf(namesMatching(409, /^$/)));
  assert.ok(none.length <= 20, String(none.length));
  for (const concurrency of [1, 4]) {
    const { exchanges } = await judged(findService('quota-of-25-creations'), 300, { concurrency });
    const refused = petsIn(exchanges.filter((one) => one.operation === 'createPet' && !isCreated(one)));
    assert.ok(refused.length > 0 && refused.length < 90, String(refused.length));
  }
});

test.run();
