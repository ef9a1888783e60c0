/** What the first answers of a target say before a run, one by one: whose they are, and what may be wrong with the address. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noKey } from '../../http/credentials.ts';
import { type Incoming, type Outgoing, TransportError } from '../../http/transport.ts';
import { trialSettings } from '../../proof/trial.ts';
import { checkTarget, NotStarted, stopIfRefused } from '../../run/preflight.ts';
import { createSession, type Session } from '../../run/session.ts';
import { RunStopped } from '../../run/waits.ts';
import { createClock } from '../../services/in-process.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import type { Settings } from '../../world/settings.ts';
import { list } from './bench.ts';

type Answer = readonly [status: number, body?: string, headers?: Readonly<Record<string, string>>];
type Answers = (request: Outgoing & { readonly number: number }) => Answer;

const json = { 'content-type': 'application/json' };
const html = { 'content-type': 'text/html' };
const key = 'Preflight-Key-4711';

function sessionWith(answers: Answers, settings: Partial<Settings> = {}): Session {
  let number = 0;
  return createSession({
    settings: trialSettings(60, { baseUrl: 'http://host/v1', ...settings }),
    keys: { api: key },
    clock: createClock(),
    runTag: 'abc123',
    transport: async (outgoing): Promise<Incoming> => {
      number += 1;
      const [status, body = '[]', headers = json] = answers({ ...outgoing, number });
      return { status, headers, body: new TextEncoder().encode(body) };
    },
  });
}

/** What checkTarget says of a target, and what it sent. */
async function checked(answers: Answers, settings: Partial<Settings> = {}) {
  const session = sessionWith(answers, settings);
  const stopped = await checkTarget(session).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (stopped !== undefined && !(stopped instanceof RunStopped)) throw stopped;
  const sent = session.exchanges.map(({ request, credential }) => {
    return `${request.method} ${request.target}${credential.kind === 'missing' ? ' without a key' : ''}`;
  });
  assert.ok(session.exchanges.every(({ check }) => check === 'preflight'));
  const code = stopped?.reason.code;
  return { code, said: reasonInWords(stopped?.reason) ?? '', sent, hasStarted: !(stopped instanceof NotStarted) };
}

const listing = 'GET /pets';

/** First answers, and whether they may be the interface's. */
const firstAnswers: readonly (readonly [what: string, Answer, isInterface: boolean])[] = [
  ['a page', [200], true],
  ['a page without a media type', [200, '[]', {}], true],
  ['no JSON that is declared as such', [200, 'x'], true],
  ['a rate limit alone', [500, '', { 'x-ratelimit-limit': '60' }], true],
  ['an HTML page', [200, '<p>', html], false],
  ['JSON with a status that §4 does not list', [500, '{}'], false],
];

test('an answer of the interface has a rate limit, or JSON where §4 documents its status', async () => {
  for (const [what, answer, isInterface] of firstAnswers) {
    const { code, sent, hasStarted } = await checked(() => answer);
    assert.equal([code, hasStarted], isInterface ? [undefined, true] : ['other-interface', false], what);
    assert.is(sent[0], listing);
    if (isInterface) assert.is(sent.length, 1);
    else assert.is(sent[1], 'GET /pets without a key');
  }
});

test('a listing that breaks is judged where one without a key is answered by the interface', async () => {
  const isKeyless = ({ headers }: Outgoing): boolean => headers['authorization'] === undefined;
  const { code, sent } = await checked((request) => (isKeyless(request) ? [401, '{}'] : [500, '']));
  assert.equal([code, sent], [undefined, [listing, 'GET /pets without a key']]);
});

test('what answered is quoted: its status, where it leads, its media type, and what a refusal says itself', async () => {
  for (const [answer, words] of [
    [[302, '', { location: '/login' }], '302 with a redirect to /login'],
    [[200, 'x', {}], '200 with no media type'],
    [[200, 'x', html], '200 with text/html'],
    [[403, '\n <p>no', html], '403 with text/html'],
    [[400, ' send x-tenant <first> ', html], '400 with text/html: send x-tenant <first>'],
    [[418, 'x'.repeat(201), html], `418 with text/html: ${'x'.repeat(200)}`],
    [[403, '', html], '403 with text/html'],
  ] as const) {
    const { said } = await checked(() => answer);
    assert.ok(said.includes(`(a listing got ${words}): check `), said);
  }
});

