/** Pacts are verified against servers that keep the interface and against servers that break it. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPacts } from '../../conformance/cli/read-pacts.ts';
import { faults } from '../../conformance/faults/index.ts';
import { creationServices } from '../../conformance/services/creations.ts';
import { handleOf, services } from '../../conformance/services/index.ts';
import type { Service } from '../../conformance/services/service.ts';
import { isRead, lagging } from '../../conformance/services/visibility.ts';
import {
  changeAnimals,
  changeRequest,
  keysOfTrials,
  mapField,
  withBody,
  withTarget,
} from '../../conformance/services/wraps.ts';
import { reasonInWords } from '../../conformance/verdict/reasons.ts';
import { startVerifier } from '../verify/verifier.ts';
import { version2, version3 } from './handmade.ts';
import { othersThanPass, pactFrom, pactOfOne, referenceServer, verifyInProcess } from './in-process.ts';

const verifier = startVerifier();
const { pacts: recorded } = await readPacts([new URL('../adoption-site-pet-store.json', import.meta.url).pathname]);

test('the recorded pact passes against the reference server, and its exchanges show requirements', async () => {
  const report = await verifyInProcess(recorded, verifier);
  assert.is(report.exitCode, 0, reasonInWords(report.reason));
  assert.is(report.interactions?.length, 8);
  assert.equal(othersThanPass(report), {});
  const passed = report.requirements.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id);
  for (const id of ['rate-remaining-falls', 'pet-name-kept', 'rate-exceeded'] as const) assert.ok(passed.includes(id));
  assert.ok(report.requirements.every(({ evidence }) => evidence > 0));
});

test('pacts of versions 2 and 3 pass, with ids, names and categories of the provider', async () => {
  const report = await verifyInProcess([pactFrom(version2), pactFrom(version3)], verifier);
  assert.is(report.exitCode, 0, JSON.stringify(report.interactions));
  assert.is(report.interactions?.length, version2.interactions.length + version3.interactions.length);
  assert.ok(report.created.some(({ name }) => name === 'Mia'));
});

test('the recorded pact fails against no variant', async () => {
  // A pact names animals as it likes, which those that take few names, or each of them once, may refuse.
  const isRefusing = (one: Service): boolean => creationServices.includes(one) || one.id.startsWith('unique-names');
  for (const variant of services.filter((one) => !isRefusing(one) && one.exitCode === undefined)) {
    const report = await verifyInProcess(recorded, verifier, {
      ...variant,
      handle: handleOf(variant, 1),
    });
    // The limit of a day is more than the budget; that of a minute, or a second, ends before a slow
    // server has refused anything.
    const reasons =
      /raise --max-requests|nested too deeply for Pact's verifier|answers too slowly|the limit was reset each time|did not exhaust the key|was answered with 40[13]/;
    const isUnreached = report.exitCode === 3 && reasons.test(reasonInWords(report.reason) ?? '');
    assert.ok(
      report.exitCode === 0 || isUnreached,
      `${variant.id}: ${reasonInWords(report.reason)} ${JSON.stringify(othersThanPass(report))}`,
    );
  }
});

test('an animal that appears late passes as soon as it is there, and one that never does fails in the end', async () => {
  for (const [lagMs, exitCode, leastSeconds, mostSeconds] of [
    [20, 0, 0, 5],
    [1_500, 0, 2, 5],
    [3_000, 0, 5, 8],
    [20_000, 0, 30, 33],
    [600_000, 1, 62, 66],
  ] as const) {
    const handle = lagging(lagMs, isRead)(referenceServer(), keysOfTrials);
    const report = await verifyInProcess(recorded, verifier, { handle, withoutRateLimitKey: true });
    assert.is(report.exitCode, exitCode, `${lagMs} ms: ${reasonInWords(report.reason)}`);
    const seconds = report.durationMs / 1_000;
    assert.ok(seconds >= leastSeconds && seconds < mostSeconds, `${lagMs} ms: ${seconds} s`);
  }
});

test('a failure that no later answer can mend is reported without waiting for old copies', async () => {
  const withoutNames = changeAnimals(mapField('name', () => 7n));
  const handle = withoutNames(referenceServer(), keysOfTrials);
  const report = await verifyInProcess(recorded, verifier, { handle, withoutRateLimitKey: true });
  assert.is(report.exitCode, 1);
  assert.ok(report.durationMs < 5_000, String(report.durationMs));
});

test('a creation whose category may be unknown is not verifiable, and the message names the option', async () => {
  const knowsOne = changeRequest((request, { operation }) => {
    const isKnown = new TextDecoder().decode(request.body).includes('"categoryId":4711');
    return operation === 'createPet' && !isKnown ? withBody(request, '{}') : request;
  });
  const report = await verifyInProcess(recorded, verifier, { handle: knowsOne(referenceServer(), keysOfTrials) });
  assert.is(report.exitCode, 3, reasonInWords(report.reason));
  const creation = report.interactions?.find(({ description }) => description.startsWith('a new animal {'));
  assert.is(creation?.verdict, 'not-verifiable');
  assert.match(creation?.messages[0] ?? '', '--category-id');
});

test('a creation gets a category that its body can carry, whatever animals are listed', async () => {
  const animals = [2n ** 53n + 1n, 2n ** 63n - 1n].map((categoryId) => ({ name: 'Rex', categoryId }));
  const report = await verifyInProcess(recorded, verifier, { handle: handleOf({ id: 'large', animals }) });
  assert.equal(othersThanPass(report), {});
});

const listing = 'with status available and limit 5';
const creation = 'a new animal {"name":"Rex","categoryId":1,"status":"available"}';
const refusal = 'a new animal that is refused, {"name":"Rex"}';

/** Fault → the interactions that must fail. */
const broken: Readonly<Record<string, readonly string[]>> = {
  'name-missing-on-createPet': [creation],
  'creation-not-stored': [`a listing ${listing}`, 'the animal 7'],
  'body-without-categoryId-accepted': [refusal],
  'categoryId-null-on-getPet': ['the animal 7'],
  'unknown-answers-without-body': ['the animal 404, which is unknown'],
  'wrong-key-answers-403': [`a listing with an invalid key ${listing}`],
  'no-key-needed-on-listPets': [`a listing without a key ${listing}`],
  'retry-after-missing': [`a listing beyond the rate limit ${listing}`],
  'error-status-always-400': [
    `a listing with an invalid key ${listing}`,
    `a listing without a key ${listing}`,
    'the animal 404, which is unknown',
  ],
};

