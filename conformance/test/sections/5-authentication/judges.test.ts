/** §5: which answers to keys fail, which only warn, and which are not judged. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noKey, rateLimitKey } from '../../../http/credentials.ts';
import { findCredential } from '../../../sections/5-authentication/credentials.ts';
import { createPet, createPetFrom, getPet, listPets } from '../../../sections/requests.ts';
import { apiKey, failuresIn, type HandMadeAnswer, heldIn, messageOf } from '../evidence.ts';

const create = createPet({ name: 'Rex', categoryId: 1n });
const credential = (id: string) => findCredential(id, { api: apiKey })!;
const listed: HandMadeAnswer = { request: listPets() };
const accepted: HandMadeAnswer = { request: create, status: 201 };
const refused: HandMadeAnswer = { request: create, status: 401 };
const readRefused: HandMadeAnswer = { request: getPet(7n), status: 401 };
const to = (id: string, status = 200, request = listPets()): HandMadeAnswer => {
  return { request, status, credential: id === 'none' ? noKey : credential(id) };
};
const limits = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '9', 'x-ratelimit-reset': '1' };
const own = Array.from({ length: 5 }, () => ({ ...listed, headers: limits }));
const page = { headers: { 'content-type': 'text/html', server: 'nginx' }, body: '<html>nginx</html>' };

const missing = 'auth-missing-key unexpected-status';
const invalid = 'auth-invalid-key unexpected-status';

type Row = readonly [answers: readonly HandMadeAnswer[], ...failures: string[]];
const rows: Readonly<Record<string, readonly Row[]>> = {
  'a refusal of the key fails if the same operation accepts it before and after, but for its scope, its expiry and a ban':
    [
      [[accepted, refused, accepted], 'auth-valid-key valid-refused'],
      [[listed, refused, listed, refused]],
      [[accepted, listed, refused, { ...listed, status: 401 }]],
      [[refused, accepted]],
      [[accepted, refused]],
      [[{ ...accepted, credential: rateLimitKey('Key-2') }, refused, accepted]],
      [[accepted, { ...listed, status: 429 }, refused, accepted]],
      [[accepted, { ...refused, status: 403 }, accepted]],
      // A key that listPets accepts is none that getPet may call invalid; a key that may not create has a scope.
      [[listed, readRefused, listed], 'auth-valid-key valid-refused'],
      [[listed, readRefused]],
      [[listed, { ...readRefused, status: 403 }, listed]],
      [[listed, refused, listed]],
      [[accepted, readRefused, accepted]],
    ],
  'a request without a key is refused with 401, whatever else is wrong with it': [
    [[to('none', 300)], missing],
    ...[create, createPetFrom('{', 'text/plain'), listPets('limit=0'), getPet(1n)].map(
      (request): Row => [[to('none', 415, request)], missing],
    ),
  ],
  'a router may answer 404 to a petId that is no int64, and other paths are not judged': [
    [[to('none', 404, getPet('abc'))]],
    ...[getPet(1n), listPets()].map((request): Row => [[to('none', 404, request)], missing]),
    [[to('none', 400, getPet('abc'))], missing],
    [[{ request: { operation: 'other', target: '/cats' }, status: 200, credential: noKey }]],
  ],
  'a firewall or a proxy may refuse odd credentials, and a proxy may require its own': [
    ...['sql-quote', 'quoted', 'comma-after', 'very-long'].flatMap((id): readonly Row[] => [
      ...[400, 403, 431].map((status): Row => [[{ ...to(id, status), ...page }]]),
      // An Error and the headers of §8 are the service's own.
      [[to(id, 400)], invalid],
      [[{ ...to(id, 403), headers: limits, body: 'Forbidden' }], invalid],
      [[to(id)], 'auth-invalid-key accepted'],
      [[to(id, 500)], invalid],
    ]),
    ...['word-null', 'word-after', 'last-character-changed'].flatMap((id): readonly Row[] => [
      [[to(id, 403)], invalid],
      [[to(id, 407)]],
    ]),
    [[...own, { ...to('elsewhere', 400), ...page }]],
    [[...own, to('elsewhere', 400)], 'auth-bearer-header unexpected-status'],
    [[...own, { ...to('last-character-changed', 400), ...page }], invalid],
    [[...own, { ...to('none', 400), ...page }], missing],
  ],
  'a gateway may refuse what else is odd before the key is looked at, but no plain request': [
    [[...own, { ...to('none', 403, createPet({ name: '\u0000', categoryId: 1n })), headers: {}, body: 'Forbidden' }]],
    [[...own, { ...to('none', 403, listPets('status=%27')), headers: {}, body: 'Forbidden' }]],
    ...[create, listPets('limit=1'), listPets('limit=0'), getPet(1n), getPet('abc')].map((request): Row => {
      return [[...own, { ...to('none', 403, request), headers: {}, body: 'Forbidden' }], missing];
    }),
  ],
  'a key in another letter case that is accepted only warns, and the case of the scheme is open': [
    [[to('case-exchanged')], 'auth-key-case accepted'],
    [[to('case-exchanged', 403)]],
    ...[200, 401, 400].map((status): Row => [[to('lower-case-bearer', status)]]),
  ],
};

for (const [title, cases] of Object.entries(rows)) {
  test(title, () => {
    for (const [at, [answers, ...failures]] of cases.entries()) {
      const found = failuresIn(answers, /^auth-/).map(({ requirement, failure }) => `${requirement} ${failure.code}`);
      assert.equal(found, failures, `row ${at}`);
    }
  });
}

test('what was accepted or refused rightly is evidence', () => {
  for (const [answer, ...held] of [
    [{ ...refused, status: 404 }, 'auth-valid-key'],
    [{ ...refused, status: 403 }],
    [to('case-exchanged', 401), 'auth-key-case'],
    // A combination without an Authorization header is a request without a key, too.
    [to('elsewhere', 401), 'auth-bearer-header', 'auth-missing-key'],
    [to('basic-user-and-password', 401), 'auth-bearer-header'],
    [to('last-character-changed', 401), 'auth-invalid-key'],
  ] as const)
    assert.equal(heldIn([answer], /^auth-/), held);
});

test('a failure names the credential, and what else is wrong with a request that gets another refusal than 401', () => {
  const without = 'expected 401 for no Authorization header';
  for (const [message, ...answers] of [
    [
      'unexpected-status: expected 401 for the key with another first character, whatever is wrong with its limit, received 400 to credential first-character-changed',
      to('first-character-changed', 400, listPets('limit=0')),
    ],
    [
      `unexpected-status: ${without}, whatever is wrong with its body, received 400 to credential none`,
      to('none', 400, createPetFrom('{')),
    ],
    [`accepted: ${without}, received 201 to credential none`, to('none', 201, createPetFrom('{'))],
    [`unexpected-status: ${without}, received 403 to credential none`, to('none', 403)],
    [
      'accepted: expected 401 for the key in X-API-Key and its like, in cookies and in the query, received 200 to credential elsewhere',
      to('elsewhere'),
    ],
    [
      'valid-refused: expected the API key to be accepted, as before (#1) and after (#3), received 401',
      listed,
      { ...listed, status: 401 },
      listed,
    ],
  ] as readonly (readonly [string, ...HandMadeAnswer[]])[])
    assert.equal(failuresIn(answers, /^auth-/).map(messageOf), [message]);
});

test('a failure names the credential as its input', () => {
  const [wrong] = failuresIn([to('first-character-changed', 400, listPets('limit=0'))], /^auth-/);
  assert.equal(wrong!.failure.input, { name: 'credential', value: 'first-character-changed' });
});

test('after the removal of getPet, its answers to keys are not judged', () => {
  const today = Date.UTC(2031, 0, 1);
  assert.equal(failuresIn([to('none', 200, getPet(1n))], /^auth-/, { today }), []);
  assert.is(failuresIn([to('none')], /^auth-/, { today }).length, 1);
});

test.run();
