/** Proves the judge in both directions: every fault fails and is named, and nothing legal ever fails. */

import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import { pageLimit } from '../../../spec/operations.ts';
import { crossingFaults } from '../../faults/crossings.ts';
import { faults, findFault } from '../../faults/index.ts';
import { memoryFaults } from '../../faults/memory.ts';
import { complaints, isProven, outcomeFile, runSelfTest, shareFound, showSelfTest } from '../../proof/self-test.ts';
import { pairsOf, runInProcess, trialSettings, tryFault } from '../../proof/trial.ts';
import { services } from '../../services/index.ts';
import { keysOfTrials, trialApiKeys } from '../../services/wraps.ts';

const combinations = 100;
const result = await runSelfTest(combinations);

test('each fault is found as it was, and says the same first', () => {
  const known = readFileSync(new URL('outcome.txt', import.meta.url), 'utf8').split('\n');
  const now = outcomeFile(result).split('\n');
  assert.equal(
    [now.filter((line) => !known.includes(line)), known.filter((line) => !now.includes(line))],
    [[], []],
    'If these are right, write them down: npm run generate figures',
  );
});

test('every fault is found within its budget, and most of them early', () => {
  const trialsWithin = (...budgets: readonly (number | undefined)[]) => {
    const ids = new Set(faults.filter(({ within }) => budgets.includes(within)).map(({ id }) => id));
    return { ...result, faults: result.faults.filter(({ id }) => ids.has(id)) };
  };
  const common = trialsWithin(undefined);
  const rare = trialsWithin(1_000).faults.length;
  assert.ok(rare > 0 && rare < 100, `${rare} rare faults take a thousand requests each`);
  for (const [trials, requests, least] of [
    [common, 20, 0.7],
    [common, 60, 0.85],
    [trialsWithin(undefined, 300), 300, 1],
    [result, 1_000, 1],
  ] as const) {
    const share = shareFound(trials, requests);
    assert.ok(share >= least, `${share} within ${requests}`);
  }
});

const ofDrawn = [memoryFaults, crossingFaults].flatMap((table) => {
  return Object.values(table).flatMap((rows) => Object.keys(rows));
});

test('either large budget finds faults that no smaller one finds, and drawn sequences find some of them', () => {
  const foundWithin = (requests: number, ids: readonly string[]) =>
    ids.filter((id) => result.faults.some((trial) => trial.id === id && trial.foundWithin === requests));
  assert.ok(foundWithin(300, ofDrawn).length >= 3, `${foundWithin(300, ofDrawn)}`);
  assert.ok(foundWithin(1_000, ofDrawn).length >= 5, `${foundWithin(1_000, ofDrawn)}`);
});

test('drawn sequences find the same faults within the same budget with another seed', async () => {
  for (const id of ofDrawn) {
    const fault = findFault(id);
    assert.is((await tryFault(fault, { seed: 2 })).foundWithin, fault.within, id);
  }
});

const everySoMany = 60;

test('the same faults are found with eight requests at a time and another seed', async () => {
  const found = faults.filter(({ isSerial, within }) => isSerial !== true && within === undefined);
  const sample = found.filter((_fault, at) => at % everySoMany === 0);
  for (const fault of sample) {
    const trial = await tryFault(fault, { concurrency: 8, seed: 3 });
    assert.ok(trial.foundWithin !== undefined, fault.id);
  }
});

test('what seems missing is found with a thousand requests, too, before animals fill every page', async () => {
  for (const id of ['filter-finds-nothing', 'limit-one-too-few', 'page-lacks-the-newest']) {
    const { wrap } = findFault(id);
    const handle = wrap(createPetStore({ keys: trialApiKeys }).handle, keysOfTrials);
    const report = await runInProcess(handle, trialSettings(1_000, { plan: 'business' }));
    assert.is(report.requirements.find((one) => one.id === 'list-complete')?.verdict, 'fail', id);
  }
});

test('an advised fault is not found if the run fails, or if nothing warns', async () => {
  const advised = findFault(`limit-beyond-${pageLimit.most}-clamped`);
  const required = findFault('read-answers-404');
  const failing = await tryFault({
    ...advised,
    wrap: (handle) => advised.wrap(required.wrap(handle, keysOfTrials), keysOfTrials),
  });
  assert.is(failing.foundWithin, undefined);
  assert.is((await tryFault({ ...advised, wrap: (handle) => handle })).foundWithin, undefined);
});

test('no legal service fails, alone or with another, and its choices are observed', () => {
  assert.equal(complaints(result), []);
  assert.is(result.services.length, services.length + combinations);
});

test('a new service brings pairs of its own and leaves the others as they are, wherever it stands in the catalogue', () => {
  const namesOf = (rows: typeof services) =>
    pairsOf(rows, combinations).map(({ service, seed }) => `${service.id} ${seed}`);
  const known = new Set(namesOf(services));
  for (const at of [0, 70, services.length]) {
    const isOfNew = (name: string) => name.includes('new-row');
    const pairs = namesOf(services.toSpliced(at, 0, { id: 'new-row' }));
    const changed = pairs.filter((name) => !known.has(name));
    assert.is(pairs.length, combinations);
    assert.ok(changed.length > 0 && changed.length < 10 && changed.every(isOfNew), `${at}: ${changed}`);
  }
});

test('the kit is proven, unless a fault is not found or a service fails or is misread, and the text says so', () => {
  const [fault, ...others] = result.faults;
  const [service, ...services] = result.services;
  assert.is(isProven(result), true);
  assert.match(showSelfTest(result), /\n100\.0 % of faults within 1000 requests\n0 complaints about \d+ legal/);
  for (const [changed, line] of [
    [{ faults: [{ ...fault!, foundWithin: undefined }, ...others] }, `${fault!.id}: NOT, `],
    [{ services: [{ ...service!, complaint: 'x' }, ...services] }, `FALSE FAILURE  ${service!.id}: x`],
    [{ services: [{ ...service!, misread: ['ban: x'] }, ...services] }, `MISREAD  ${service!.id}: ban: x`],
  ] as const) {
    assert.match(showSelfTest({ ...result, ...changed }), line);
    assert.is(isProven({ ...result, ...changed }), false);
  }
});

test.run();
