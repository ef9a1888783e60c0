/** §5: which answers to keys fail, which only warn, and which are not judged. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requirements } from '../../../../spec/requirements.ts';
import { noKey, type SentCredential } from '../../../http/credentials.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { runInProcess, trialSettings } from '../../../proof/trial.ts';
import { findCredential } from '../../../sections/5-authentication/credentials.ts';
import { credentialQueue } from '../../../sections/5-authentication/refusals.ts';
import { createPet, createPetFrom, getPet, listPets } from '../../../sections/requests.ts';
import { handleOf } from '../../../services/index.ts';
import {
  changeAnswer,
  changeRequest,
  errorAnswer,
  apiKey as faultKey,
  keysOfTrials,
  requestHeader,
  sentBody,
  withKey,
} from '../../../services/wraps.ts';
import { sentenceOf } from '../../../verdict/failure.ts';
import { apiKey, failuresIn, type HandMadeAnswer, heldIn } from '../evidence.ts';

const create = createPet({ name: 'Rex', categoryId: 1n });

function credential(id: string): SentCredential {
  return findCredential(id, { api: apiKey })!;
}

/** The requirements of §5 that fail. */
function failing(...answers: readonly HandMadeAnswer[]): readonly string[] {
  return failuresIn(answers, /^auth-/).map(({ requirement, failure }) => `${requirement} ${failure.code}`);
}

const accepted: HandMadeAnswer = { request: create, status: 201 };
const refused: HandMadeAnswer = { request: create, status: 401 };

test('a refusal of the key fails if the same operation accepts it before and after', () => {
  const [failure, ...others] = failuresIn([accepted, refused, accepted], /^auth-/);
  assert.equal([failure?.requirement, others], ['auth-valid-key', []]);
  assert.equal(
    failure?.exchanges.map(({ number }) => number),
    [1, 2, 3],
  );
  assert.match(sentenceOf(failure!.failure), 'as before (#1) and after (#3), received 401');
});

test('the scope of a key, its expiry and a ban explain a refusal', () => {
  const listed: HandMadeAnswer = { request: listPets() };
  assert.equal(failing(listed, refused, listed, refused), []);
  assert.equal(failing(accepted, listed, refused, { ...listed, status: 401 }), []);
  assert.equal(failing(refused, accepted), []);
  assert.equal(failing(accepted, { request: listPets(), status: 429 }, refused, accepted), []);
  assert.equal(failing(accepted, { ...refused, status: 403 }, accepted), []);
  assert.equal(heldIn([{ ...refused, status: 403 }], /^auth-valid-key$/), []);
  assert.equal(heldIn([{ ...refused, status: 404 }], /^auth-valid-key$/), ['auth-valid-key']);
});

test('a key after two spaces may be accepted or refused, and must not make the service fail', () => {
  const request = listPets('limit=1', credential('two-spaces'));
  for (const status of [200, 401, 400])
    assert.equal(failuresIn([{ request, status }], /^(auth|list|errors)-/), [], String(status));
  assert.equal(
    failuresIn([{ request, status: 500 }], /^(auth|list|errors)-/).map(({ requirement }) => requirement),
    ['errors-listed'],
  );
});

test('a request without a key is refused with 401, whatever else is wrong with it', () => {
  for (const request of [create, createPetFrom('{', undefined, 'text/plain'), listPets('limit=0'), getPet(1n)]) {
    for (const status of [200, 400, 403, 404, 415]) {
      assert.equal(failing({ request, status, credential: noKey }).length, 1, `${request.target} ${status}`);
    }
    assert.equal(failing({ request, status: 401, credential: noKey }), []);
  }
  assert.equal(failing({ request: listPets(), credential: noKey }), ['auth-missing-key accepted']);
  assert.equal(failing({ request: listPets(), status: 403, credential: noKey }), [
    'auth-missing-key unexpected-status',
  ]);
});

test('a router may answer 404 to a petId that is no int64, and other paths are not judged', () => {
  assert.equal(failing({ request: getPet('abc'), status: 404, credential: noKey }), []);
  assert.equal(failing({ request: getPet('abc'), status: 400, credential: noKey }).length, 1);
  assert.equal(failing({ request: { operation: 'other', target: '/cats' }, status: 200, credential: noKey }), []);
});

test('a firewall or a proxy may refuse odd credentials, and a proxy may require its own', () => {
  const answered = (id: string, status: number): readonly string[] =>
    failing({ request: listPets(), status, credential: credential(id) });
  for (const id of ['sql-quote', 'quoted', 'comma-after', 'very-long', 'one-escape']) {
    for (const status of [400, 403, 431]) assert.equal(answered(id, status), [], `${id} ${status}`);
    assert.equal(answered(id, 200), ['auth-invalid-key accepted'], id);
  }
  for (const id of ['word-null', 'dot-after', 'last-character-changed']) {
    assert.equal(answered(id, 403), ['auth-invalid-key unexpected-status'], id);
    assert.equal(answered(id, 407), [], id);
  }
});

