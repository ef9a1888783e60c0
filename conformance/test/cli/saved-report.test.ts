/** A report is read as it was written, and as a stranger's file: with harmless commands alone. */

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
const file = join(folder, 'report.json');

function readWritten(text: string): Promise<Report> {
  writeFileSync(file, text);
  return readReport(file);
}

test('a report is read as it was written, but for its commands', async () => {
  const withoutCommands = (report: Report): unknown =>
    JSON.parse(JSON.stringify(report, (name, value) => (name === 'curl' ? undefined : value)));
  assert.equal(withoutCommands(await readWritten(reporters.json(sampleReport))), withoutCommands(sampleReport));
});

const { timeline: _timeline, ...withoutTimeline } = sampleReport;
const [gap] = sampleReport.gaps;

const refused: readonly (readonly [value: unknown, sentence: RegExp])[] = [
  [withoutTimeline, /is not a report of format version 1: it must have .*'timeline'/],
  [{ ...sampleReport, requirements: 7 }, /: \/requirements must be array/],
  [{ ...sampleReport, formatVersion: 2 }, /is a report of format version 2, and this kit reads version 1: use a later/],
  ...[{ log: { entries: [] } }, [], {}, { formatVersion: 2 }].map(
    (other) => [other, /is not a report of this kit\. --reporter json=FILE writes one\.$/] as const,
  ),
  ...[{ observed: ['x: y\nid-form: large'] }, { observed: 'accepted' }, { size: '5\nban: none' }].map(
    (change) => [{ ...sampleReport, gaps: [{ ...gap, ...change }] }, / is no report|must /] as const,
  ),
];

for (const [value, sentence] of refused) {
  test(`${JSON.stringify(value).slice(-60)} is refused: ${sentence.source.slice(0, 60)}`, async () => {
    const error = await readWritten(JSON.stringify(value)).catch((thrown: unknown) => thrown);
    assert.instance(error, UsageError);
    assert.match((error as Error).message, sentence);
  });
}

/** The sample report with this command at each of its failures, as it is read. */
async function readWith(curl: string): Promise<readonly string[]> {
  const text = JSON.stringify(sampleReport, (name, value) => (name === 'curl' ? curl : value));
  return (await readWritten(text)).requirements.flatMap(({ failures }) => failures.map((failure) => failure.curl));
}

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
  const ofKit = /^petstore-conformance run BASE_URL --last-failed [\w./-]+report\.json --only [a-z0-9-]+$/;
  for (const command of hostile) for (const read of await readWith(command)) assert.match(read, ofKit, command);
});

test('the commands of the kit stay, and in bash each sends one request and runs nothing else', async () => {
  const own = sampleReport.requirements.flatMap(({ failures }) => failures.map(({ curl }) => curl));
  const quote = `it's "$(touch owned)" \`touch owned\``;
  const headers = { 'content-type': 'application/json', 'x-empty': '', 'x-quote': quote };
  const bodies = [`{"name":"it's; touch owned"}`, '\u0007\n$(touch owned)', "\0'; touch owned #", '@owned', "''"];
  const hard = bodies.map((body) => {
    const request = { method: 'POST', target: '/pets?a=[1]{2}', headers, body };
    return curlOf({ request, credential: validKey('k').shown }, 'http://127.0.0.1:9/v1');
  });
  const commands = [...own, ...hard].filter(isHarmlessCommand);
  assert.ok(commands.length > hard.length + 3);
  writeFileSync(join(folder, 'curl'), '#!/bin/sh\necho asked\n', { mode: 0o755 });
  for (const command of commands) {
    assert.ok((await readWith(command)).every((read) => read === command));
    const options = { cwd: folder, env: { PATH: folder }, encoding: 'utf8' } as const;
    assert.is(execFileSync('/bin/bash', ['--norc', '-c', command], options), 'asked\n', command);
  }
  assert.not.ok(existsSync(join(folder, 'owned')));
});

test.run();
