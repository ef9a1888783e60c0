/** What each judge says of hand-made answers: a row is `answers → codes`, and what one answer cannot prove is a claim. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noKey, type SentCredential } from '../../http/credentials.ts';
import { trialSettings } from '../../proof/trial.ts';
import { findCredential } from '../../sections/5-authentication/credentials.ts';
import { claimsIn, conformanceSuite } from '../../sections/index.ts';
import { createPet, createPetFrom, getPet, listPets } from '../../world/requests.ts';
import { readWorld } from '../../world/world.ts';
import { apiKey, exchangesOf, failuresIn, type HandMadeAnswer } from './evidence.ts';

type Fields = Readonly<Record<string, unknown>>;

const animal = (id: number, fields: Fields = {}) => ({
  id,
  name: `cf-abc123-0${id}`,
  categoryId: 1,
  status: 'sold',
  ...fields,
});

/** A creation that is answered with this animal. */
function post(id: number, returned: Fields = {}, credential?: SentCredential): HandMadeAnswer {
  const request = createPet({ name: `cf-abc123-0${id}`, categoryId: 1n, status: 'sold' }, credential);
  return { request, status: 201, body: JSON.stringify(animal(id, returned)) };
}

const page = (query: string, ...animals: readonly unknown[]): HandMadeAnswer => ({
  request: listPets(query),
  body: JSON.stringify(animals),
});
const found = (id: number, fields: Fields = {}): HandMadeAnswer => ({
  request: getPet(BigInt(id)),
  body: JSON.stringify(animal(id, fields)),
});
const read = (id: bigint | string, status: number): HandMadeAnswer => ({ request: getPet(id), status });
const sent = (body: string, status: number): HandMadeAnswer => ({ request: createPetFrom(body), status });
const many = (count: number, from = 1) => Array.from({ length: count }, (_nothing, at) => animal(from + at));
const withKey = (id: string): SentCredential => findCredential(id, { api: apiKey })!;
const listed = (credential: SentCredential, status = 200): HandMadeAnswer => ({
  request: listPets('', credential),
  status,
});

type Rows = Readonly<Record<string, readonly [answers: readonly HandMadeAnswer[], codes: readonly string[]]>>;

const unknownId = 2n ** 61n + 8_191n;