test('a target that gives no response says why, by the code of the failure', async () => {
  for (const [code, message, baseUrl, expected] of [
    ['unreachable', 'ECONNREFUSED', 'http://host/v1', 'unreachable'],
    ['timeout', 'no response', 'http://host/v1', 'no-answer-in-time'],
    ['malformed', 'not HTTP', 'http://host/v1', 'not-http'],
    ['broken', 'socket hang up', 'http://host/v1', 'maybe-https'],
    ['broken', 'socket hang up', 'https://host/v1', 'unreadable'],
    ['broken', 'HPE_INVALID_HEADER', 'http://host/v1', 'unreadable'],
    ['too-large', 'more than 1 MB', 'http://host/v1', 'unreadable'],
  ] as const) {
    const failing = (): never => {
      throw new TransportError(code, message);
    };
    const seen = await checked(failing, { baseUrl });
    assert.equal([seen.code, seen.hasStarted], [expected, false], message);
    assert.ok(seen.said.includes(message), seen.said);
  }
});

test('a gateway that answers everything ends the run with its status; one after a refusal does not', async () => {
  assert.match((await checked(() => [503, '', html])).said, /gateway answers 503/);
  const refusedFirst = await checked(({ number }) => (number === 1 ? [429, '', html] : [503, '', html]));
  assert.is.not(refusedFirst.code, 'gateway-answers');
});

test('an address with the path of an operation is a wrong one, whatever refuses the listing below it', async () => {
  for (const path of ['/pets', '/pets/47', '/pets/-7'])
    for (const status of [400, 404, 405, 422]) {
      const headers = { ...json, 'x-ratelimit-limit': '60' };
      const { said } = await checked(() => [status, '{}', headers], { baseUrl: `http://host/v1${path}` });
      assert.match(said, /: the base address ends before \/pets: try http:\/\/host\/v1\.$/);
    }
  for (const [baseUrl, status] of [
    ['http://host/v1/pets', 200],
    ['http://host/pets/v1', 400],
    ['http://host/v1/pets/x', 400],
  ] as const)
    assert.is((await checked(() => [status, '{}', { 'x-ratelimit-limit': '60' }], { baseUrl })).code, undefined);
});

test('a listing that gets 404 is judged where a creation gets anything but 404 or 405', async () => {
  for (const [status, code] of [
    [404, 'other-interface'],
    [405, 'other-interface'],
    [400, undefined],
  ] as const) {
    const answers: Answers = ({ method }) => [method === 'POST' ? status : 404, '{}', { 'x-ratelimit-limit': '60' }];
    const seen = await checked(answers);
    assert.equal([seen.code, seen.sent.slice(0, 2)], [code, [listing, 'POST /pets']]);
    const readOnly = await checked(answers, { isReadOnly: true });
    assert.equal([readOnly.code, readOnly.sent], [undefined, [listing]]);
  }
});

test('the address below is advised where it answers a listing with JSON', async () => {
  for (const [below, isAdvised] of [
    [[200, '[]'], true],
    [[401, '{}'], true],
    [[403, '{}'], false],
    [[200, '<p>', html], false],
  ] as const) {
    const { said, sent } = await checked(({ url }) => (url.endsWith('/v1/v1/pets') ? below : [404, '<p>', html]));
    assert.is(sent.at(-1), 'GET /v1/pets');
    const advice = isAdvised
      ? 'http://host/v1/v1 answers as it does: try that.'
      : 'check the base address; it ends in a version segment, like https://host/v1.';
    assert.ok(said.endsWith(`: ${advice}`), said);
  }
  const { said } = await checked(() => [403, '<p>', html]);
  assert.match(said, /: check that the key, and this network, may list animals, and the base address; it ends in /);
});

