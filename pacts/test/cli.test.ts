/** pact verify and pact lint as a user runs them: real servers, exit codes, and no key in any output. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { jumpingTime, readReport, run, start, temporaryFolder } from '../../conformance/test/cli/command.ts';
import { startOtherServer } from '../../conformance/test/other-server.ts';
import { reasonInWords } from '../../conformance/verdict/reasons.ts';
import type { Report } from '../../conformance/verdict/report.ts';
import { version2 } from './handmade.ts';

const folder = temporaryFolder();
const recordedFile = new URL('../adoption-site-pet-store.json', import.meta.url).pathname;

function written(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

/** The arguments for reporters that write a file each, and the files. */
function writing(name: string, formats: string) {
  const files = formats.split(' ').map((format) => [format, join(folder, `${name}-${format}`)] as const);
  const textOf = (format: string): string => readFileSync(join(folder, `${name}-${format}`), 'utf8');
  return { textOf, reporters: files.flatMap(([format, file]) => ['--reporter', `${format}=${file}`]) };
}

const verify = ['pact', 'verify', '--pact', recordedFile, '--reporter', 'terminal'];

test('without a base address the embedded server is verified, and every reporter lists the interactions', async () => {
  const { reporters, textOf } = writing('good', 'json junit html markdown github');
  const { code, stdout } = await run([...verify, ...reporters]);
  assert.is(code, 0, stdout);
  assert.match(stdout, /8 of 8 interactions hold/);
  assert.match(stdout, /The run leaves \d+ animals behind/);
  const report = JSON.parse(textOf('json')) as Report;
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const schema = JSON.parse(readFileSync(new URL('../../conformance/report.schema.json', import.meta.url), 'utf8'));
  assert.ok(ajv.validate(schema, report), ajv.errorsText());
  // Two animals of states, one that the filter must leave out, and one creation of the consumer.
  assert.is(report.creates, 4);
  for (const name of ['junit', 'html', 'markdown']) assert.match(textOf(name), /the animal 404, which is unknown/);
});

test('a server in another style is verified with its key, which no output has', async () => {
  const { baseUrl, key, server } = await startOtherServer();
  const { reporters, textOf } = writing('other', 'json');
  const { code, stdout, stderr } = await run([...verify, baseUrl, ...reporters], { PETSTORE_API_KEY: key });
  server.close();
  assert.is(code, 0, stdout);
  assert.match(stdout, /7 of 8 interactions hold/);
  assert.match(stdout, /set PETSTORE_RATE_LIMIT_KEY to a key that may be exhausted/);
  for (const text of [stdout, stderr, textOf('json')]) assert.not.ok(text.includes(key));
});

test('a target that breaks an interaction ends with 1, and every reporter names it', async () => {
  const { baseUrl, key, server } = await startOtherServer({
    breaks: (answer) => {
      if (answer.status === 404) answer.body = '{}';
    },
  });
  const { reporters, textOf } = writing('broken', 'junit github markdown html');
  const { code, stdout } = await run([...verify, baseUrl, ...reporters], { PETSTORE_API_KEY: key });
  server.close();
  assert.is(code, 1);
  assert.match(stdout, /✗ FAIL {2}adoption-site: the animal 404, which is unknown/);
  assert.match(stdout, /✗ FAIL {2}§2 error-code/);
  for (const name of ['markdown', 'html']) assert.match(textOf(name), /the animal 404, which is unknown/);
  assert.match(textOf('junit'), /<failure type="interaction"/);
  assert.match(textOf('github'), /^::error title=adoption-site%3A the animal 404/m);
});

test('an unreachable target ends with 3, and the report has every interaction', async () => {
  const file = join(folder, 'unreachable.json');
  const args = ['pact', 'verify', 'http://127.0.0.1:9/v1', '--pact', recordedFile, '--reporter', `json=${file}`];
  const { code } = await run(args, { PETSTORE_API_KEY: 'some-key' }, { time: jumpingTime() });
  assert.is(code, 3);
  const report = readReport(file);
  assert.match(reasonInWords(report.reason) ?? '', /could not be reached/);
  assert.is(report.interactions?.length, 8);
});

