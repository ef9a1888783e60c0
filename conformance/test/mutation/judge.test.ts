/** The list of surviving mutants is in form, names mutants that exist, and a sample of mutants ends as it says. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { gaps } from '../../../spec/gaps.ts';
import { buildMutants, listed, nameOf, survivors, tryMutant } from './judge.ts';

const { code, mutants } = await buildMutants();

test('every survivor is a mutant of today, stands in the list once and has a reason', () => {
  const names = mutants.map(nameOf);
  assert.is(new Set(names).size, names.length);
  assert.is(new Map(listed).size, listed.length);
  assert.is(listed.filter(([name]) => !names.includes(name)).join(), '');
  for (const { kind, gap, reason } of survivors) {
    assert.match(reason, /^[A-Z§].{20,}\.$/s);
    assert.ok(kind !== 'legal' || gap !== undefined || reason.includes('§'), reason);
    assert.ok(gap === undefined || gaps.some(({ id }) => id === gap), gap);
  }
});

/** Mutants that the first sixty requests must show, and what fails. */
const sample = {
  "query.get('limit') ?? String(listLimit.usual) → query.get('limit') && String(listLimit.usual)": 'list-limit',
  "query.get('status') ?? undefined → query.get('status') && undefined": 'list-status-filter',
  "typeof name !== 'string' || !name.isWellFormed() → false": 'create-invalid-values',
  'used += requests → used -= requests': 'rate-remaining-header',
};

test('a sample of mutants fails, and the server without a change conforms', async () => {
  assert.equal(await tryMutant(code, 'none', [60]), []);
  for (const [change, requirement] of Object.entries(sample)) {
    const mutant = mutants.find(({ file, key }) => /operations|limit/.test(file) && key.endsWith(`¦ ${change}`));
    assert.ok(mutant, change);
    assert.ok((await tryMutant(code, mutant.id, [60])).includes(requirement), change);
  }
});

test.run();
