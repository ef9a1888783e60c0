/** Pacts are verified against servers that keep the interface and against servers that break it. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPacts } from '../../conformance/cli/read-pacts.ts';
import { faults } from '../../conformance/faults/index.ts';
import { creationServices } from '../../conformance/services/creations.ts';
import { handleOf, services } from '../../conformance/services/index.ts';
import { lagging } from '../../conformance/services/pages.ts';
import type { Service } from '../../conformance/services/service.ts';
import { changes, isRead, keysOfTrials, type Wrap, withBody } from '../../conformance/services/wraps.ts';
import { reasonInWords } from '../../conformance/verdict/reasons.ts';
import type { Report } from '../../conformance/verdict/report.ts';
import { type Handle, readHeader } from '../../reference-server/index.ts';
import { type Pact, readPact } from '../pact.ts';
import { type NativeOutcome, noOutcome, startVerifier } from '../verify/verifier.ts';
import { othersThanPass, pactFrom, pactOfOne, referenceServer, type Trial, verifyInProcess } from './in-process.ts';

const verifier = startVerifier();
test.after(() => verifier.close());
const recorded = await readPacts([new URL('../adoption-site-pet-store.json', import.meta.url).pathname]);

const verify = (pacts: readonly Pact[], trial: Trial = {}): Promise<Report> => verifyInProcess(pacts, verifier, trial);
const wrapped = (wrap: Wrap): Handle => wrap(referenceServer(), keysOfTrials);
const list = { method: 'GET', path: '/pets' };

test('the recorded pact passes against the reference server, and its exchanges show requirements', async () => {
  const report = await verify(recorded);
  assert.equal([report.exitCode, report.interactions?.length, othersThanPass(report)], [0, 8, {}]);
  const passed = report.requirements.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id);
  for (const id of ['rate-remaining-falls', 'pet-name-kept', 'rate-exceeded'] as const) assert.ok(passed.includes(id));
  assert.ok(report.requirements.every(({ evidence }) => evidence > 0));
});

test('no legal service fails the recorded pact, and most of them pass it', async () => {
  // A pact names animals as it likes, which those that take few names, or each of them once, may refuse. Lint tries those
  // that answer a gap.
  const isLeftOut = (one: Service): boolean => creationServices.some(({ id }) => id === one.id) || one.id.includes('=');
  let passed = 0;
  for (const service of services.filter((one) => !isLeftOut(one) && one.exitCode === undefined)) {
    const report = await verify(recorded, { ...service, handle: handleOf(service, 1) });
    // The limit of a day is more than the budget; that of a minute, or a second, ends before a slow server has refused.
    const reasons =
      /raise --max-requests|answers too slowly|the limit was reset before|did not exhaust the key|was answered with (40[13]|5\d\d|nothing)/;
    const why = reasonInWords(report.reason);
    const isUnreached = report.exitCode === 3 && reasons.test(why ?? '');
    assert.ok(report.exitCode === 0 || isUnreached, `${service.id}: ${why} ${JSON.stringify(othersThanPass(report))}`);
    passed += Number(report.exitCode === 0);
  }
  assert.ok(passed > 50, String(passed));
});

const listing = 'with status available and limit 5';
const creation = 'a new animal {"name":"Rex","categoryId":1,"status":"available"}';
const beyond = `a listing beyond the rate limit ${listing}`;

/** Fault → the interactions that must fail. */
const broken: Readonly<Record<string, readonly string[]>> = {
  'name-missing-on-createPet': [creation],
  'creation-not-stored': [`a listing ${listing}`, 'the animal 7'],
  'body-without-categoryId-accepted': ['a new animal that is refused, {"name":"Rex"}'],
  'no-key-needed-on-listPets': [`a listing without a key ${listing}`],
  'retry-after-missing': [beyond],
  // An animal of another status exists.
  'filter-ignored': [`a listing ${listing}`],
  'error-status-always-400': [
    `a listing with an invalid key ${listing}`,
    `a listing without a key ${listing}`,
    'the animal 404, which is unknown',
  ],
  // No consumer relies on it, but the exchanges are judged as in a run.
  'remaining-always-the-limit': [],
};

