/** Whoever changes a sentence of the interface finds its faults by the name of its section. */

import { existsSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requirements } from '../../../spec/requirements.ts';
import { faultsByFile } from '../../faults/index.ts';

const sectionOf = new Map<string, string>(requirements.map(({ id, section }) => [id, section]));

test('every fault stands in the file of the section that it breaks most plainly', async () => {
  for (const [file, faults] of Object.entries(faultsByFile)) {
    const exported: readonly unknown[] = Object.values(await import(`../../faults/${file}.ts`));
    assert.ok(exported.includes(faults), file);
    for (const { id, breaks } of faults) assert.is(sectionOf.get(breaks[0]), file.split('-')[0], id);
  }
});

test('faults and checks of a section stand in files of one name', () => {
  for (const file of Object.keys(faultsByFile)) {
    assert.ok(existsSync(new URL(`../../checks/${file}.ts`, import.meta.url)), file);
  }
});

test.run();