test('SIGINT writes the report with the interactions verified so far', async () => {
  const { baseUrl, key, server } = await startOtherServer({ delayMs: 40 });
  const file = join(folder, 'interrupted.json');
  const args = ['pact', 'verify', baseUrl, '--pact', recordedFile, '--reporter', `json=${file}`];
  const { child, result } = start(args, { PETSTORE_API_KEY: key });
  let asked = 0;
  server.on('request', () => {
    asked += 1;
    if (asked === 4) child.kill('SIGINT');
  });
  const { code } = await result;
  server.closeAllConnections();
  server.close();
  assert.is(code, 3);
  assert.match(JSON.stringify(readReport(file).interactions), /interrupted/);
});

test('control characters and commands to the CI in a pact do not reach the terminal', async () => {
  const evil = 'evil\x1b[2J\u202e\n::set-output name=x::y\r\n##[error]x';
  const messages = [{ description: evil }];
  const file = written('hostile.json', JSON.stringify({ ...version2, consumer: { name: evil }, messages }));
  for (const args of [
    ['pact', 'verify', '--pact', file],
    ['pact', 'lint', file],
  ]) {
    const { stdout } = await run(args);
    assert.match(stdout, 'evil');
    assert.not.match(stdout, /[\x1b\r\u202e]|^\s*::set-output|##\[/m, args.join(' '));
  }
});

const files = {
  wrong: written('wrong.json', '{"consumer":'),
  list: written('list.json', '[]'),
  none: written('none.json', '{"consumer":{"name":"a"},"interactions":[]}'),
};

/** Arguments → the sentence that comes with exit code 2. */
const misused: readonly (readonly [readonly string[], RegExp])[] = [
  [['pact'], /^Unknown command 'pact'; see petstore-conformance --help\.$/m],
  [['pact', 'verify'], /needs pacts/],
  [['pact', 'verify', '--pact', join(folder, 'absent.json')], /absent\.json cannot be read: no such file .*ENOENT/],
  [['pact', 'lint'], /Missing required argument .PACT.; see/],
  [['pact', 'lint', files.wrong], /wrong\.json is not readable JSON/],
  [['pact', 'lint', files.list], /list\.json is not a pact/],
  [['pact', 'lint', files.none], /has no interactions/],
  [['pact', 'verify', '--pact', recordedFile, '--provider-version', '1'], /are for a broker: set PACT_BROKER_BASE_URL/],
  [['pact', 'verify', '--pending'], /--pending needs --provider-branch/],
];

for (const [args, sentence] of misused) {
  test(`exit code 2 and one sentence: ${sentence.source}`, async () => {
    // A broker is asked only for pacts of its own.
    const broker = args.length < 3 ? {} : { PACT_BROKER_BASE_URL: 'http://127.0.0.1:9' };
    const { code, stdout, stderr } = await run(args, broker);
    assert.is(code, 2, stdout);
    assert.match(stderr, sentence);
    assert.is(stderr.trim().split('\n').length, 1);
  });
}

test('lint ends with 0 without remarks, with 1 where there is one, and with 2 where a file cannot be read', async () => {
  const claiming = written('claiming.json', JSON.stringify({ ...version2, messages: [{ description: 'an event' }] }));
  const good = await run(['pact', 'lint', recordedFile]);
  assert.is(good.code, 0, good.stdout);
  assert.match(good.stdout, /adoption-site-pet-store\.json: claims only what the interface states\n/);
  const bad = await run(['pact', 'lint', recordedFile, claiming]);
  assert.is(bad.code, 1);
  assert.match(bad.stdout, /claiming\.json: "an event" claims what the interface does not promise/);
  const both = await run(['pact', 'lint', claiming, files.wrong]);
  assert.is(both.code, 2);
  assert.match(both.stdout, /claiming\.json: "an event" .*\n.*wrong\.json is not readable JSON/);
});

test('an unreadable pact is not verifiable, and the others are verified', async () => {
  const { code, stdout } = await run([...verify, '--pact', files.wrong]);
  assert.is(code, 3, stdout);
  assert.match(stdout, /not verifiable {2}unreadable pact: its interactions\n.*wrong\.json is not readable JSON/);
  assert.match(stdout, /8 of 9 interactions hold/);
});

test('an address that is none of the broker is not read, and its secrets appear in no output', async () => {
  const { code, stderr } = await run(['pact', 'verify', '--pact', 'http://me:pass-word@127.0.0.1:9/pact?token=sesame']);
  assert.is(code, 2);
  assert.match(
    stderr,
    /^The pact \S+ cannot be read: name a file or a folder, or its broker in PACT_BROKER_BASE_URL\.$/m,
  );
  assert.not.match(stderr, /pass-word|sesame/);
});

test.run();