const sections: Readonly<Record<string, readonly [requirements: RegExp, rows: Rows]>> = {
  '§2': [
    /^pet-/,
    {
      'an animal as it was sent': [[post(1), found(1)], []],
      'an id as text': [[post(1), page('', animal(1, { id: '1' }))], ['pet-id id-wrong']],
      'a name changed in the 201': [[post(1, { name: 'pet 1' })], ['pet-name-kept name-changed']],
      'a name changed later, beside an animal that stays': [
        [post(1), post(2), page('', animal(1), animal(2, { name: 'pet 2' }))],
        ['pet-name-kept name-changed'],
      ],
      'a name changed later, with nothing that stays: another animal may have the id': [
        [post(1), found(1, { name: 'Max' })],
        [],
      ],
      'a category changed in the 201': [[post(1, { categoryId: 2 })], ['pet-category-id-kept categoryId-changed']],
      'another status in the 201': [[post(1, { status: 'pending' })], ['pet-status-kept status-changed']],
      'another status at the first read': [
        [post(1), found(1, { status: 'pending' })],
        ['pet-status-kept status-changed'],
      ],
      'another status later, which is a transition': [[post(1), found(1), found(1, { status: 'pending' })], []],
      'another status after the settle time': [[post(1), { ...found(1, { status: 'pending' }), seconds: 60 }], []],
      'an id twice in a page': [[page('', animal(1), animal(1))], ['pet-id-unique id-twice-in-page']],
      'an id that is given again and again': [
        [post(1), post(1), post(1)],
        ['pet-id-unique id-assigned-twice', 'pet-id-unique id-assigned-twice'],
      ],
    },
  ],
  '§4.1': [
    /^list-/,
    {
      'an array of animals': [[page('', animal(1))], []],
      'an object': [[{ request: listPets(), body: '{}' }], ['list-answer not-an-array']],
      'no animal in the array': [[page('', 7)], ['list-answer not-an-animal']],
      'a 404': [[{ request: listPets(), status: 404 }], ['list-answer unexpected-status']],
      'a 404 to a limit that is not allowed': [[{ request: listPets('limit=0'), status: 404 }], []],
      'more than the limit': [[page('limit=2', ...many(3))], ['list-limit too-many']],
      'more than twenty without a limit': [[page('', ...many(21))], ['list-limit-default too-many']],
      'more than a hundred for a limit of 1,000': [
        [page('limit=1000', ...many(101))],
        ['list-limit too-many', 'list-limit-refused not-refused'],
      ],
      'another status than was asked for': [[page('status=pending', animal(1))], ['list-status-filter other-status']],
      'a limit that is not allowed and taken': [[page('limit=0')], ['list-limit-refused not-refused']],
      'a status that is not allowed and taken': [[page('status=lost')], ['list-status-refused not-refused']],
      'a page that lacks an animal, which is a claim': [[post(1), page('limit=100')], []],
    },
  ],
  '§4.2': [
    /^create-/,
    {
      'a creation': [[post(1)], []],
      'a 200 to a creation': [[{ ...post(1), status: 200 }], ['create-answer unexpected-status']],
      'no animal in the 201': [[{ ...post(1), body: '[]' }], ['create-answer not-an-animal']],
      'no name, refused with 400': [[sent('{"categoryId":1}', 400)], []],
      'no name, accepted': [[sent('{"categoryId":1}', 201)], ['create-required-fields accepted']],
      'no category, answered with 404': [
        [post(1), sent('{"name":"cf-abc123-02"}', 404)],
        ['create-required-fields unexpected-status'],
      ],
      'no category, answered with 500': [
        [sent('{"name":"cf-abc123-02"}', 500)],
        ['create-required-fields unexpected-status'],
      ],
      'a name that is a number, accepted': [
        [sent('{"name":7,"categoryId":1}', 201)],
        ['create-invalid-values accepted'],
      ],
      'an unknown status, accepted': [
        [sent('{"name":"cf-abc123-02","categoryId":1,"status":"lost"}', 201)],
        ['create-invalid-values accepted'],
      ],
      'broken JSON, answered with 500': [[sent('{"name":', 500)], ['create-malformed-body unexpected-status']],
      'an unknown field, refused': [[sent('{"name":"cf-abc123-02","categoryId":1,"colour":"brown"}', 422)], []],
    },
  ],
  '§4.3': [
    /^get-/,
    {
      'an animal': [[post(1), found(1)], []],
      'another animal': [[post(1), { ...found(2), request: getPet(1n) }], ['get-answer another-animal']],
      'no animal': [[post(1), { request: getPet(1n), body: '[]' }], ['get-answer not-an-animal']],
      'a 400 for a known animal': [[post(1), read(1n, 400)], ['get-answer unexpected-status']],
      'a 404 for a known animal, which is a claim': [[post(1), read(1n, 404)], []],
      'a 404 for an unknown id': [[read(unknownId, 404)], []],
      'a 400 for an unknown id': [[read(unknownId, 400)], ['get-not-found unexpected-status']],
      'a 200 for a petId that is no int64': [[{ request: getPet('abc'), body: '[]' }], ['get-id-not-int64 found']],
      'a 400 for a petId that is no int64': [[read('abc', 400)], []],
      'a 410 for a known animal (§9)': [[post(1), read(1n, 410)], ['get-until-removal removed-early']],
    },
  ],
  '§5': [
    /^auth-/,
    {
      'no key, 401': [[listed(noKey, 401)], []],
      'no key, 200': [[listed(noKey)], ['auth-missing-key accepted']],
      'no key, 403': [[listed(noKey, 403)], ['auth-missing-key unexpected-status']],
      'the key without its last character, 200': [
        [listed(withKey('last-character-missing'))],
        ['auth-invalid-key accepted'],
      ],
      'the key in X-API-Key, 200': [[listed(withKey('in-header-x-api-key'))], ['auth-bearer-header accepted']],
      'the key in another letter case, 200': [[listed(withKey('case-exchanged'))], ['auth-key-case accepted']],
      'bearer in lower case, either way': [
        [listed(withKey('lower-case-bearer')), listed(withKey('lower-case-bearer'), 401)],
        [],
      ],
      'an attack that a firewall refuses': [[listed(withKey('sql-quote'), 403)], []],
      'the credentials of a proxy': [[listed(noKey, 407)], []],
      'the key refused between two accepted requests': [
        [page(''), { request: listPets(), status: 401 }, page('')],
        ['auth-valid-key valid-refused'],
      ],
      'the key refused from then on: it may have expired': [[page(''), { request: listPets(), status: 401 }], []],
      'a missing key at a petId that is no int64: a router may answer 404': [
        [{ request: getPet('abc', noKey), status: 404 }],
        [],
      ],
    },
  ],
};

