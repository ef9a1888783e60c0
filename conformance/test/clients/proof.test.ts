/**
 * Every faulty client is found and named, no careful one fails, and the services that a client runs under are legal: the kit
 * finds nothing wrong with those that are no rows of its catalogue.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createTwin } from '../../../reference-server/twin/gaps.ts';
import { type ClientRequirementId, clientRequirements } from '../../../spec/client-requirements.ts';
import { judgeClient } from '../../clients/judge-client.ts';
import { refusalsTo } from '../../clients/refusals.ts';
import { amongOthers, clientServices, knownCategory } from '../../clients/services.ts';
import { runInProcess, trialSettings } from '../../proof/trial.ts';
import { services as catalogue } from '../../services/index.ts';
import { keysOfTrials, trialApiKeys } from '../../services/wraps.ts';
import { sentenceOf } from '../../verdict/finding.ts';
import { clientOf, explore, type Run } from './bench.ts';
import { carefulClients } from './careful.ts';
import { faultyClients } from './faulty.ts';

/** The requirements that a client breaks, each with the verdict and the first failure. */
async function brokenBy(run: Run, only?: ReadonlySet<ClientRequirementId>) {
  const made = await explore(clientOf(run), { concurrency: 2, ...(only === undefined ? {} : { only }) });
  const broken = judgeClient(made).flatMap(({ id, verdict, failures: [first] }) =>
    first === undefined ? [] : [{ id, verdict, sentence: sentenceOf(first.failure) }],
  );
  return { broken, isPassed: made.usual.isPassed };
}

/** Faulty client → the way out that its failure names. */
const waysOut: Readonly<Record<string, RegExp>> = {
  'uses-getPet': /: it relies on getPet, which is removed on 5 December 2030 \(§9\)/,
  'knows-a-category': /: the variable PETSTORE_CATEGORY_ID holds one that exists/,
  'has-names-of-other-letters': /: it relies on a name that .* works with all services here/,
  hammers: /: it does not wait, and repeated requests after a 429 may cause a ban/,
};

for (const client of faultyClients) {
  test(`the faulty client ${client.id} is found and named`, async () => {
    const { broken } = await brokenBy(client.run, new Set([...client.breaks, 'client-goes-on']));
    const named = broken.map(({ id }) => id);
    const unnamed = client.breaks.filter((id) => !named.includes(id));
    assert.equal(unnamed, [], named.join());
    assert.match(broken.map(({ sentence }) => sentence).join(), waysOut[client.id] ?? '');
  });
}

for (const [id, client] of carefulClients) {
  test(`no service fails the careful client ${id}`, async () => {
    const { broken, isPassed } = await brokenBy(client);
    assert.ok(isPassed);
    // Two of them do on purpose what a client is warned of.
    const isOnPurpose = /^(client-deprecated|client-shown-only) warn$/;
    const unmeant = broken.filter(({ id, verdict }) => !isOnPurpose.test(`${id} ${verdict}`));
    assert.equal(unmeant, []);
  });
}

test('every requirement to work with any service is broken by a faulty client', () => {
  const broken = new Set(faultyClients.flatMap(({ breaks }) => breaks));
  assert.equal(
    clientRequirements.flatMap(({ id }) => (id.startsWith('any-') && !broken.has(id) ? [id] : [])),
    // Every service allows the origin of a page, and a client has one key.
    ['any-cors', 'any-key-scope'],
  );
});

const all = [amongOthers, ...clientServices, ...refusalsTo()];

for (const { id, gaps = {}, wrap, animals = [] } of all) {
  // The self-test runs against the rows of the catalogue.
  const row = catalogue.find((service) => service.id === id);
  if (wrap === undefined || row?.wrap === wrap) continue;
  const { startsAt } = row ?? {};
  test(`the kit finds nothing wrong with ${id}`, async () => {
    const { handle } = createTwin({ keys: trialApiKeys, gaps, animals });
    const day = startsAt === undefined ? {} : { today: startsAt };
    const settings = trialSettings(60, { categoryIds: [knownCategory], hasRateLimitKey: false, ...day });
    const made = await runInProcess(wrap(handle, keysOfTrials), settings, startsAt === undefined ? {} : { startsAt });
    const failed = made.requirements.filter(({ verdict }) => verdict === 'fail');
    assert.is(failed.map((one) => sentenceOf(one.failures[0]!)).join(), '');
    // After the fourth 429 in a row the kit stops, so that it risks no ban.
    assert.is(made.exitCode, id === '429-five-times' ? 3 : 0);
  });
}

test('services have ids of their own, and each is described in a sentence', () => {
  assert.is(new Set(all.map(({ id }) => id)).size, all.length);
  for (const { id, meaning } of all) assert.match(meaning, /^[A-Z0-9].*\.$/, id);
});

test.run();
