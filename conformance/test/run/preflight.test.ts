/** Before a run: a target that is none of the interface is distinguished from one that breaks it, and nothing is created there. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore, type Handle, type StoreResponse } from '../../../reference-server/index.ts';
import { type RequirementId, requirements } from '../../../spec/requirements.ts';
import type { Exchange } from '../../http/exchange.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import type { Report } from '../../verdict/report.ts';

/** A store of its own: names of another run would be those of this one. */
function store(): Handle {
  return createPetStore({ keys: trialKeys }).handle;
}

async function judge(target: Handle, changes: Parameters<typeof trialSettings>[1] = {}) {
  const exchanges: Exchange[] = [];
  const report: Report = await runInProcess(target, trialSettings(60, { hasRateLimitKey: false, ...changes }), {
    onExchange: (exchange) => exchanges.push(exchange),
  });
  return { report, exchanges };
}

function always(status: number, headers: Record<string, string>, body = ''): Handle {
  return () => ({ status, headers, body }) satisfies StoreResponse;
}

const elsewhere: readonly (readonly [string, Handle, RegExp])[] = [
  ['a login page', always(200, { 'Content-Type': 'text/html' }, '<form>'), /200 with text\/html/],
  [
    'a redirect',
    always(302, { Location: 'https://sso.example/' }),
    /302 with a redirect to https:\/\/sso\S+\): check the base address; it ends in a version segment, like /,
  ],
  ['a 404 of a web server', always(404, { 'Content-Type': 'text/html' }, '<h1>'), /404 with text\/html/],
  ['a 503 of a gateway', always(503, {}), /a gateway answers 503/],
  ['a 429 of a gateway', always(429, { 'Retry-After': '3600' }, 'slow down'), /a wait of 3600 s/],
  ['a 429 of a gateway without Retry-After', always(429, { 'Content-Type': 'application/json' }, '{}'), /429 8 times/],
];

for (const [what, target, words] of elsewhere) {
  test(`${what} ends the run with 3 after a few requests, says what came, and creates nothing`, async () => {
    const { report, exchanges } = await judge(target);
    assert.is(report.exitCode, 3);
    assert.match(reasonInWords(report.reason) ?? '', words);
    assert.ok(exchanges.length <= 10, String(exchanges.length));
    assert.ok(exchanges.every(({ request }) => request.method === 'GET'));
    assert.ok(report.requirements.every(({ verdict }) => verdict !== 'fail' && verdict !== 'pass'));
  });
}

for (const [path, words] of [
  ['/v2', /a listing got 404 with application\/json\): check the base address; it ends in a version segment, like /],
  ['', /a listing got 404 with application\/json\): http:\/\/in-process\/v1 answers as it does: try that\.$/],
  [
    '/v1/pets',
    /a listing got 404 with application\/json\): check the base address; it ends in a version segment, like /,
  ],
] as const) {
  test(`a service that is asked at "${path}" instead of /v1 ends the run with 3 and says so`, async () => {
    const handle = createPetStore({ keys: trialKeys }).handle;
    const { report, exchanges } = await judge(handle, { baseUrl: `http://in-process${path}` });
    assert.is(report.exitCode, 3);
    assert.match(reasonInWords(report.reason) ?? '', words);
    assert.ok(exchanges.length <= 5, String(exchanges.length));
    assert.equal(report.created, []);
  });
}

test('a gateway that forbids everything ends the run with 3, and the key and the network are named', async () => {
  const { report } = await judge(always(403, { 'Content-Type': 'text/html' }, '<h1>Forbidden</h1>'));
  assert.is(report.exitCode, 3);
  assert.match(
    reasonInWords(report.reason) ?? '',
    /403 with text\/html\): check that the key, and this network, may list animals, and /,
  );
});

test('a service that lists nothing and creates is judged, and so is one that may not be written to', async () => {
  const handle = store();
  const withoutListing: Handle = (request, now) => {
    const answer = handle(request, now);
    const isListing = request.method === 'GET' && /\/pets(\?|$)/.test(request.target);
    return isListing && answer.status === 200 ? { ...answer, status: 404, body: '{"status":404}' } : answer;
  };
  for (const isReadOnly of [false, true]) {
    const { report, exchanges } = await judge(withoutListing, { isReadOnly });
    assert.is(report.exitCode, 1);
    const isAsked = exchanges.some(({ check, request }) => check === 'preflight' && request.method === 'POST');
    assert.is(isAsked, !isReadOnly);
    assert.is(report.requirements.find(({ id }) => id === 'list-answer')?.verdict, 'fail');
  }
});

for (const [status, words] of [
  [401, /refused the API key with 401: check/],
  [403, /refused the API key with 403: check that its scope/],
] as const) {
  test(`a key that gets ${status} for a listing ends the run with 3 after one request, and the run says what to do`, async () => {
    const error = { code: 'refused', message: 'no', status };
    const refusing = always(
      status,
      { 'Content-Type': 'application/json', 'X-RateLimit-Limit': '60' },
      JSON.stringify(error),
    );
    const { report, exchanges } = await judge(refusing);
    assert.is(report.exitCode, 3);
    assert.match(reasonInWords(report.reason) ?? '', words);
    assert.is(exchanges.length, 1);
  });
}

test('a key that expires in mid-run ends it with 3, and says since when', async () => {
  const handle = store();
  let asked = 0;
  const expiring: Handle = (request, now) => {
    asked += 1;
    if (asked <= 14) return handle(request, now);
    return handle({ ...request, headers: request.headers.filter(([name]) => name !== 'authorization') }, now);
  };
  const { report, exchanges } = await judge(expiring);
  assert.is(report.exitCode, 3, JSON.stringify(report.requirements.filter(({ verdict }) => verdict === 'fail')));
  assert.match(reasonInWords(report.reason) ?? '', /accepted up to request \d+ and is refused with 401 since/);
  assert.ok(exchanges.length < 40);
});

test('one requirement that is asked for by name is judged with no more than sixty requests, whichever it is', async () => {
  const settings = trialSettings(300, { plan: 'business' });
  for (const { id, untested } of requirements) {
    if (untested !== undefined) continue;
    const only = new Set([id as RequirementId]);
    const report = await runInProcess(store(), settings, { verdictOptions: { requiresAll: false, only } });
    assert.ok(report.requests <= 60, `${id}: ${report.requests}`);
    assert.is(report.exitCode, 0, `${id}: ${reasonInWords(report.reason)}`);
  }
});

test.run();