for (const [section, [requirements, rows]] of Object.entries(sections))
  for (const [what, [answers, codes]] of Object.entries(rows))
    test(`${section}: ${what}`, () => {
      const failing = failuresIn(answers, requirements);
      assert.equal(
        failing.map(({ requirement, failure }) => `${requirement} ${failure.code}`),
        codes,
      );
    });

/** What a run would ask again, as `question: code`. */
function claimsOf(answers: readonly HandMadeAnswer[]): readonly string[] {
  const world = readWorld(exchangesOf(answers), trialSettings(60));
  return claimsIn(world, conformanceSuite).map(({ key }) => key);
}

const whole = 'list-complete /pets?limit=100';
const several = [1, 2, 3, 4].map((id) => post(id));

const suspicions: Rows = {
  'an empty page lacks an animal': [[post(1), page('limit=100')], [whole]],
  'a page shows the animal': [[post(1), page('limit=100', animal(1))], []],
  'the last page of a query shows it': [[post(1), page('limit=100'), page('limit=100', animal(1))], []],
  'a full page proves no room': [[post(1), page('limit=2', ...many(2, 7))], []],
  'a page with room, which a proof of growth has to show': [[post(1), page('limit=100', animal(7))], [whole]],
  'the page kept its length while four animals came: a cap': [
    [page('limit=100', ...many(2, 7)), page('limit=50', ...many(3, 7)), ...several, page('limit=100', ...many(2, 7))],
    [],
  ],
  'a filter finds nothing': [
    [post(1), page('limit=100', animal(1)), page('limit=100&status=sold')],
    ['list-complete /pets?limit=100&status=sold'],
  ],
  'a filter may be applied after a full page': [[post(1), page('limit=1', animal(7)), page('limit=1&status=sold')], []],
  'an animal of another status': [[post(1), page('limit=100', animal(1)), page('limit=100&status=pending')], []],
  'the last read of an animal answers 404': [[post(1), found(1), read(1n, 404)], ['get-answer 1']],
  'a 404 that seven later reads refute': [[post(1), read(1n, 404), ...Array.from({ length: 7 }, () => found(1))], []],
  'a page without limit is shorter than one of 20': [
    [page('', ...many(10)), page('limit=20', ...many(15))],
    ['list-limit-default /pets'],
  ],
  'a page without limit is as long as one of 20': [[page('', ...many(15)), page('limit=20', ...many(15))], []],
};

for (const [what, [answers, keys]] of Object.entries(suspicions))
  test(`${what}: ${keys.length === 0 ? 'no claim' : 'a claim'}`, () =>
    assert.equal(
      claimsOf(answers).filter((key) => !key.startsWith('create-')),
      keys,
    ));

test.run();
