/** §5: which credentials a run sends, to which operations, and where the real key goes. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalOfGetPet } from '../../../../spec/facts.ts';
import { noKey } from '../../../http/credentials.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { credentialIds, isUnusualCredential, type SentId } from '../../../sections/5-authentication/credentials.ts';
import { authenticationProbes, credentialQueue } from '../../../sections/5-authentication/probes.ts';
import { listPets } from '../../../sections/requests.ts';
import { changes, apiKey as faultKey, keysOfTrials, type Wrap, withKey } from '../../../services/wraps.ts';
import type { Settings } from '../../../world/settings.ts';
import { judged } from '../../run/bench.ts';
import { animalOf, apiKey, created, exchangesOf, type HandMadeAnswer, page, read, sessionOf } from '../evidence.ts';

/** What a run sends to a server. */
const sentTo = async (wrap: Wrap, most = 300, isDisposable = true): Promise<readonly Exchange[]> =>
  (await judged({ wrap }, most, { isDisposable })).exchanges;

const idsOf = (exchanges: readonly Exchange[]): readonly string[] => exchanges.map(({ credential }) => credential.id);

const sent = await sentTo((handle) => handle);

test('no credential is sent to one operation twice in one way, and none that is odd with another mistake', () => {
  const rows = credentialQueue.map(([, ...row]) => row.join(' '));
  assert.is(new Set(rows).size, rows.length);
  const odd = credentialQueue.filter(([, id]) => ['sql-quote', 'star', 'very-long'].includes(id));
  assert.ok(odd.length > 0 && odd.every(([, , , rest]) => rest === 'valid'));
  // Each operation receives the likeliest ones within the usual budget.
  for (const likely of ['elsewhere', 'basic-user-and-password', 'without-scheme', 'last-character-missing']) {
    const within = credentialQueue.filter(([rank, id]) => id === likely && rank <= 5);
    assert.is(new Set(within.map(([, , operation]) => operation)).size, 3, likely);
  }
  for (const id of ['case-exchanged', 'lower-case', 'lower-case-bearer']) {
    const operations = sent.filter(({ credential }) => credential.id === id).map(({ operation }) => operation);
    assert.equal([...new Set(operations)], ['listPets'], id);
  }
});

/** The request of each row for a session with some exchanges: its credential, and what it asks for. */
function requestsAfter(answers: readonly HandMadeAnswer[], changes: Partial<Settings> = {}, key = apiKey) {
  const session = { ...sessionOf(answers, [], changes).session, keys: { api: key } };
  return authenticationProbes[0]!.probes(session).map(({ rank, request, next }) => {
    const { method = 'GET', target, body = '', credential, contentType } = request(session)!;
    const shown = `${method} ${target} ${body.replace(/"name":"[^"]+"/, 'name')}`.trimEnd();
    return { row: `${rank} ${credential!.shown.id}`, shown, contentType, next, session };
  });
}

const shownOf = (id: string, ...given: Parameters<typeof requestsAfter>) =>
  requestsAfter(...given).flatMap(({ row, shown }) =>
    row.split(' ')[1] === id ? [`${row.split(' ')[0]} ${shown}`] : [],
  );

test('every row is sent in its order, and a key without letters has no other case', () => {
  const rows = credentialQueue.map(([rank, id]) => `${rank} ${id}`);
  assert.equal(
    requestsAfter([]).map(({ row }) => row),
    rows,
  );
  const ofDigits = requestsAfter([], {}, '4711').map(({ row }) => row);
  assert.equal(
    ofDigits,
    rows.filter((row) => !/case-exchanged|lower-case$/.test(row)),
  );
});

test('the rest of a request is right, or has as many other mistakes as there are', () => {
  const sentTo = requestsAfter([created(7)]);
  const mistakes = new Set(sentTo.map(({ shown }) => shown));
  assert.equal([...mistakes].toSorted(), [
    'GET /pets',
    'GET /pets/2305843009213693952',
    'GET /pets/7',
    'GET /pets/abc',
    'GET /pets?limit=0&status=unknown&sort=name',
    'GET /pets?limit=abc',
    'POST /pets',
    'POST /pets name=Rex',
    'POST /pets {"name":7,"status":"gone"',
    'POST /pets {"name":7,"status":"gone"}',
    'POST /pets {name,"categoryId":1}',
  ]);
  assert.is(sentTo.find(({ shown }) => shown.endsWith('name=Rex'))!.contentType, 'text/plain');
  assert.ok(requestsAfter([]).some(({ shown }) => shown === 'GET /pets/1'));
});

