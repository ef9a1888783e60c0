/** A report is read as it was written, and refused with its version where it is not one. */

import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readReport } from '../../cli/saved-report.ts';
import { validKey } from '../../http/credentials.ts';
import { curlOf, isHarmlessCommand } from '../../http/curl.ts';
import { reporters } from '../../reporters/index.ts';
import { UsageError } from '../../run/usage-error.ts';
import type { Report } from '../../verdict/report.ts';
import { sampleReport } from '../reporters/sample-report.ts';
import { temporaryFolder } from './command.ts';

const folder = temporaryFolder();

function written(value: object): string {
  const file = join(folder, 'report.json');
  writeFileSync(file, JSON.stringify(value));
  return file;
}

/** A report without its commands. */
function withoutCommands(report: Report): unknown {
  return JSON.parse(JSON.stringify(report, (name, value) => (name === 'curl' ? undefined : value)));
}

test('a report is read as it was written', async () => {
  const file = join(folder, 'today.json');
  writeFileSync(file, reporters.json(sampleReport));
  assert.equal(withoutCommands(await readReport(file)), withoutCommands(sampleReport));
});

/** Why a file is refused. */
async function refusalOf(file: string): Promise<string> {
  try {
    await readReport(file);
  } catch (error) {
    assert.instance(error, UsageError);
    return (error as Error).message;
  }
  throw new Error(`${file} was read.`);
}

/** The sample report with this command at each of its failures, as it is read. */
async function readWith(curl: string): Promise<readonly string[]> {
  const requirements = sampleReport.requirements.map((one) => ({
    ...one,
    failures: one.failures.map((failure) => ({ ...failure, curl })),
  }));
  const read = await readReport(written({ ...sampleReport, requirements }));
  return read.requirements.flatMap(({ failures }) => failures.map((failure) => failure.curl));
}

test('answers and sizes that a stranger wrote into a report are refused', async () => {
  const [gap] = sampleReport.gaps;
  for (const odd of [{ observed: ['x: y\nid-form: large'] }, { observed: 'accepted' }, { size: '5\nban: none' }]) {
    assert.match(await refusalOf(written({ ...sampleReport, gaps: [{ ...gap, ...odd }] })), / is no report|must /);
  }
});

const url = "'http://127.0.0.1:9/v1/pets'";
const hostile = [
  `curl ${url}; touch owned`,
  `curl ${url} | sh`,
  `curl ${url} && touch owned`,
  `curl ${url}\ntouch owned`,
  `curl -i "$(touch owned)"`,
  `curl -i ${url} -H "x: \`touch owned\`"`,
  `curl -i ${url} -H "x: $HOME"`,
  `curl -i ${url} -o owned`,
  `curl -i ${url} -K owned`,
  `curl -i ${url} -d @owned`,
  `curl -i ${url} -H @owned`,
  `curl -i ${url} -H '@owned'`,
  `curl -i ${url} -H $'\\x40owned'`,
  `curl -i 'file:///etc/passwd'`,
  `curl -i ${url} --data-raw 'a' 'b' > owned`,
  `curl -i ${url} --data-raw 'it's; touch owned #'`,
  `petstore-server --service x; touch owned`,
  `curl -i ${url} --data-binary @owned`,
  `printf %b 'a' | sh | curl -i ${url} --data-binary @-`,
  `printf %b 'a' > owned | curl -i ${url} --data-binary @-`,
  `printf %b "$(touch owned)" | curl -i ${url} --data-binary @-`,
  `printf %b 'a' | curl -i ${url} --data-binary @- | sh`,
  `curl -i ${url} --data-raw $'a\\'; touch owned #'x'`,
];

test('commands of a stranger in a report become a run of the kit', async () => {
  for (const command of hostile) {
    for (const read of await readWith(command))
      assert.match(
        read,
        /^petstore-conformance run BASE_URL --last-failed [\w./-]+report\.json --only [a-z0-9-]+$/,
        command,
      );
  }
});

test('the commands of the kit stay, and in bash each sends one request and runs nothing else', async () => {
  const own = sampleReport.requirements.flatMap(({ failures }) => failures.map(({ curl }) => curl));
  const hard = {
    'content-type': 'application/json',
    'x-empty': '',
    'x-quote': `it's "$(touch owned)" \`touch owned\``,
  };
  const exchanges = [
    `{"name":"it's; touch owned"}`,
    '\u0007\n$(touch owned)',
    "\0'; touch owned #",
    '@owned',
    "''",
  ].map((body) => ({
    request: { method: 'POST', target: '/pets?a=[1]{2}', headers: hard, body },
    credential: validKey('k').shown,
  }));
  const commands = [...own, ...exchanges.map((one) => curlOf(one, 'http://127.0.0.1:9/v1'))].filter(isHarmlessCommand);
  assert.ok(commands.length > exchanges.length + 3);
  writeFileSync(join(folder, 'curl'), '#!/bin/sh\necho asked\n', { mode: 0o755 });
  for (const command of commands) {
    assert.ok((await readWith(command)).every((read) => read === command));
    const printed = execFileSync('/bin/bash', ['--norc', '-c', command], {
      cwd: folder,
      env: { PATH: folder },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    assert.is(printed, 'asked\n', command);
  }
  assert.not.ok(existsSync(join(folder, 'owned')));
});

test('a file that is not a report is refused with the member that is wrong', async () => {
  const { timeline: _none, ...rest } = sampleReport;
  assert.match(await refusalOf(written(rest)), /is not a report of format version 1: it must have .*'timeline'/);
  assert.match(await refusalOf(written({ ...sampleReport, requirements: 7 })), /: \/requirements must be array/);
});

test('a file of another kind is refused with the way to a report', async () => {
  for (const other of [{ log: { entries: [] } }, [], {}, { formatVersion: 2 }]) {
    assert.match(await refusalOf(written(other)), /is not a report of this kit\. --reporter json=FILE writes one\.$/);
  }
});

test('a report of a later version is refused with a sentence that says so', async () => {
  const later = written({ ...sampleReport, formatVersion: 2 });
  assert.match(
    await refusalOf(later),
    /is a report of format version 2, and this kit reads version 1: use a later kit\.$/,
  );
});

test.run();