for (const [id, failing] of Object.entries(broken)) {
  test(`the fault ${id} fails exactly the interactions that rely on the broken behaviour`, async () => {
    const fault = faults.find((one) => one.id === id)!;
    const report = await verifyInProcess(recorded, verifier, { handle: fault.wrap(referenceServer(), keysOfTrials) });
    assert.is(report.exitCode, 1);
    assert.equal(Object.keys(othersThanPass(report)).sort(), [...failing].sort());
    const failed = report.interactions?.filter(({ verdict }) => verdict === 'fail') ?? [];
    assert.ok(failed.every(({ messages, exchanges }) => messages.length > 0 && exchanges.length > 0));
  });
}

test('a provider that ignores the filter fails a listing by status, since an animal of another status exists', async () => {
  const handle = changeRequest((request) => withTarget(request, request.target.replace(/status=\w+&?/, '')))(
    referenceServer(),
    keysOfTrials,
  );
  const report = await verifyInProcess(recorded, verifier, { handle });
  assert.is(othersThanPass(report)[`a listing ${listing}`], 'fail');
  const short = pactOfOne(
    { method: 'GET', path: '/pets', query: { status: ['sold'], limit: ['2'] } },
    { status: 200 },
    {
      providerStates: [{ name: 'an animal exists' }],
    },
  );
  assert.is((await verifyInProcess([short], verifier)).creates, 1);
});

test('the remarks of lint stand with a failed interaction, and the reason says that the pact may be wrong', async () => {
  const response = { status: 200, body: { content: { colour: 'red' }, contentType: 'application/json' } };
  const wrong = pactOfOne({ method: 'GET', path: '/pets/7' }, response, {
    providerStates: [{ name: 'an animal exists' }],
  });
  const report = await verifyInProcess([wrong], verifier);
  assert.is(report.exitCode, 1);
  const [reported] = report.interactions!;
  assert.is(reported?.isOverclaimed, true);
  assert.ok(reported?.messages.some((message) => /^pact lint: .*colour.* \[claim-contradicted\]$/.test(message)));
  assert.match(
    reasonInWords(report.reason) ?? '',
    /^pact lint finds that a failed interaction claims more .* the pact may be wrong/,
  );
  const broken = faults.find(({ id }) => id === 'name-missing-on-createPet')!.wrap(referenceServer(), keysOfTrials);
  const both = await verifyInProcess([wrong, ...recorded], verifier, { handle: broken });
  assert.not.match(reasonInWords(both.reason) ?? '', /pact may be wrong/);
});

test('a broken requirement fails the run even if no consumer relies on it', async () => {
  const fault = faults.find((one) => one.id === 'remaining-always-the-limit')!;
  const report = await verifyInProcess(recorded, verifier, { handle: fault.wrap(referenceServer(), keysOfTrials) });
  assert.is(report.exitCode, 1);
  const failed = report.requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
  assert.ok(failed.includes('rate-remaining-falls'), failed.join());
});