test('a proxy may refuse odd credentials, and no plain one', () => {
  const limits = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '9', 'x-ratelimit-reset': '1' };
  const own = Array.from({ length: 5 }, () => ({ request: listPets(), headers: limits }));
  const page = { status: 400, headers: { 'content-type': 'text/html', server: 'nginx' }, body: '<html>nginx</html>' };
  const refusedFor = (id: string): readonly string[] =>
    failing(...own, { request: listPets(), credential: credential(id), ...page });
  assert.equal(refusedFor('elsewhere'), []);
  assert.equal(refusedFor('last-character-changed'), ['auth-invalid-key unexpected-status']);
  assert.equal(refusedFor('none'), ['auth-missing-key unexpected-status']);
});

test('a gateway may refuse what else is odd before the key is looked at, but no plain request', () => {
  const headers = { 'x-ratelimit-limit': '60' };
  const service = Array.from({ length: 20 }, () => ({ request: listPets(), headers }));
  const page = { status: 403, headers: {}, body: 'Forbidden', credential: noKey };
  const attack = createPet({ name: '\u0000', categoryId: 1n });
  for (const request of [attack, listPets('limit=0')])
    assert.equal(failing(...service, { ...page, request }), [], request.target);
  for (const request of [create, listPets('limit=1'), getPet(1n)])
    assert.equal(failing(...service, { ...page, request }).length, 1, request.target);
});

test('a key in another letter case that is accepted only warns', () => {
  const other = credential('case-exchanged');
  assert.equal(failing({ request: listPets(), credential: other }), ['auth-key-case accepted']);
  assert.equal(failing({ request: listPets(), status: 403, credential: other }), []);
  assert.equal(heldIn([{ request: listPets(), status: 401, credential: other }], /^auth-/), ['auth-key-case']);
  assert.is(requirements.find(({ id }) => id === 'auth-key-case')?.level, 'advised');
});

test('a refused combination without an Authorization header shows that a missing key is refused', () => {
  const heldBy = (id: string): readonly string[] =>
    heldIn([{ request: listPets(), status: 401, credential: credential(id) }], /^auth-/);
  assert.equal(heldBy('elsewhere'), ['auth-bearer-header', 'auth-missing-key']);
  assert.equal(heldBy('basic-user-and-password'), ['auth-bearer-header']);
});

test('an accepted credential is shown before one that gets a wrong status', () => {
  const [one, other] = [credential('same-length'), credential('never-issued')];
  const wrong: readonly HandMadeAnswer[] = [
    { request: listPets('limit=0'), status: 400, credential: one },
    { request: listPets(), credential: other },
  ];
  assert.equal(
    failuresIn(wrong, /^auth-/).map(({ failure }) => [sentenceOf(failure), failure.status, failure.input]),
    [
      [
        'expected 401 for the bearer token never-issued-key, received 200',
        200,
        { name: 'credential', value: 'never-issued' },
      ],
      [
        'expected 401 for sevens, as many as the key has characters, whatever else is wrong with the request, received 400',
        400,
        { name: 'credential', value: 'same-length' },
      ],
    ],
  );
});

/** The exchanges of a run with a server that lets through what `accepts`. */
async function sentTo(
  accepts: (authorization: string) => boolean,
  changes: Parameters<typeof trialSettings>[1] = {},
  most = 300,
): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = [];
  const wrap = changeAnswer((answer, { request }) =>
    answer.status === 401 && accepts(requestHeader(request, 'authorization') ?? '')
      ? errorAnswer(403, answer)
      : undefined,
  );
  await runInProcess(handleOf({ id: 'plain', wrap }), trialSettings(most, changes), {
    onExchange: (exchange) => exchanges.push(exchange),
  });
  return exchanges;
}

test('the parts of an accepted combination are sent one by one, up to the accepted one', async () => {
  const idsOf = (exchanges: readonly Exchange[]): readonly string[] => exchanges.map(({ credential }) => credential.id);
  const basic = idsOf(await sentTo((value) => value === `Basic ${Buffer.from(`${faultKey}:`).toString('base64')}`));
  assert.not.ok(basic.includes('basic-user'));
  const both = idsOf(await sentTo((value) => value.startsWith('Basic ')));
  assert.ok(both.indexOf('basic-user') > both.indexOf('basic-user-and-password'));
  assert.not.ok(both.includes('basic-password'));
});

test('a part of a combination creates under a name of its own', async () => {
  const exchanges: Exchange[] = [];
  const wrap = changeRequest((request, { operation }) =>
    operation === 'createPet' && requestHeader(request, 'authorization') === undefined
      ? withKey(request, keysOfTrials.api)
      : request,
  );
  const variant = { id: 'unique-names', wrap, gaps: { 'duplicate-names': 'refused-400' } } as const;
  await runInProcess(handleOf(variant), trialSettings(30), { onExchange: (exchange) => exchanges.push(exchange) });
  const ids = exchanges.filter(({ check }) => check === 'refusals-1').map(({ credential }) => credential.id);
  const [first, ...rest] = ['elsewhere', 'last-character-changed', 'scheme-api-key', 'one-character-more'];
  assert.equal(ids, [first, ...rest, 'none']);
});

