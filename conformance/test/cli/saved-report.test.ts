/** A report is read as it was written, and refused with its version where it is not one. */

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readReport } from '../../cli/saved-report.ts';
import { reporters } from '../../reporters/index.ts';
import { sampleReport } from '../reporters/sample-report.ts';
import { temporaryFolder } from './command.ts';

const folder = temporaryFolder();

function written(value: object): string {
  const file = join(folder, 'report.json');
  writeFileSync(file, JSON.stringify(value));
  return file;
}

test('a report is read as it was written', () => {
  const file = join(folder, 'today.json');
  writeFileSync(file, reporters.json(sampleReport));
  assert.equal(readReport(file), JSON.parse(JSON.stringify(sampleReport)));
});

test('a file that is not a report is refused with the member that is wrong', () => {
  const { timeline: _none, ...rest } = sampleReport;
  assert.throws(() => readReport(written(rest)), /is not a report of format version 1: it must have .*'timeline'/);
  assert.throws(() => readReport(written({ ...sampleReport, requirements: 7 })), /: \/requirements must be array/);
});

test('a report of a later version is refused with a sentence that says so', () => {
  const later = written({ ...sampleReport, formatVersion: 2 });
  assert.throws(
    () => readReport(later),
    /is a report of format version 2, and this kit reads version 1: use a later kit\.$/,
  );
});

test.after(() => rmSync(folder, { recursive: true, force: true }));

test.run();