test('a key that may not list ends the run', async () => {
  assert.is((await checked(() => [401, '{}'])).code, 'key-unknown');
  assert.is((await checked(() => [403, '{}', { 'x-ratelimit-limit': '60' }])).code, 'key-forbidden');
});

test('a run that is stopped at once has started only if an answer may be of the interface', async () => {
  const wait = { 'retry-after': '3600' };
  const bare = await checked(() => [429, 'slow down', wait]);
  assert.equal([bare.code, bare.hasStarted], ['wait-too-long', false]);
  const limited = await checked(() => [429, '{}', { ...wait, 'x-ratelimit-limit': '60' }]);
  assert.equal([limited.code, limited.hasStarted], ['wait-too-long', true]);
});

test('a budget that ends before the interface is seen says so, and an error of ours is thrown', async () => {
  const seen = await checked(() => [500, ''], { maxRequests: 1 });
  assert.equal([seen.code, seen.hasStarted], ['interface-unseen', false]);
  assert.match(seen.said, /the budget of 1 requests is spent/);
  const breaking = (): never => {
    throw new Error('ours');
  };
  assert.is(await checked(breaking).catch(String), 'Error: ours');
});

/** Sends requests, and says how the run is stopped after each. */
async function stoppedAfter(statuses: readonly number[], again: number, requests: readonly (typeof list)[] = []) {
  const session = sessionWith(({ url, number }) => [url.endsWith('limit=59') ? again : statuses[number - 1]!, '{}']);
  for (const at of statuses.keys()) await session.send(requests[at] ?? list);
  const sent = session.exchanges.length;
  const stopped = await stopIfRefused(session).then(
    () => undefined,
    (error: unknown) => (error instanceof RunStopped ? error.reason : undefined),
  );
  const asked = session.exchanges.slice(sent).map(({ request }) => request.target);
  return { stopped, asked: asked.join() };
}

const read = { operation: 'getPet', target: '/pets/7' } as const;
const created = {
  ...list,
  operation: 'createPet',
  method: 'POST',
  body: '{}',
  contentType: 'application/json',
} as const;

test('a key that was accepted and is refused now ends the run, after a listing has shown that', async () => {
  const expired = await stoppedAfter([200, 200, 401], 401);
  assert.equal(expired, {
    stopped: { code: 'key-expired', values: { number: 2, status: 401 } },
    asked: '/pets?limit=59',
  });
  const blocked = await stoppedAfter([200, 403], 403);
  assert.equal(blocked.stopped, { code: 'key-blocked', values: { number: 1, status: 403 } });
  const never = await stoppedAfter([401], 401);
  assert.equal(never.stopped?.values['number'], 0);
});

test('a key that is accepted again goes on, and one that was not refused is not asked for', async () => {
  assert.equal(await stoppedAfter([200, 401], 200), { stopped: undefined, asked: '/pets?limit=59' });
  for (const statuses of [[200], [401, 200], [500]])
    assert.equal(await stoppedAfter(statuses, 200), { stopped: undefined, asked: '' });
  // Another operation may be forbidden.
  assert.equal(await stoppedAfter([200, 403], 403, [list, created]), { stopped: undefined, asked: '' });
  assert.is((await stoppedAfter([200, 401], 401, [list, created])).stopped?.code, 'key-expired');
});

test('an operation that refuses the key each time, while listings are served, is not asked about again', async () => {
  const reads = [read, list, read];
  assert.equal(await stoppedAfter([401, 200, 401], 401, reads), { stopped: undefined, asked: '' });
  // Nothing was served since the operation refused the key first, or another operation refused it.
  assert.is((await stoppedAfter([401, 403, 401], 401, reads)).stopped?.code, 'key-expired');
  assert.is((await stoppedAfter([401, 200, 401], 401, [created, list, read])).stopped?.code, 'key-expired');
});

test('a request without the API key says nothing of it', async () => {
  const session = sessionWith(() => [401, '{}']);
  await stopIfRefused(session);
  await session.send({ ...list, credential: noKey });
  await stopIfRefused(session);
  assert.is(session.exchanges.length, 1);
});

test.run();
