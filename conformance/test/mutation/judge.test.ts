/** The list of surviving mutants is in form, names mutants that exist, and a sample of mutants ends as it says. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { gaps } from '../../../spec/gaps.ts';
import { buildMutants, type Mutant, mutatedServers } from './mutants.ts';
import { survivors } from './survivors.ts';
import { runUnchanged, tryMutant } from './trial.ts';

const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-mutants-'));
const built = await Promise.all(mutatedServers.map((server) => buildMutants(server, folder)));
const mutants = built.flatMap((one) => one.mutants);
const isMutant = (file: string, key: string) => (mutant: Mutant) => mutant.file === file && mutant.key === key;

test('no two mutants of a file have the same name', () => {
  assert.is(new Set(mutants.map(({ file, key }) => `${file} ${key}`)).size, mutants.length);
});

test('every survivor is a mutant of today, stands in the list once and has a reason', () => {
  const listed = survivors.flatMap(({ file, mutants: keys }) => keys.map((key) => ({ file, key })));
  assert.equal(
    listed.filter(({ file, key }) => !mutants.some(isMutant(file, key))),
    [],
  );
  assert.is(new Set(listed.map(({ file, key }) => `${file} ${key}`)).size, listed.length);
  for (const { reason } of survivors) assert.match(reason, /^[A-Z§].{20,}\.$/s);
});

test('a legal survivor names the gap or the section that leaves it open', () => {
  const gapIds: readonly string[] = gaps.map(({ id }) => id);
  for (const { kind, gap, reason } of survivors) {
    assert.ok(['equivalent', 'legal', 'hole'].includes(kind), kind);
    assert.is(kind === 'legal' && gap === undefined ? /§/.test(reason) : true, true, reason);
    assert.ok(gap === undefined || gapIds.includes(gap), gap);
  }
});

/** Mutants that the first sixty requests must show: the file, the change, and what fails. */
const sample = [
  ['reference-server/operations.ts', "query.get('limit') ?? '20' → query.get('limit') && '20'", 'list-limit'],
  ['reference-server/operations.ts', `'status' → ""`, 'list-status-filter'],
  [
    'reference-server/operations.ts',
    "typeof name !== 'string' || !name.isWellFormed() → false",
    'create-invalid-values',
  ],
  ['reference-server/limit.ts', 'used += requests → used -= requests', 'rate-remaining-header'],
] as const;

test('a sample of mutants fails, and the server without a change conforms', async () => {
  const { bundle, server, mutants: all } = built[0]!;
  const from = { bundle, exported: server.exported };
  const baseline = await runUnchanged(from, 60);
  for (const [file, change, requirement] of sample) {
    const mutant = all.find((one) => one.file === file && one.key.endsWith(`¦ ${change}`));
    assert.ok(mutant, change);
    const trial = await tryMutant({ from, id: mutant.id.split(':')[1]!, budgets: [60], baseline });
    assert.is(trial.outcome, 'failed', change);
    assert.ok(trial.shownBy.includes(requirement), trial.shownBy.join());
  }
});

test.after(() => rmSync(folder, { recursive: true }));

test.run();
