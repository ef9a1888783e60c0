/** Before a run: a target that is none of the interface is distinguished from one that breaks it, and nothing is created there. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Handle } from '../../../reference-server/index.ts';
import { requirements } from '../../../spec/requirements.ts';
import { budgetFor } from '../../run/budget.ts';
import { handleOf } from '../../services/service.ts';
import type { Settings } from '../../world/settings.ts';
import { failedIn, judged } from './bench.ts';

const judge = (target: Handle, changes: Partial<Settings> = {}) =>
  judged(target, 60, { hasRateLimitKey: false, ...changes });

function always(status: number, headers: Record<string, string>, body = ''): Handle {
  return () => ({ status, headers, body });
}

const html = { 'Content-Type': 'text/html' };
const json = { 'Content-Type': 'application/json' };
const limit = { 'X-RateLimit-Limit': '60' };
const emptyFor = { ...limit, 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '9999999999' };

/** An Error of the service, with its limits. */
const refuses = (status: number): Handle =>
  always(status, { ...json, ...limit }, JSON.stringify({ code: 'refused', message: 'no', status }));

/** What answers each request, what is said of it, and the most requests that it gets. */
const elsewhere: readonly (readonly [string, Handle, RegExp, most?: number])[] = [
  ['a login page', always(200, html, '<form>'), /200 with text\/html/],
  [
    'a redirect',
    always(302, { Location: 'https://sso.example/' }),
    /302 with a redirect to https:\/\/sso\S+\): check the base address; it ends in a version segment, like /,
  ],
  ['a 404 of a web server', always(404, html, '<h1>'), /404 with text\/html/],
  [
    'a 403 of a gateway',
    always(403, html, '<h1>'),
    /403 .*check that the key, and this network, may list animals, and /,
  ],
  [
    'a 404 above /v1, where the key gets 401',
    (request, now) => (request.target.startsWith('/v1/v1/') ? refuses(401) : always(404, html))(request, now),
    /v1 answers as it does: try that/,
  ],
  ['a key that gets 401', refuses(401), /refused the API key with 401: check/, 1],
  ['a key that gets 403', refuses(403), /refused the API key with 403: check that its scope/, 1],
  ['a 500 without limits', always(500, {}), /Nothing here answers as the interface does/],
  ['a 503 of a gateway', always(503, {}), /a gateway answers 503/],
  ['a 429 of a gateway', always(429, { 'Retry-After': '3600' }, 'slow down'), /a wait of 3600 s/],
  ['a 429 of a gateway without Retry-After', always(429, json, '{}'), /429 8 times/],
];

for (const [what, target, words, most = 10] of elsewhere) {
  test(`${what} ends the run with 3 after a few requests, says what came, and creates nothing`, async () => {
    const { report, exchanges, said } = await judge(target);
    assert.is(report.exitCode, 3);
    assert.match(said, words);
    assert.ok(exchanges.length <= most, String(exchanges.length));
    assert.ok(exchanges.every(({ request }) => request.method === 'GET'));
    assert.ok(report.requirements.every(({ verdict }) => verdict !== 'fail' && verdict !== 'pass'));
  });
}

const lying: readonly (readonly [string, Handle, RegExp?])[] = [
  ['nests 100,000 arrays', always(200, json, '['.repeat(100_000) + ']'.repeat(100_000))],
  ['says that nothing is left until the year 2286', always(200, { ...json, ...emptyFor }, '[]')],
  ['answers 429 for ever, and tells its limit', always(429, { 'Retry-After': '1', ...limit }), /429/],
];

for (const [what, target, words = /./] of lying) {
  test(`a service that ${what} ends the run with 1`, async () => {
    const { report, said } = await judge(target);
    assert.is(report.exitCode, 1);
    assert.match(`${said} `, words);
  });
}

const version =
  /a listing got 404 with application\/json: \{"code":.*\}\): check the base address; it ends in a version segment, like /;

for (const [path, words] of [
  ['/v2', version],
  [
    '',
    /a listing got 404 with application\/json: \{"code":.*\}\): http:\/\/in-process\/v1 answers as it does: try that\.$/,
  ],
  ['/v1/pets', /: the base address ends before \/pets: try http:\/\/in-process\/v1\.$/],
  ['/v1/pets/7', /: the base address ends before \/pets: try http:\/\/in-process\/v1\.$/],
  ['/pets/v1', version],
] as const) {
  test(`a service that is asked at "${path}" instead of /v1 ends the run with 3 and says so`, async () => {
    const { report, exchanges, said } = await judge(handleOf({ id: 'server' }), {
      baseUrl: `http://in-process${path}`,
    });
    assert.is(report.exitCode, 3);
    assert.match(said, words);
    assert.ok(exchanges.length <= 5, String(exchanges.length));
  });
}

test('an address with the path of an operation ends a run that creates nothing, too, whatever answers there', async () => {
  const gaps = { 'pet-id-not-int64': 'refused-400' } as const;
  const target = { baseUrl: 'http://in-process/v1/pets', isReadOnly: true };
  for (const handle of [handleOf({ id: 'server' }), handleOf({ id: 'server', gaps })]) {
    const { report, said } = await judge(handle, target);
    assert.is(report.exitCode, 3);
    assert.match(said, 'the base address ends before /pets');
  }
});

test('a service that lists nothing and creates is judged, and so is one that may not be written to', async () => {
  const handle = handleOf({ id: 'server' });
  const withoutListing: Handle = (request, now) => {
    const answer = handle(request, now);
    const isListing = request.method === 'GET' && /\/pets(\?|$)/.test(request.target);
    return isListing && answer.status === 200 ? { ...answer, status: 404, body: '{"status":404}' } : answer;
  };
  for (const isReadOnly of [false, true]) {
    const { report, exchanges } = await judge(withoutListing, { isReadOnly });
    const isAsked = exchanges.some(({ check, request }) => check === 'preflight' && request.method === 'POST');
    assert.is(isAsked, !isReadOnly);
    assert.ok(failedIn(report).includes('list-answer'));
  }
});

/** A server that takes some requests, by their numbers, for ones without a key. */
function keylessAt(isKeyless: (number: number) => boolean): Handle {
  const handle = handleOf({ id: 'server' });
  let asked = 0;
  return (request, now) => {
    asked += 1;
    return handle(isKeyless(asked) ? { ...request, headers: [] } : request, now);
  };
}

test('a key that expires in mid-run ends it with 3, and says since when; one that is refused once ends nothing', async () => {
  const { report, exchanges, said } = await judge(keylessAt((number) => number > 13));
  assert.equal([report.exitCode, failedIn(report)], [3, []]);
  assert.match(said, /accepted up to request 13 and is refused with 401 since/);
  assert.ok(exchanges.length < 40);
  const once = await judge(keylessAt((number) => number === 13));
  assert.equal([failedIn(once.report), once.said], [['auth-valid-key'], '']);
});

test('one requirement that is asked for by name is judged with no more than sixty requests, whichever it is', async () => {
  for (const { id, untested } of requirements) {
    if (untested !== undefined) continue;
    const only = new Set([id]);
    const options = { verdictOptions: { requiresAll: false, only } };
    const { report, said } = await judged({}, budgetFor({ only }).maxRequests, { plan: 'business' }, options);
    assert.ok(report.requests <= 60, `${id}: ${report.requests}`);
    assert.is(report.exitCode, 0, `${id}: ${said}`);
  }
});

test.run();
