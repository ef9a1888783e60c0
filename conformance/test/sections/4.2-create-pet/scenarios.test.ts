/** The bodies that a run sends to create animals, and the invalid ones. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../../http/exchange.ts';
import { readNewPet, type SentPet } from '../../../http/read-request.ts';
import { runInProcess, trialSettings } from '../../../proof/trial.ts';
import { categories, names, roomFor } from '../../../services/creations.ts';
import { handleOf, services } from '../../../services/index.ts';
import { manyAnimals } from '../../../services/other-clients.ts';
import type { Service } from '../../../services/service.ts';
import type { Wrap } from '../../../services/wraps.ts';
import { keysOfTrials } from '../../../services/wraps.ts';
import type { Settings } from '../../../verdict/settings.ts';

async function exchangesOf(variant: Partial<Service>, changes: Partial<Settings> = {}): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = [];
  await runInProcess(handleOf({ id: 'server', ...variant }), trialSettings(300, changes), {
    onExchange: (exchange) => exchanges.push(exchange),
  });
  return exchanges;
}

async function creationsOf(variant: Partial<Service>, changes: Partial<Settings> = {}): Promise<readonly Exchange[]> {
  const exchanges = await exchangesOf(variant, changes);
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

const kindsOfInvalid = ['missing-fields', 'wrong-values', 'malformed-bodies'];

test('every body that is sent as invalid is invalid, and all differ', async () => {
  for (const seed of [1, 2, 3]) {
    const sent = (await creationsOf({}, { seed, maxRequests: 1_000, maxCreates: 400 })).filter(({ check }) =>
      kindsOfInvalid.includes(check),
    );
    assert.ok(sent.length > 150);
    // A failing status is confirmed by a valid body; none is here.
    for (const exchange of sent) assert.is(readNewPet(exchange).kind, 'invalid', exchange.request.body);
    assert.is(new Set(sent.map(({ request }) => request.target + request.body)).size, sent.length);
  }
});

test('what creates nothing goes on where the creations are spent', async () => {
  const sent = await exchangesOf({}, { maxRequests: 1_000, maxCreates: 40 });
  assert.ok(sent.filter(({ check }) => check === 'wrong-queries').length > 60);
  assert.ok(sent.filter(({ check }) => check === 'wrong-values').length > 60);
});

test('a body that is not UTF-8 counts as a creation, since a service may accept it', async () => {
  const accepting: Service = services.find(({ id }) => id === 'no-halves-of-characters')!;
  const createdWith = async (maxRequests: number, maxCreates: number): Promise<readonly Exchange[]> =>
    (await exchangesOf(accepting, { maxRequests, maxCreates })).filter(isCreated);
  assert.ok((await createdWith(1_000, 200)).some(({ request }) => !request.body?.isWellFormed()));
  const few = await createdWith(300, 60);
  assert.ok(few.length <= 60, `${few.length}`);
});

test('the likeliest mistakes come within twenty and within sixty requests', async () => {
  const bodiesIn = async (maxRequests: number): Promise<readonly string[]> =>
    (await creationsOf({}, { maxRequests, hasRateLimitKey: false })).map(({ request }) => request.body ?? '');
  const [twenty, sixty] = [await bodiesIn(20), await bodiesIn(60)];
  const isIn = (bodies: readonly string[]) => (mistake: RegExp) => bodies.some((body) => mistake.test(body));
  for (const mistake of [/^\{"categoryId":\d+,"status":"sold"\}$/, /^\{"name":"[^"]+"\}$/, /"categoryId":"\d+"/]) {
    assert.ok(isIn(twenty)(mistake), String(mistake));
  }
  for (const mistake of [/^\{\}$/, /^"x"$/, /^null$/, /^\[/, /,\}$/, /"Sold"/, /"status":""/, /"categoryId":\{\}/]) {
    assert.ok(isIn(sixty)(mistake), String(mistake));
  }
});

test('the first animals carry other statuses and none, the largest int64 and one beyond a double', async () => {
  const first = petsIn((await creationsOf({})).filter(({ check }) => check === 'creations')).slice(0, 3);
  assert.equal(
    first.map(({ status, categoryId }) => [status, categoryId]),
    [
      ['pending', 2n ** 53n + 1n],
      ['available', 2n ** 63n - 1n],
      [undefined, 1n],
    ],
  );
});

test('if hard names and unknown categories are refused, plainer ones follow at once and later alone', async () => {
  const wrap: Wrap = (handle) => names(422, /^[A-Za-z]+$/)(categories(404, 1n, 2n)(handle, keysOfTrials), keysOfTrials);
  const creations = await creationsOf({ wrap });
  const first = creations.slice(0, 12);
  assert.ok(first.filter(isCreated).length >= 3);
  const plain = petsIn(creations.filter(isCreated)).filter(({ name }) => /^Cf[a-z]{8,9}$/.test(name));
  assert.ok(plain.length > 20, String(plain.length));
});

test('if names that resemble another type are refused, no more of them are sent', async () => {
  const creations = await creationsOf({ wrap: names(422, /cf-/i) });
  const odd = petsIn(creations).filter(({ name }) => name !== '' && !/cf-/i.test(String(name)));
  assert.ok(odd.length > 0 && odd.length <= 6, String(odd.length));
});

test('if only known categories are accepted, all that the user names are used', async () => {
  const wrap = categories(409, 70n, 71n, 72n);
  const used = new Set(
    petsIn((await creationsOf({ wrap }, { categoryIds: [70n, 71n, 72n] })).filter(isCreated)).map(
      ({ categoryId }) => categoryId,
    ),
  );
  assert.equal([...used].sort(), [70n, 71n, 72n]);
});

test('if the user names no category, that of a listed animal is used', async () => {
  const wrap = categories(400, 7n);
  const animals = manyAnimals(30).map((animal) => ({ ...animal, categoryId: 7n }));
  const pets = petsIn((await creationsOf({ wrap, animals })).filter(isCreated));
  assert.ok(pets.length > 10);
  for (const { categoryId } of pets) assert.is(categoryId, 7n);
});

test('if nothing is accepted, the run stops trying', async () => {
  const creations = await creationsOf({ wrap: names(409, /^$/) });
  assert.ok(petsIn(creations).length <= 20, String(petsIn(creations).length));
});

test('if the store is full, each further animal costs no more than its refusal and a plainer one', async () => {
  for (const concurrency of [1, 4]) {
    const exchanges = await exchangesOf({ wrap: roomFor(18) }, { concurrency });
    const refused = petsIn(exchanges.filter((one) => one.operation === 'createPet' && !isCreated(one)));
    assert.ok(refused.length > 0 && refused.length < 90, String(refused.length));
  }
});

test('a refused status is sent twice, between accepted creations', async () => {
  const wrap: Wrap = (handle) => (request, now) => {
    const isSold = new TextDecoder().decode(request.body).includes('"sold"');
    return handle(isSold ? { ...request, body: new TextEncoder().encode('{}') } : request, now);
  };
  const plain = (await creationsOf({ wrap })).filter(({ check }) => check === 'creations');
  const at = plain.findIndex(
    (exchange, place) =>
      petsIn([exchange])[0]?.status === 'sold' && petsIn([plain[place + 1]!])[0]?.status === undefined,
  );
  assert.equal(
    plain.slice(at, at + 4).map((exchange) => [petsIn([exchange])[0]?.status, isCreated(exchange)]),
    [
      ['sold', false],
      [undefined, true],
      ['sold', false],
      [undefined, true],
    ],
  );
});

test('three animals are created concurrently whatever the setting, and creations carry client ids, drawn and in use', async () => {
  const creations = await creationsOf({});
  const [one, two, three] = creations.filter(({ check }) => check === 'side-by-side');
  assert.ok(three!.sent < one!.answered && two!.sent < one!.answered);
  const ids = creations.flatMap(({ request }) => /"id":(\d+)/.exec(request.body ?? '')?.[1] ?? []).map(BigInt);
  assert.ok(ids.some((id) => id > 2n ** 61n));
  assert.ok(ids.some((id) => id < 100n));
});

test.run();