test('without a key to exhaust the rate-limit state is not verifiable, and counts only with --require-all', async () => {
  const { exitCode } = await verifyInProcess(recorded, verifier, { withoutRateLimitKey: true });
  assert.is(exitCode, 0);
  const report = await verifyInProcess(recorded, verifier, { withoutRateLimitKey: true, requiresAll: true });
  assert.is(report.exitCode, 3);
  assert.equal(othersThanPass(report), { [`a listing beyond the rate limit ${listing}`]: 'not-verifiable' });
  assert.match(reasonInWords(report.reason) ?? '', /PETSTORE_RATE_LIMIT_KEY/);
});

test('a read-only run verifies what needs no animal of its own, and says what it left out', async () => {
  const report = await verifyInProcess(recorded, verifier, { settings: { isReadOnly: true } });
  assert.is(report.creates, 0);
  assert.is(report.exitCode, 0);
  const unreached = othersThanPass(report);
  assert.is(unreached[creation], 'not-verifiable');
  assert.is(unreached['the animal 7'], 'not-verifiable');
});

test('a run that verified nothing does not conform', async () => {
  const pact = pactOfOne(
    { method: 'GET', path: '/pets' },
    { status: 429 },
    { providerStates: [{ name: 'the rate limit is exceeded' }] },
  );
  const report = await verifyInProcess([pact], verifier, { withoutRateLimitKey: true });
  assert.is(report.exitCode, 3);
  assert.match(reasonInWords(report.reason) ?? '', /PETSTORE_RATE_LIMIT_KEY/);
});

test('a spent budget blocks only the interactions that need more', async () => {
  const report = await verifyInProcess(recorded, verifier, { maxRequests: 6 });
  assert.is(report.exitCode, 3);
  assert.is(report.requests, 6);
  assert.match(reasonInWords(report.reason) ?? '', /raise --max-requests/);
  assert.is(report.interactions?.length, 8);
});

test('a spent budget keeps an answer that may come too soon from being a failure', async () => {
  const late = lagging(1_000, isRead)(referenceServer(), keysOfTrials);
  const read = recorded.map((pact) => ({
    ...pact,
    interactions: pact.interactions.filter(({ description }) => description === 'the animal 7'),
  }));
  const report = await verifyInProcess(read, verifier, { handle: late, maxRequests: 3 });
  assert.equal([report.exitCode, report.interactions?.[0]?.verdict], [3, 'not-verifiable']);
  assert.match(report.interactions?.[0]?.messages[0] ?? '', /the budget of 3 requests is spent; raise --max-requests$/);
});

test('an unknown state and a message are not verifiable, with the reason', async () => {
  const pact = {
    consumer: { name: 'odd' },
    provider: { name: 'pet-store' },
    interactions: [
      {
        type: 'Synchronous/HTTP',
        description: 'orders',
        providerStates: [{ name: 'an order exists' }],
        request: { method: 'GET', path: '/pets' },
        response: { status: 200 },
      },
      { type: 'Asynchronous/Messages', description: 'an event', contents: { content: {} } },
    ],
    metadata: { pactSpecification: { version: '4.0' } },
  };
  const report = await verifyInProcess([pactFrom(pact)], verifier);
  assert.is(report.exitCode, 3);
  assert.equal(othersThanPass(report), { orders: 'not-verifiable', 'an event': 'not-verifiable' });
  assert.match(
    report.interactions?.[0]?.messages[0] ?? '',
    /no operation reaches the state "an order exists"; known are/,
  );
});

test('a pact that the native verifier cannot load is named by its own address', async () => {
  const matchingRules = { body: { '$.x[*': { matchers: [{ match: 'type' }] } } };
  const pact = pactOfOne({ method: 'GET', path: '/pets' }, { status: 200, matchingRules }, {});
  const report = await verifyInProcess([pact], verifier);
  assert.is(report.exitCode, 3);
  const [why = ''] = report.interactions?.[0]?.messages ?? [];
  assert.ok(why.includes(`'${pact.origin}'`) && why.includes('Unterminated brackets'), why);
});

test('a name that is taken breaks no requirement if names are unique', async () => {
  const handle = handleOf(services.find(({ gaps }) => gaps?.['duplicate-names'] === 'refused-400')!, 1);
  for (const [expected, runTag] of [
    [0, 'aaaaaa'],
    [1, 'bbbbbb'],
  ] as const) {
    const report = await verifyInProcess([pactFrom(version3)], verifier, { handle, runTag });
    assert.is(report.exitCode, expected, reasonInWords(report.reason));
    assert.equal(
      report.requirements.filter(({ verdict }) => verdict === 'fail'),
      [],
    );
    assert.equal(Object.keys(othersThanPass(report)), expected === 0 ? [] : ['a new animal']);
  }
});

test.after(() => verifier.close());
test.run();
