/** Reports that earlier versions wrote are read as if they were of today, as far as they tell. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readReport } from '../../command-line/saved-report.ts';
import { reporters } from '../../reporters/index.ts';
import { temporaryFolder } from '../command.ts';
import { sampleReport } from '../reporters/sample-report.ts';

const folder = temporaryFolder();
const oldFile = new URL('report-of-version-1.json', import.meta.url).pathname;
const old = JSON.parse(readFileSync(oldFile, 'utf8'));

function written(value: object): string {
  const file = join(folder, 'report.json');
  writeFileSync(file, JSON.stringify(value));
  return file;
}

test('a report of today is read as it was written', () => {
  const file = join(folder, 'today.json');
  writeFileSync(file, reporters.json(sampleReport));
  assert.equal(readReport(file), JSON.parse(JSON.stringify(sampleReport)));
});

test('a report of version 1 keeps all that it told, and says what it is', () => {
  const report = readReport(oldFile);
  assert.is(report.formatVersion, 2);
  assert.is(report.upgradedFrom, 1);
  for (const name of ['target', 'seed', 'requirements', 'interactions', 'gaps', 'created', 'exchanges'] as const) {
    assert.equal(report[name], old[name]);
  }
  assert.is(report.kit.version, '0.1.0');
  assert.equal(report.counts, sampleReport.counts);
});

test('its timeline is made of the exchanges that it holds', () => {
  const { timeline, exchanges } = readReport(oldFile);
  assert.is(timeline.length, exchanges.length);
  assert.equal(timeline[0], {
    number: 3,
    check: 'create-valid',
    operation: 'createPet',
    status: 201,
    startedAt: '2026-11-21T10:00:00.030Z',
    durationMs: 3,
    credential: 'valid',
    limit: 60,
    remaining: 41,
    reset: 1795255260,
  });
  assert.equal(
    timeline.map(({ credential }) => credential),
    exchanges.map(({ credentialId }) => (credentialId === 'api-key' ? 'valid' : 'invalid')),
  );
});

test('a credential that this kit does not know is one that must be refused', () => {
  const [exchange] = old.exchanges;
  const report = readReport(written({ ...old, exchanges: [{ ...exchange, credentialId: 'of-old' }] }));
  assert.equal(
    report.timeline.map(({ credential }) => credential),
    ['invalid'],
  );
});

test('a report of version 1 can be written as one of today, and read again', () => {
  const report = readReport(oldFile);
  assert.equal(readReport(written(report)), report);
});

test('what is wrong with a report is told with its version', () => {
  const { requirements: _gone, ...without } = old;
  assert.throws(() => readReport(written(without)), /is no report of format version 1: it must have .*'requirements'/);
  const { timeline: _none, ...rest } = sampleReport;
  assert.throws(() => readReport(written(rest)), /is no report of format version 2: it must have .*'timeline'/);
  assert.throws(() => readReport(written({ ...old, requirements: 7 })), /version 1: \/requirements must be array/);
});

test.after(() => rmSync(folder, { recursive: true, force: true }));

test.run();
