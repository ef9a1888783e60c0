/** The list of surviving mutants is in form, names mutants that exist, and a sample of mutants ends as it says. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { gaps } from '../../../spec/gaps.ts';
import { buildMutants, keysIn, mutatedServers, survivors } from './mutants.ts';
import { runUnchanged, tryMutant } from './trial.ts';

const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-mutants-'));
const built = await Promise.all(mutatedServers.map((server) => buildMutants(server, folder)));

test('every survivor is a mutant of today, stands in the list once and has a reason', () => {
  const names = built.flatMap(({ mutants }) => mutants.map(({ file, key }) => `${file} ${key}`));
  assert.is(new Set(names).size, names.length);
  const listed = survivors.flatMap((group) => keysIn(group).map((key) => `${group.file} ${key}`));
  assert.is(new Set(listed).size, listed.length);
  assert.equal(
    listed.filter((name) => !names.includes(name)),
    [],
  );
});

test('a legal survivor names the gap or the section that leaves it open', () => {
  const gapIds: readonly string[] = gaps.map(({ id }) => id);
  for (const { kind, gap, reason } of survivors) {
    assert.match(reason, /^[A-Z§].{20,}\.$/s);
    assert.ok(['equivalent', 'legal', 'hole'].includes(kind), kind);
    assert.is(kind === 'legal' && gap === undefined ? /§/.test(reason) : true, true, reason);
    assert.ok(gap === undefined || gapIds.includes(gap), gap);
  }
});

/** Mutants that the first sixty requests must show, and what fails. */
const sample = {
  "query.get('limit') ?? '20' → query.get('limit') && '20'": 'list-limit',
  "query.get('status') ?? undefined → query.get('status') && undefined": 'list-status-filter',
  "typeof name !== 'string' || !name.isWellFormed() → false": 'create-invalid-values',
  'used += requests → used -= requests': 'rate-remaining-header',
};

test('a sample of mutants fails, and the server without a change conforms', async () => {
  const [{ bundle, server, mutants }] = built as [(typeof built)[0]];
  const from = { bundle, exported: server.exported };
  const baseline = await runUnchanged(from, 60);
  for (const [change, requirement] of Object.entries(sample)) {
    const mutant = mutants.find(({ file, key }) => /operations|limit/.test(file) && key.endsWith(`¦ ${change}`));
    assert.ok(mutant, change);
    const trial = await tryMutant({ from, id: mutant.id.split(':')[1]!, budgets: [60], baseline });
    assert.is(trial.outcome, 'failed', change);
    assert.ok(trial.shownBy.includes(requirement), trial.shownBy.join());
  }
});

test.after(() => rmSync(folder, { recursive: true }));

test.run();