for (const [id, failing] of Object.entries(broken)) {
  test(`the fault ${id} fails exactly the interactions that rely on the broken behaviour`, async () => {
    const { wrap } = faults.find((one) => one.id === id)!;
    const report = await verify(recorded, { handle: wrapped(wrap) });
    assert.is(report.exitCode, 1);
    assert.equal(Object.keys(othersThanPass(report)).sort(), [...failing].sort());
    const failed = report.interactions?.filter(({ verdict }) => verdict === 'fail') ?? [];
    assert.ok(failed.every(({ messages, exchanges }) => messages.length > 0 && exchanges.length > 0));
  });
}

test('an interaction that fails beside no requirement may be wrong, as the reason says', async () => {
  const response = { status: 200, body: { content: { colour: 'red' }, contentType: 'application/json' } };
  const states = { providerStates: [{ name: 'an animal exists' }] };
  const report = await verify([pactOfOne({ method: 'GET', path: '/pets/7' }, response, states)]);
  assert.is(report.exitCode, 1);
  assert.match(report.interactions?.[0]?.messages.join() ?? '', /colour/);
  assert.match(reasonInWords(report.reason) ?? '', /may claim more than the interface states: pact lint shows it/);
});

const knowsOneCategory = changes.request((request, { operation }) => {
  const isKnown = new TextDecoder().decode(request.body).includes('"categoryId":4711');
  return operation === 'createPet' && !isKnown ? withBody(request, '{}') : request;
});
const onlyRead = recorded.map((pact) => ({
  ...pact,
  interactions: pact.interactions.filter(({ description }) => description === 'the animal 7'),
}));
const unloadable = pactOfOne(list, { matchingRules: { body: { '$.x[*': { matchers: [{ match: 'type' }] } } } });
const orders = pactFrom({
  interactions: [
    { type: 'Synchronous/HTTP', description: 'orders', providerStates: [{ name: 'an order exists' }], request: list },
    { type: 'Asynchronous/Messages', description: 'an event' },
  ],
});
const moved: Handle = ({ target }) => {
  assert.not.match(target, 'elsewhere');
  return { status: 307, headers: { Location: 'elsewhere', 'Content-Type': 'application/json' }, body: '[]' };
};

const answering = (response: object) => pactOfOne(list, { status: 200, ...response });
const plugins = [{ name: 'protobuf', version: '0.3.15', configuration: {} }];
const json = { contentType: 'application/json' };
const pluggedIn = pactFrom({
  interactions: [{ type: 'Synchronous/HTTP', description: 'it', request: list, response: { status: 200 } }],
  metadata: { pactSpecification: { version: '4.0' }, plugins },
});
const pattern = { header: { date: { matchers: [{ match: 'regex', regex: '((' }] } } };

const slow = wrapped(lagging(1_000, isRead));
const withoutLimitKey = { hasRateLimitKey: false };

