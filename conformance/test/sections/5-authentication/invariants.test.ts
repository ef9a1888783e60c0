/** §5: which answers to keys fail, which only warn, and which are not judged. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requirements } from '../../../../spec/requirements.ts';
import { noKey, type SentCredential } from '../../../http/credentials.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { runInProcess, trialSettings } from '../../../proof/trial.ts';
import { isBlockable } from '../../../sections/5-authentication/header-forms.ts';
import { keyElsewhere, partIdsOf } from '../../../sections/5-authentication/misplaced-keys.ts';
import { findCredential } from '../../../sections/5-authentication/refused-credentials.ts';
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
import { reasonInWords } from '../../../verdict/reasons.ts';
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

test('a credential that gets the refusal of a valid key is said to be treated as one', () => {
  const messages = (...answers: readonly HandMadeAnswer[]) =>
    failuresIn(answers, /^auth-/).map(({ failure }) => sentenceOf(failure));
  const bad = { ...create, credential: credential('last-character-changed') };
  assert.equal(messages({ request: bad, status: 400 }), [
    'expected 401 for the key with another last character, received 400',
  ]);
  assert.equal(messages({ request: create, status: 400 }, { request: bad, status: 400 }), [
    'expected 401 for the key with another last character, received 400, as with the API key',
  ]);
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

test('a firewall may refuse attacks, and a proxy may require its own credentials', () => {
  const [attack, quoted] = [credential('sql-quote'), credential('quoted')];
  assert.equal(failing({ request: listPets(), status: 403, credential: attack }), []);
  assert.equal(failing({ request: listPets(), status: 403, credential: quoted }), []);
  assert.equal(failing({ request: listPets(), status: 403, credential: credential('mark-before-42') }), []);
  assert.equal(failing({ request: listPets(), status: 400, credential: quoted }).length, 1);
  assert.equal(failing({ request: listPets(), status: 403, credential: credential('word-null') }).length, 1);
  assert.equal(failing({ request: listPets(), credential: attack }), ['auth-invalid-key accepted']);
  assert.equal(failing({ request: listPets(), status: 407, credential: quoted }), []);
});

test('a proxy that names itself may refuse odd credentials, and no plain one', () => {
  const limits = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '9', 'x-ratelimit-reset': '1' };
  const own = Array.from({ length: 5 }, () => ({ request: listPets(), headers: limits }));
  const page = { status: 400, headers: { 'content-type': 'text/html', server: 'nginx' }, body: '<html>nginx</html>' };
  const refusedFor = (id: string): readonly string[] =>
    failing(...own, { request: listPets(), credential: credential(id), ...page });
  assert.equal(refusedFor('quoted'), []);
  assert.equal(refusedFor(keyElsewhere(apiKey).shown.id), []);
  assert.equal(refusedFor('last-character-changed'), ['auth-invalid-key unexpected-status']);
  assert.equal(refusedFor(noKey.shown.id), ['auth-missing-key unexpected-status']);
});

test('a gateway may refuse what else is odd before the key is looked at, but no plain request', () => {
  const headers = { 'x-ratelimit-limit': '60' };
  const service = Array.from({ length: 20 }, () => ({ request: listPets(), headers }));
  const page = { status: 403, headers: { 'content-type': 'text/html' }, body: '<html></html>', credential: noKey };
  const attack = createPet({ name: '\u0000', categoryId: 1n });
  for (const request of [createPetFrom('{', undefined, 'text/plain'), attack, listPets('limit=0'), getPet('abc')])
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

test('an accepted combination of credentials is reported by the part that is accepted as well', () => {
  const combination: HandMadeAnswer = { request: listPets(), credential: keyElsewhere(apiKey) };
  const part: HandMadeAnswer = { request: listPets(), credential: credential('in-query-token') };
  assert.equal(failing(combination), ['auth-bearer-header accepted']);
  assert.match(sentenceOf(failuresIn([combination, part], /^auth-/)[0]!.failure), 'the key as token in the query');
  assert.is(failing(combination, part).length, 1);
  assert.is(failing(combination, { ...part, status: 401 }).length, 1);
  assert.is(failing(combination, { ...part, status: 403 }).length, 2);
  assert.equal(failing(combination, { request: create, status: 200, credential: noKey }).length, 2);
});

test('a refused combination without an Authorization header shows that a missing key is refused', () => {
  const heldBy = (sent: SentCredential): readonly string[] =>
    heldIn([{ request: listPets(), status: 401, credential: sent }], /^auth-/);
  assert.equal(heldBy(keyElsewhere(apiKey)), ['auth-bearer-header', 'auth-missing-key']);
  assert.equal(heldBy(credential('basic-user-and-password')), ['auth-bearer-header']);
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

test('a repeated creation has a new name', async () => {
  const exchanges: Exchange[] = [];
  const wrap = changeRequest((request, { operation }) =>
    operation === 'createPet' && requestHeader(request, 'authorization') === undefined
      ? withKey(request, keysOfTrials.api)
      : request,
  );
  const variant = { id: 'unique-names', wrap, gaps: { 'duplicate-names': 'refused-400' } } as const;
  await runInProcess(handleOf(variant), trialSettings(30), { onExchange: (exchange) => exchanges.push(exchange) });
  const ids = exchanges
    .filter(({ check }) => check === 'first-refusals' || check === 'common-refusals')
    .map(({ credential }) => credential.id);
  assert.equal(ids, ['elsewhere', 'last-character-changed', 'none', 'scheme-api-key', 'comma-after']);
});

test('keys in another letter case are sent in larger runs only, and never with creations', async () => {
  const isOther = ({ credential }: Exchange): boolean => credential.kind === 'other-case';
  const large = (await sentTo(() => false)).filter(isOther);
  assert.is(large.length, 2);
  assert.ok(large.every(({ operation }) => operation === 'listPets'));
  assert.not.ok((await sentTo(() => false, {}, 60)).some(isOther));
});

test('a small run for keys in another letter case alone says why it sends none', async () => {
  const handle = handleOf({ id: 'plain' });
  const verdictOptions = { only: new Set(['auth-key-case'] as const), requiresAll: false };
  const small = await runInProcess(handle, trialSettings(60), { verdictOptions });
  assert.equal([small.exitCode, small.verdict], [3, 'inconclusive']);
  assert.match(reasonInWords(small.reason) ?? '', /^auth-key-case could not be judged: /);
});

test('each operation receives the likeliest wrong and misplaced keys within the usual budget', async () => {
  const exchanges = await sentTo(() => false);
  const likely = ['last-character-missing', 'last-character-changed', 'without-scheme'];
  for (const id of [...likely, 'elsewhere', 'elsewhere-with-bearer', 'basic-user-and-password']) {
    const sent = exchanges.filter(({ credential }) => credential.id === id);
    const operations = new Set(sent.map(({ operation }) => operation));
    assert.equal([...operations].sort(), ['createPet', 'getPet', 'listPets'], id);
    assert.ok(sent.length <= 4, id);
  }
});

test('credentials that a firewall may block are sent with otherwise valid requests', async () => {
  const exchanges = (await sentTo(() => false)).filter(({ credential }) => isBlockable(credential.id));
  const near = exchanges.filter(({ check }) => check === 'near-refusals');
  assert.is(near.length, 1);
  assert.equal([...new Set(near.map(({ request }) => request.target))], ['/pets?limit=1']);
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
  assert.ok(
    bodies.some((body) => body.endsWith(`"access_token":"${faultKey}","token":"${faultKey}","key":"${faultKey}"}`)),
  );
  const text = JSON.stringify(exchanges);
  assert.not.ok(text.includes(faultKey));
  for (const { id } of exchanges.map(({ credential }) => credential)) {
    const { secret = 'no secret at all' } = findCredential(id, { api: faultKey, rateLimit: 'other' }) ?? {};
    assert.ok(secret.length < 8 || !text.includes(secret), id);
  }
  assert.ok(
    exchanges.some(({ credential }) => credential.id === 'swapped-at-5' || credential.id.startsWith('changed-at')),
  );
});

test('changes of the key are drawn by the seed', async () => {
  const damagedIn = async (seed: number): Promise<string> =>
    (await sentTo(() => false, { seed }))
      .map(({ credential }) => credential.id)
      .filter((id) => / at |-at-/.test(id))
      .join();
  assert.is(await damagedIn(3), await damagedIn(3));
  assert.is.not(await damagedIn(3), await damagedIn(4));
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

test('each credential that is not refused is a failure with its id', () => {
  const ids = ['never-issued', 'same-length', 'quoted'] as const;
  const wrong = ids.map((id) => ({ request: listPets(), credential: findCredential(id, { api: apiKey })! }));
  const inputs = failuresIn(wrong, /^auth-invalid-key$/).map(({ failure: { status, input } }) => [status, input]);
  assert.equal(
    inputs,
    ids.map((value) => [200, { name: 'credential', value }]),
  );
});

test('a made-up key in the place of the real one has its form, and is found again by its id', () => {
  const { madeUp } = keyElsewhere('Ab9-c.d_E/7');
  assert.is(madeUp?.headers['x-api-key'], 'Xx0-x.x_Xx0');
  assert.is(madeUp?.shown.kind, 'missing');
  assert.match(madeUp?.shown.curl?.words ?? '', 'X-API-Key: Xx0-x.x_Xx0');
  assert.equal(findCredential('made-up-elsewhere', { api: 'Ab9-c.d_E/7' }), madeUp);
  assert.ok(partIdsOf('made-up-elsewhere').has('none'));
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
