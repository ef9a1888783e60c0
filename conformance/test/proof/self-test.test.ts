/** The judge is proven in both directions: every fault fails and is named, nothing legal ever does. */

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import { meaningOf } from '../../../spec/failure-codes.ts';
import { coverOf } from '../../proof/cover.ts';
import { complaints, foundWithin, isProven, misreadings, runSelfTest, showSelfTest } from '../../proof/self-test.ts';
import {
  combine,
  type FaultTrial,
  runInProcess,
  trialKeys,
  trialSettings,
  tryFault,
  tryVariant,
} from '../../proof/trial.ts';
import { faults } from '../../sections/faults.ts';

const result = await runSelfTest(150);

test('every fault is found within the default budget, and a requirement that it breaks is named', () => {
  assert.equal(
    result.faults.filter(({ isFound, isNamed }) => !isFound || !isNamed).map(({ id, told }) => ({ id, told })),
    [],
  );
});

/** Two that were found only by requests one after the other. */
const foundInOrder = ['default-limit-15-with-filter', 'creation-with-a-long-name-breaks-off'];
const everySoMany = 16;

test('with requests side by side and another seed the same is found', async () => {
  const some = faults.filter(({ id }, at) => at % everySoMany === 0 || foundInOrder.includes(id));
  assert.ok(some.length > faults.length / everySoMany);
  for (const fault of some) {
    const { isFound, isNamed } = await tryFault(fault, { concurrency: 8, seed: 3 });
    assert.equal([isFound, isNamed], [true, true], fault.id);
  }
});

test('every code that a failure is told by is explained', () => {
  const codes = new Set(result.faults.flatMap(({ codes: told }) => told));
  assert.ok(codes.size > 40);
  assert.equal(
    [...codes].filter((code) => meaningOf(code) === undefined),
    [],
  );
});

test('what is required fails the run, what is advised warns and fails nothing', async () => {
  for (const [id, exitCode, verdict] of [
    ['default-limit-19', 1, 'fail'],
    ['limit-beyond-100-clamped', 0, 'warn'],
    ['base-address-of-another-version', 0, 'warn'],
  ] as const) {
    const { basePath = '/v1', breaks, wrap } = faults.find((fault) => fault.id === id)!;
    const handle = wrap(createPetStore({ keys: trialKeys, basePath }).handle);
    const report = await runInProcess(handle, trialSettings(300, { baseUrl: `http://in-process${basePath}` }));
    assert.is(report.exitCode, exitCode, id);
    assert.is(report.requirements.find((one) => one.id === breaks[0])?.verdict, verdict, id);
  }
});

test('a fault of what is advised is not found where the run fails, nor where nothing warns', async () => {
  const advised = faults.find(({ id }) => id === 'limit-beyond-100-clamped')!;
  const required = faults.find(({ id }) => id === 'read-answers-404')!;
  const failing = await tryFault({ ...advised, wrap: (handle) => advised.wrap(required.wrap(handle)) });
  assert.equal([failing.isFound, failing.isNamed], [false, true]);
  const silent = await tryFault({ ...advised, wrap: (handle) => handle });
  assert.equal([silent.isFound, silent.isNamed, silent.foundWithin], [true, false, undefined]);
});

/** How many faults the fewest requests find that find the most, if they could be chosen freely. */
function mostFoundBy(trials: readonly FaultTrial[], most: number): number {
  let [requests, found] = [0, 0];
  for (const step of coverOf(trials)) {
    requests += step.requests.length;
    if (requests <= most) found += step.faults.length;
  }
  return found;
}

test('twenty and sixty requests find nearly what the best choice of so many would, of what needs no second key', () => {
  const trials = result.faults.filter(({ level, needsExhaustion }) => level === 'required' && !needsExhaustion);
  for (const most of [20, 60]) {
    const [found, best] = [foundWithin(trials, most), mostFoundBy(trials, most)];
    assert.ok(found >= best * 0.95, `${found} of ${trials.length} within ${most} requests, at best ${best}`);
  }
});

test('no variant fails', () => {
  assert.equal(complaints(result.variants), []);
  assert.ok(result.variants.length >= 100);
});

test('where the interface is silent, runs observe what servers chose', () => {
  assert.equal(misreadings([...result.variants, ...result.combinations]), []);
});

test('no random combination of legal choices fails', () => {
  assert.equal(complaints(result.combinations), []);
  assert.is(result.combinations.length, 150);
});

test('whatever is combined, drawn anew each time, nothing legal fails', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 20, max: 120 }), async (seed, maxRequests) => {
      const { complaint, exitCode } = await tryVariant(combine(seed), maxRequests, seed);
      assert.is(exitCode, 0, complaint);
    }),
    { numRuns: 80 },
  );
});

test('no run spends more than its budget', () => {
  for (const { id, requests, creates } of result.combinations) assert.ok(requests <= 60 && creates <= 60, id);
  for (const { id, requests, creates } of result.variants) assert.ok(requests <= 300 && creates <= 60, id);
});

test('the matrix tells every fault and the figures', () => {
  const text = showSelfTest(result);
  for (const { id } of result.faults) assert.match(text, `  ${id}  `);
  assert.match(text, / {2}limit-below-1-ignored {2}list-limit-refused \(advised: warns\)\n/);
  assert.not.match(text, / {2}default-limit-19 .*advised/);
  assert.match(text, /0 false failures over \d+ variants, 0 over 150 random combinations/);
  assert.match(text, /\n0 answers misread where the interface is silent\n$/);
  assert.is(isProven(result), true);
});

test('a fault not found, a variant that fails or is misread, and a requirement without a fault are no proof', () => {
  const [fault, ...faults] = result.faults;
  const [variant, ...variants] = result.variants;
  for (const missing of [{ isNamed: false }, { isFound: false }]) {
    const unfound = { ...result, faults: [{ ...fault!, ...missing }, ...faults] };
    assert.is(isProven(unfound), false);
    assert.match(showSelfTest(unfound), `NOT FOUND         ${fault!.id}  `);
  }
  assert.is(isProven({ ...result, variants: [{ ...variant!, complaint: 'x' }, ...variants] }), false);
  const misread = { ...result, variants: [{ ...variant!, misread: ['ban: x'] }, ...variants] };
  assert.is(isProven(misread), false);
  assert.match(showSelfTest(misread), `MISREAD  ${variant!.id}: ban: x`);
  assert.is(isProven({ ...result, unproven: ['pet-id'] }), false);
});

test.run();