test('a request without a key repeats what was served last with it', () => {
  const answers = [page('limit=7'), page('limit=8', animalOf(3)), read(3, animalOf(3)), read(4, 404)];
  const unserved = [
    { ...page('limit=9'), status: 500 },
    { ...page('limit=10'), credential: noKey },
  ];
  const wrong = ['5 POST /pets', '5 GET /pets?limit=abc'];
  assert.equal(shownOf('none', [...answers, ...unserved]), ['0.95 GET /pets/3', '1.6 GET /pets?limit=8', ...wrong]);
  assert.equal(shownOf('none', []), ['0.95 GET /pets/1', '1.6 GET /pets', ...wrong]);
  assert.is(shownOf('bearer-without-key', [...answers, ...unserved])[0], '2 GET /pets');
});

test('a listing stands in for what may not be sent', () => {
  const shownIn = (changes: Partial<Settings>) => requestsAfter([created(7)], changes).map(({ shown }) => shown);
  const count = (all: readonly string[], request: RegExp) => all.filter((shown) => request.test(shown)).length;
  const [all, readOnly, removed] = [{}, { isReadOnly: true }, { today: removalOfGetPet }].map(shownIn);
  assert.equal([count(readOnly!, /^POST/), count(readOnly!, /limit=2$/)], [0, count(all!, /^POST/)]);
  assert.equal([count(removed!, /pets\//), count(removed!, /limit=2$/)], [0, count(all!, /pets\//)]);
  assert.is(count(all!, /limit=2$/), 0);
});

test('only a key at another place that is not refused is followed by a request without any', () => {
  const followed = (status: number) =>
    requestsAfter([]).flatMap(({ row, next, session }) => {
      const [exchange] = exchangesOf([{ request: listPets(), status }]);
      return next!(session, exchange!).map(
        (probe) => `${row}, ${probe.rank} ${probe.request(session)!.credential!.shown.id}`,
      );
    });
  assert.equal(followed(401), []);
  assert.match(followed(200).join('; '), /^1 elsewhere, 1 none(; \d elsewhere, \d none)*$/);
});

test('the commonest credentials come for every operation within 300 requests, others for one, and the last later', () => {
  const open = ['case-exchanged', 'lower-case', 'lower-case-bearer'];
  const usual = credentialIds.filter((id) => !open.includes(id));
  const ranksOf = (at: number) => credentialQueue.flatMap(([rank, id]) => (id === usual[at] ? [rank] : []));
  const operationsOf = (at: number) => credentialQueue.flatMap(([, id, name]) => (id === usual[at] ? [name] : []));
  for (const at of usual.keys()) assert.is(new Set(operationsOf(at)).size, 3, usual[at]);
  assert.equal(
    [5, 6].map((at) => Math.max(...ranksOf(at))),
    [5, 9],
  );
  assert.equal(
    [26, 27].map((at) => Math.min(...ranksOf(at))),
    [5, 7],
  );
  // Beside other mistakes, unless something in front of the service may refuse the credential by itself.
  const waysOf = (id: SentId) => credentialQueue.flatMap(([, one, , rest]) => (one === id ? [rest] : []));
  const odd = usual.filter((id) => waysOf(id).includes('wrong'));
  assert.ok(odd.length > usual.length / 2 && !odd.some(isUnusualCredential), odd.join());
  const plain = usual.filter((id) => waysOf(id).includes('valid'));
  assert.ok(plain.length >= usual.length - 4, usual.filter((id) => !plain.includes(id)).join());
  assert.ok(credentialQueue.every(([, , , rest]) => ['valid', 'wrong'].includes(rest)));
});

test('what accepts a key elsewhere is asked the same without any', async () => {
  const open: Wrap = changes.request((request) => withKey(request, keysOfTrials.api));
  const created = (await sentTo(open, 30)).filter(({ credential: { id } }) => id === 'elsewhere' || id === 'none');
  const [all, without] = created.filter(({ operation }) => operation === 'createPet');
  assert.equal([all?.response?.status, without?.credential.id, without?.response?.status], [201, 'none', 201]);
  // Each creates under a name of its own.
  assert.is.not(all!.request.body, without!.request.body);
});

test('only a disposable target receives the real key outside the Authorization header', async () => {
  const leaks: string[] = [];
  const watched = changes.answer((answer, { request, text }) => {
    const { authorization: _sent, ...others } = Object.fromEntries(request.headers);
    if (JSON.stringify([request.target, others, text]).includes(faultKey)) leaks.push(request.target);
    return answer;
  });
  const shared = idsOf(await sentTo(watched, 700, false));
  assert.equal(leaks, []);
  assert.not.ok(shared.some((id) => id.startsWith('elsewhere')));
  assert.ok(idsOf(sent).includes('elsewhere'));
  await sentTo(watched, 60);
  assert.ok(leaks.length > 0);
});

test.run();
