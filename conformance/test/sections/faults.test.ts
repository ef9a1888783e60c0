/** Faults stand in the folder of the section that they break, and every requirement has one. */

import { existsSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requirements } from '../../../spec/requirements.ts';
import { provable } from '../../proof/self-test.ts';
import { levelOf } from '../../proof/trial.ts';
import { faults, faultsByFile } from '../../sections/faults.ts';

const sectionOf = new Map<string, string>(requirements.map(({ id, section }) => [id, section]));

test('every fault stands in the folder of the section that it breaks most plainly', async () => {
  for (const [file, faults] of Object.entries(faultsByFile)) {
    const exported: readonly unknown[] = Object.values(await import(`../../sections/${file}/faults.ts`));
    assert.ok(exported.includes(faults), file);
    for (const { id, breaks } of faults) assert.is(sectionOf.get(breaks[0]), file.split('-')[0], id);
  }
});

test('every folder with faults has invariants', () => {
  for (const file of Object.keys(faultsByFile)) {
    assert.ok(existsSync(new URL(`../../sections/${file}/invariants.ts`, import.meta.url)), file);
  }
});

test('every requirement has a fault that breaks it most plainly, an advised one two or more', () => {
  for (const requirement of provable()) {
    const [first, second] = faults.filter(({ breaks }) => breaks[0] === requirement);
    assert.ok(first, requirement);
    if (levelOf(first) === 'advised') assert.ok(second, requirement);
  }
});

test('a fault breaks requirements of one level', () => {
  const levels = new Map<string, string>(requirements.map(({ id, level }) => [id, level]));
  for (const fault of faults) {
    for (const requirement of fault.breaks) assert.is(levels.get(requirement), levelOf(fault), fault.id);
  }
});

test.run();
