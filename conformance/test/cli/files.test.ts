/** Files are read and written with a bound on size and time, and sentences about them are short. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkOutputFiles, openFolder, readText, writeText } from '../../cli/files.ts';
import { reporters } from '../../reporters/index.ts';
import { UsageError } from '../../run/usage-error.ts';
import { sampleReport } from '../reporters/sample-report.ts';
import { program, temporaryFolder } from './command.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const read = (file: string): Promise<string> => readText(file, { what: 'The report', largest: 1_000 });

async function complaintOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.instance(error, UsageError);
    return (error as Error).message;
  }
  throw new Error('It was done.');
}

test('a file of the largest size is read, and one byte more is refused', async () => {
  writeFileSync(at('text'), 'x'.repeat(1_000));
  assert.is(await read(at('text')), 'x'.repeat(1_000));
  writeFileSync(at('text'), 'x'.repeat(1_001));
  assert.is(await complaintOf(read(at('text'))), `${at('text')} is larger than 1000 bytes.`);
});

test('a device, a folder and a missing file are refused', async () => {
  mkdirSync(at('inside'));
  assert.is(await complaintOf(read('/dev/zero')), 'The report /dev/zero cannot be read: no such device (ENODEV).');
  assert.match(await complaintOf(read(at('inside'))), /: illegal operation on a directory \(EISDIR\)\.$/);
  assert.match(await complaintOf(read(at('none'))), /: no such file or directory \(ENOENT\)\.$/);
});

test('a pipe is read to its end', () => {
  writeFileSync(at('saved.json'), reporters.json(sampleReport));
  const command = `"${process.execPath}" "${program}" report <(sleep 0.2; cat saved.json) --quiet`;
  const printed = execFileSync('bash', ['-c', command], { cwd: folder, encoding: 'utf8' });
  assert.match(printed, /^Does not conform/i);
});

test('a text is written into folders that are made, behind a text, or only where nothing is', async () => {
  const file = at('new/folder/text');
  await writeText(file, 'one');
  await writeText(file, 'two', 'a');
  assert.is(readFileSync(file, 'utf8'), 'onetwo');
  await writeText(file, 'three');
  assert.is(readFileSync(file, 'utf8'), 'three');
  assert.match(await complaintOf(writeText(file, 'four', 'wx')), /cannot be written: .*\(EEXIST\)/);
});

test('a place where nothing can be written is named with its reason', async () => {
  mkdirSync(at('full'));
  assert.match(await complaintOf(writeText(at('full'), 'x')), /full cannot be written: .*\(EISDIR\)\.$/);
  assert.match(await complaintOf(writeText('/proc/none/x', 'x')), /^\/proc\/none\/x cannot be written: .*\(E\w+\)/);
  assert.match(await complaintOf(openFolder('/proc/none/x')), /^\/proc\/none\/x cannot be written: .*\(E\w+\)/);
  assert.match(await complaintOf(writeText('/dev/full', 'x')), /no space left on device \(ENOSPC\)/);
});

test('outputs are opened without a change, and no two may be one file', async () => {
  writeFileSync(at('kept'), 'kept');
  symlinkSync(at('kept'), at('link'));
  await checkOutputFiles([at('kept'), undefined, '/dev/null', '/dev/null']);
  assert.is(readFileSync(at('kept'), 'utf8'), 'kept');
  assert.match(
    await complaintOf(checkOutputFiles([at('kept'), at('link')])),
    /link is named for two outputs, and one would replace the other: name two files\.$/,
  );
});

test.run();