/** What is not verifiable: pacts, trial → exit code, the reason of an interaction. */
const unverified: readonly (readonly [readonly Pact[], Trial, exitCode: number, description: string, why: RegExp])[] = [
  [recorded, { settings: withoutLimitKey }, 0, beyond, /PETSTORE_RATE_LIMIT_KEY/],
  [recorded, { settings: withoutLimitKey, requiresAll: true }, 3, beyond, /PETSTORE_RATE_LIMIT_KEY/],
  [recorded, { settings: { isReadOnly: true } }, 0, creation, /the run is read-only/],
  [recorded, { settings: { isReadOnly: true } }, 0, 'the animal 7', /the state needs an animal/],
  [recorded, { settings: { maxRequests: 6 } }, 3, beyond, /raise --max-requests/],
  [onlyRead, { handle: slow, settings: { maxRequests: 3 } }, 3, 'the animal 7', /the budget of 3 requests/],
  [recorded, { handle: wrapped(knowsOneCategory) }, 3, creation, /--category-id/],
  [[orders], {}, 3, 'orders', /no operation reaches the state "an order exists"; known are/],
  [[orders], {}, 3, 'an event', /it is a message/],
  [[unloadable], {}, 3, 'it', /^the path "\$\.x\[\*" of one of its matching rules is wrong$/],
  [[pactOfOne(list)], { handle: moved }, 3, 'it', /307 with a redirect to elsewhere/],
  [[pluggedIn], {}, 3, 'it', /^it needs plugins of Pact, which the verifier could not load: protobuf 0\.3\.15$/],
  [[answering({ status: 'ok' })], {}, 3, 'it', /^the status of its response is no number$/],
  [[answering({ headers: { date: ['x'] }, matchingRules: pattern })], {}, 3, 'it', /^its pattern "\(\(" is no regular/],
  [
    [answering({ body: { ...json, encoded: 'base64', content: '%' } })],
    {},
    3,
    'it',
    /^the body that it expects is no J/,
  ],
  [[pactFrom({ interactions: [{ type: 'Synchronous/Mail', description: 'it' }] })], {}, 3, 'it', /^its type is "Sync/],
  [
    [pactOfOne({ method: 'GET', path: '/pets/../../../admin' })],
    {},
    3,
    'it',
    /could not send its request, GET \/pets\/\.\./,
  ],
];

for (const [pacts, trial, exitCode, description, why] of unverified) {
  test(`${description} is not verifiable: ${why.source}, ${exitCode}`, async () => {
    const report = await verify(pacts, trial);
    const found = report.interactions?.find((one) => one.description === description);
    assert.equal([report.exitCode, found?.verdict], [exitCode, 'not-verifiable'], found?.messages.join());
    assert.match(found?.messages.join() ?? '', why);
    if (!trial.settings?.isReadOnly) return;
    // A body that is refused creates nothing, so it is sent all the same.
    assert.is(report.creates, 0);
    assert.not.ok('a new animal that is refused, {"name":"Rex"}' in othersThanPass(report));
  });
}

test('a large category of a state, the root path, and the scheme of a key are asked for as the pact has them', async () => {
  const state = { name: 'an animal exists', params: { categoryId: '9007199254740993' } };
  const large = JSON.stringify({ type: 'Synchronous/HTTP', description: 'it', providerStates: [state], request: list });
  const text = `{"consumer":{"name":"a"},"interactions":[${large.replace('"9007199254740993"', '9007199254740993')}]}`;
  const asked: string[] = [];
  const server = referenceServer();
  const handle: Handle = (request, now) => {
    const { method, target } = request;
    asked.push(
      `${method} ${target} ${readHeader(request, 'authorization').slice(0, 7)} ${new TextDecoder().decode(request.body)}`,
    );
    return server(request, now);
  };
  const report = await verify([readPact(text, 'a.json')], { handle });
  assert.equal([report.exitCode, othersThanPass(report)], [0, {}]);
  assert.ok(
    asked.some((one) => one.endsWith('"categoryId":9007199254740993}')),
    asked.join('\n'),
  );
  await verify([pactOfOne({ method: 'GET', path: '/' }, { status: 404 })], { handle });
  assert.match(asked.at(-1)!, /^GET \/v1\/ Bearer /);
  await verify([pactOfOne({ ...list, headers: { Authorization: ['bearer x'] } })], { handle });
  assert.match(asked.at(-1)!, /^GET \/v1\/pets bearer /);
});

test('an interruption ends a verifier that sends nothing, and the report gives it as the reason', async () => {
  const interruption = new AbortController();
  const { promise, resolve } = Promise.withResolvers<NativeOutcome>();
  const verify = () => {
    interruption.abort();
    return promise;
  };
  const stuck = { verify, close: () => resolve(noOutcome) };
  const { reason, interactions } = await verifyInProcess(recorded, stuck, { signal: interruption.signal });
  assert.is(reason?.code, 'interrupted');
  assert.match(interactions?.at(-1)?.messages.join() ?? '', /interrupted/);
});

test.run();
