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
import { version2 } from './handmade.ts';

const folder = temporaryFolder();
const recordedFile = new URL('../adoption-site-pet-store.json', import.meta.url).pathname;
const recorded = JSON.parse(readFileSync(recordedFile, 'utf8')) as { interactions: { description: string }[] };

function written(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

test('without a base address the embedded server is verified, and every reporter lists the interactions', async () => {
  const formats = ['json', 'junit', 'html', 'markdown', 'github'];
  const reporters = formats.flatMap((name) => ['--reporter', `${name}=${join(folder, name)}`]);
  const { code, stdout } = await run([
    'pact',
    'verify',
    '--pact',
    recordedFile,
    '--reporter',
    'terminal',
    ...reporters,
  ]);
  assert.is(code, 0, stdout);
  assert.match(stdout, /8 of 8 interactions hold/);
  assert.match(stdout, /The run leaves \d+ animals behind/);
  const report = readReport(join(folder, 'json'));
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const schema = JSON.parse(readFileSync(new URL('../../conformance/report.schema.json', import.meta.url), 'utf8'));
  assert.ok(ajv.validate(schema, report), ajv.errorsText());
  // Two animals of states, one that the filter must leave out, and one creation of the consumer.
  assert.is(report.creates, 4);
  for (const name of ['junit', 'html', 'markdown']) {
    assert.match(readFileSync(join(folder, name), 'utf8'), /the animal 404, which is unknown/);
  }
});

test('a server in another style is verified with its key, which no output has', async () => {
  const { baseUrl, key, server } = await startOtherServer();
  const file = join(folder, 'other.json');
  const args = [
    'pact',
    'verify',
    baseUrl,
    '--pact',
    recordedFile,
    '--reporter',
    'terminal',
    '--reporter',
    `json=${file}`,
  ];
  const { code, stdout, stderr } = await run(args, { PETSTORE_API_KEY: key });
  server.close();
  assert.is(code, 0, stdout);
  assert.match(stdout, /7 of 8 interactions hold/);
  assert.match(stdout, /set PETSTORE_RATE_LIMIT_KEY to a key that may be exhausted/);
  for (const text of [stdout, stderr, readFileSync(file, 'utf8')]) assert.not.ok(text.includes(key));
});

test('an interaction about a missing key is sent without an Authorization header, whatever its states and headers are', async () => {
  const { baseUrl, key, server } = await startOtherServer();
  const sent: (string | undefined)[] = [];
  server.on('request', ({ url, headers }) => {
    if (url?.includes('limit=7')) sent.push(headers.authorization);
  });
  const request = { method: 'GET', path: '/pets', query: { limit: ['7'] } };
  const withHeader = { ...request, headers: { Authorization: ['Bearer of-the-pact'] } };
  const absent = { comments: { absentHeaders: 'Authorization' } };
  const invalid = { providerStates: [{ name: 'the API key is invalid' }] };
  const keyless = [
    { ...absent, request },
    { ...absent, ...invalid, request: withHeader },
    { providerStates: [{ name: 'the API key is missing' }], request: withHeader },
    { ...invalid, request: withHeader },
  ].map((one, at) => ({ ...one, type: 'Synchronous/HTTP', description: `${at}`, response: { status: 401 } }));
  const file = written('keyless.json', JSON.stringify({ ...recorded, interactions: keyless }));
  const { code, stdout } = await run(['pact', 'verify', baseUrl, '--pact', file], { PETSTORE_API_KEY: key });
  server.close();
  assert.is(code, 0, stdout);
  assert.equal(sent.slice(0, 3), [undefined, undefined, undefined]);
  assert.match(sent[3] ?? '', /^Bearer (?!of-the-pact)\S+$/);
});

test('a target that breaks an interaction ends with 1, and every reporter names it', async () => {
  const { baseUrl, key, server } = await startOtherServer({
    breaks: (answer) => {
      if (answer.status === 404) answer.body = '{}';
    },
  });
  const args = ['pact', 'verify', baseUrl, '--pact', recordedFile, '--reporter', 'terminal'];
  const files = ['junit', 'github', 'markdown', 'html'].map((name) => [name, join(folder, `broken-${name}`)] as const);
  const reporters = files.flatMap(([name, file]) => ['--reporter', `${name}=${file}`]);
  const { code, stdout } = await run([...args, ...reporters], { PETSTORE_API_KEY: key });
  server.close();
  assert.is(code, 1);
  assert.match(stdout, /✗ FAIL {2}adoption-site: the animal 404, which is unknown/);
  assert.match(stdout, /✗ FAIL {2}§2 error-code/);
  for (const [, file] of files) assert.match(readFileSync(file, 'utf8'), /the animal 404(,|%2C) which is unknown/);
  assert.match(readFileSync(join(folder, 'broken-junit'), 'utf8'), /<failure type="interaction"/);
  assert.match(readFileSync(join(folder, 'broken-github'), 'utf8'), /^::error title=adoption-site%3A the animal 404/m);
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

/** Arguments → the sentence that comes with exit code 2. */
const misused: readonly (readonly [readonly string[], RegExp])[] = [
  [['pact'], /^Unknown command 'pact'; see petstore-conformance --help\.$/m],
  [['pact', 'verify'], /needs pacts/],
  [
    ['pact', 'verify', '--pact', join(folder, 'absent.json')],
    /absent\.json cannot be read: no such file or directory \(ENOENT\)/,
  ],
  [['pact', 'lint'], /Missing required argument .PACT.; see/],
  [['pact', 'lint', written('empty.json', '')], /empty\.json is empty/],
  [['pact', 'lint', written('wrong.json', '{"consumer":')], /wrong\.json is not readable JSON/],
  [['pact', 'lint', written('list.json', '[]')], /list\.json is not a pact/],
  [
    [
      'pact',
      'lint',
      written('none.json', '{"consumer":{"name":"a"},"metadata":{"pactSpecification":{"version":"3.0.0"}}}'),
    ],
    /has no interactions/,
  ],
  [
    [
      'pact',
      'lint',
      written(
        'nine.json',
        '{"consumer":{"name":"a"},"interactions":[{}],"metadata":{"pactSpecification":{"version":"9.0"}}}',
      ),
    ],
    /expected version 1 to 4 .* found "9\.0"/,
  ],
  [['pact', 'verify', '--pact', recordedFile, '--publish'], /--publish, .* are for a broker: set PACT_BROKER_BASE_URL/],
  [['pact', 'verify', '--publish'], /--publish needs --provider-version/],
  [['pact', 'verify', '--selector', 'best'], /--selector takes mainBranch/],
  [['pact', 'verify', '--pending'], /--pending needs --provider-branch/],
];

for (const [args, sentence] of misused) {
  test(`exit code 2 and one sentence: ${sentence.source}`, async () => {
    // Only what comes with pacts has use for a broker.
    const broker = args.includes('--pact') || args.length < 3 ? {} : { PACT_BROKER_BASE_URL: 'http://127.0.0.1:9' };
    const { code, stdout, stderr } = await run(args, broker);
    assert.is(code, 2, stdout);
    assert.match(stderr, sentence);
    assert.is(stderr.trim().split('\n').length, 1);
  });
}

test('lint ends with 0 without remarks, and with 1 and one line for each remark', async () => {
  const good = await run(['pact', 'lint', recordedFile]);
  assert.is(good.code, 0, good.stdout);
  const [first] = recorded.interactions;
  const more = { ...recorded, interactions: [{ ...first, providerStates: [{ name: 'the moon is full' }] }] };
  const bad = await run(['pact', 'lint', recordedFile, written('more.json', JSON.stringify(more))]);
  assert.is(bad.code, 1);
  assert.match(bad.stdout, /more\.json: ".*" claims what no provider state reaches: .*"the moon is full"/);
});

test('an unreadable file does not stop lint from the others', async () => {
  const unreadable = written('unreadable.json', '{"interactions":');
  const claiming = written('claiming.json', JSON.stringify({ ...version2, messages: [{ description: 'an event' }] }));
  const { code, stdout } = await run(['pact', 'lint', claiming, unreadable, recordedFile]);
  assert.is(code, 2, stdout);
  assert.match(stdout, /claiming\.json: "an event" claims what the interface does not promise/);
  assert.match(stdout, /adoption-site-pet-store\.json: claims only what the interface states\n/);
  assert.match(stdout, /unreadable\.json is not readable JSON/);
});

test('an unreadable pact is not verifiable, and the others are verified', async () => {
  const unreadable = written('half.json', '{');
  const { code, stdout } = await run(['pact', 'verify', '--pact', unreadable, '--pact', recordedFile]);
  assert.is(code, 3, stdout);
  assert.match(stdout, /not verifiable {2}unreadable pact: its interactions\n.*half\.json is not readable JSON/);
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
