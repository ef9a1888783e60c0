/** Files are read with a bound, whatever they claim to be, and sentences about them are short. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readText } from '../../cli/files.ts';
import { UsageError } from '../../cli/usage-error.ts';
import { run, temporaryFolder } from './command.ts';

const folder = temporaryFolder();
const expected = { what: 'The report', largest: 1_000 };

function complaintOf(file: string): string {
  try {
    readText(file, expected);
  } catch (error) {
    assert.instance(error, UsageError);
    return (error as Error).message;
  }
  throw new Error(`${file} was read.`);
}

test('a file of the largest size is read, and one byte more is refused', () => {
  const file = join(folder, 'text');
  writeFileSync(file, 'x'.repeat(1_000));
  assert.is(readText(file, expected).length, 1_000);
  writeFileSync(file, 'x'.repeat(1_001));
  assert.is(complaintOf(file), `${file} is larger than 1000 bytes.`);
});

test('a device, a folder and a missing file are refused', () => {
  mkdirSync(join(folder, 'inside'));
  assert.is(complaintOf('/dev/zero'), 'The report /dev/zero cannot be read (ENODEV): it is no file.');
  assert.match(complaintOf(join(folder, 'inside')), /\(EISDIR\): it is a folder\.$/);
  assert.match(complaintOf(join(folder, 'none')), /\(ENOENT\): there is no such file\.$/);
});

test('a pipe without a writer is empty, and does not block', () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  assert.is(readText(pipe, expected), '');
});

test('a value of 20,000 characters gives a sentence of at most 300', async () => {
  const long = 'x'.repeat(20_000);
  for (const words of [
    ['run', '--plan', long],
    ['run', `--${long}`],
    ['run', '--reporter', `json=/${long}`],
    ['run', '--only', long],
    ['explain', long],
    ['report', long],
    [long],
  ]) {
    const { code, stderr } = await run(words);
    assert.is(code, 2, stderr.slice(0, 400));
    assert.ok(stderr.trimEnd().length <= 300, `${words[0]}: ${stderr.length}`);
  }
});

test.run();