test('each operation receives the likeliest wrong and misplaced keys within the usual budget', async () => {
  const exchanges = await sentTo(() => false);
  const likely = ['none', 'last-character-missing', 'last-character-changed', 'without-scheme'];
  for (const id of [...likely, 'elsewhere', 'elsewhere-with-bearer', 'basic-user-and-password']) {
    const operations = new Set(
      exchanges.filter(({ credential }) => credential.id === id).map(({ operation }) => operation),
    );
    assert.equal([...operations].sort(), ['createPet', 'getPet', 'listPets'], id);
  }
});

test('what shows nothing beside another mistake is sent with requests that are valid otherwise', () => {
  const ids = ['sql-quote', 'star', 'very-long', 'case-exchanged', 'two-spaces', 'lower-case-bearer'];
  const rows = credentialQueue.filter(({ credential }) => ids.includes(credential));
  assert.equal(
    rows.filter(({ rest }) => rest === 'wrong'),
    [],
  );
  const listed = rows.filter(({ credential }) => ids.slice(3).includes(credential));
  assert.equal(
    listed.map(({ operation }) => operation),
    ['listPets', 'listPets', 'listPets'],
  );
});

test('no credential is sent to one operation twice in one way', () => {
  const rows = credentialQueue.map(({ credential, operation, rest }) => `${credential} ${operation} ${rest}`);
  assert.is(new Set(rows).size, rows.length);
});

test('a key is sent in the body of a creation, and no exchange contains it', async () => {
  const bodies: string[] = [];
  const exchanges: Exchange[] = [];
  const wrap = changeAnswer((answer, { request }) => {
    bodies.push(sentBody({ request }));
    const sent = requestHeader(request, 'authorization') ?? '';
    return {
      ...answer,
      headers: { ...answer.headers, 'X-Echo': sent },
      body: answer.body.replace('}', `,"sent":"${sent}"}`),
    };
  });
  await runInProcess(handleOf({ id: 'plain', wrap }), trialSettings(300), {
    onExchange: (exchange) => exchanges.push(exchange),
  });
  assert.ok(bodies.some((body) => body.endsWith(`"access_token":"${faultKey}","token":"${faultKey}"}`)));
  const text = JSON.stringify(exchanges);
  assert.not.ok(text.includes(faultKey));
  for (const { id } of exchanges.map(({ credential }) => credential)) {
    const { secret = 'no secret at all' } = findCredential(id, { api: faultKey, rateLimit: 'other' }) ?? {};
    assert.ok(secret.length < 8 || !text.includes(secret), id);
  }
});

test('every operation receives missing, wrong and misplaced keys within sixty requests', async () => {
  const exchanges = await sentTo(() => false, {}, 60);
  for (const operation of ['createPet', 'listPets', 'getPet']) {
    const kinds = new Set(
      exchanges.filter((one) => one.operation === operation).map(({ credential }) => credential.kind),
    );
    for (const kind of ['invalid', 'misplaced'] as const) assert.ok(kinds.has(kind), `${operation} ${kind}`);
  }
});

test('only a disposable target receives the real key outside the Authorization header', async () => {
  const leaks: string[] = [];
  const wrap = changeAnswer((answer, { request }) => {
    const { authorization: _sent, ...others } = Object.fromEntries(request.headers);
    if (JSON.stringify([request.target, others, sentBody({ request })]).includes(faultKey)) leaks.push(request.target);
    return answer;
  });
  const idsOf = async (changes: Parameters<typeof trialSettings>[1]): Promise<readonly string[]> => {
    const exchanges: Exchange[] = [];
    await runInProcess(handleOf({ id: 'plain', wrap }), trialSettings(700, changes), {
      onExchange: (exchange) => exchanges.push(exchange),
    });
    return exchanges.map(({ credential }) => credential.id);
  };
  const shared = await idsOf({ isDisposable: false });
  assert.equal(leaks, []);
  assert.ok(shared.includes('made-up-elsewhere') && shared.includes('made-up-elsewhere-with-bearer'));
  assert.not.ok(shared.some((id) => /^(elsewhere|in-(header|cookie|query|field))/.test(id)));
  const disposable = await idsOf({});
  assert.ok(['elsewhere', 'elsewhere-with-bearer'].every((id) => disposable.includes(id)));
  assert.ok(leaks.length >= 5, String(leaks.length));
});

test('a read-only run creates nothing with any key', async () => {
  const exchanges = await sentTo(() => false, { isReadOnly: true });
  assert.ok(exchanges.length > 50);
  assert.ok(exchanges.every(({ request }) => request.method === 'GET'));
});

test('after the removal of getPet, its answers to keys are not judged', () => {
  const today = Date.UTC(2031, 0, 1);
  assert.equal(failuresIn([{ request: getPet(1n), credential: noKey }], /^auth-/, { today }), []);
  assert.is(failuresIn([{ request: listPets(), credential: noKey }], /^auth-/, { today }).length, 1);
});

test.run();
