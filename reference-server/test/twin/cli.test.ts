/** The command in a process of its own: its output, its exit codes, and its end by a signal; and what its files may hold. */

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { resultOf, temporaryFolder } from '../../../conformance/test/cli/command.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { type FileFlag, readFileOf } from '../../twin/files.ts';
import { askUrl, readHeader, readRate } from '../client.ts';

const { KIT_UNDER_TEST: kit } = process.env;
/** all.ts bundles the command, which then starts in a third of the time; a test file by itself runs the sources. */
const command =
  kit === undefined
    ? fileURLToPath(new URL('../../../conformance/cli/petstore-server.ts', import.meta.url))
    : join(dirname(kit), 'petstore-server.js');
const folder = temporaryFolder();
const secret = 'a-secret-of-the-test';

/** Runs the command, and once it listens, what a test does with its address; then ends it by a signal. */
async function run(
  flags: string,
  env: Record<string, string> = {},
  use: (url: string) => unknown = () => undefined,
  signal: NodeJS.Signals = 'SIGTERM',
) {
  const child = spawn(process.execPath, [command, '--port', '0', ...flags.split(' ')], { env, cwd: folder });
  const result = resultOf(child);
  let output = '';
  child.stdout.on('data', async (chunk) => {
    const isFirst = output === '';
    output += chunk;
    const url = /http:\/\/[^/ ]+/.exec(output)?.[0];
    if (!isFirst || url === undefined) return;
    await use(url);
    child.kill(signal);
  });
  const { code, stderr: errors } = await result;
  return { code, output, errors };
}

const files: Readonly<Record<string, string>> = {
  'keys.yaml': `- { key: ${secret}-1, plan: free }\n- { key: ${secret}-2, plan: pro, perDay: 7 }\n`,
  'bad.json': `[{"key":"${secret}","plan":"gold"}]`,
  'profile.yaml': '# a profile\nstatus-omitted: sold # always\npage-cap: fewer 50\n# ban: none\n',
  'animals.yaml': '- name: Rex\n  categoryId: 9223372036854775807\n- name: A\n  categoryId: 1\n',
};
for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);

test('keys come from the environment and a file, none is shown; without one it makes and shows one', async () => {
  const limits: unknown[] = [];
  const environment = { PETSTORE_API_KEY: `${secret}-3`, PETSTORE_RATE_LIMIT_KEY: `${secret}-4` };
  const askWithEach = async (url: string): Promise<void> => {
    for (const each of [1, 2, 3, 4, 5]) {
      const response = await askUrl(url, { authorization: `Bearer ${secret}-${each}` });
      limits.push(`${response.status} ${readRate(response)[0]}`);
    }
  };
  const { code, output, errors } = await run('--keys keys.yaml', environment, askWithEach, 'SIGINT');
  assert.equal([code, ...limits], [0, '200 60', '200 7', '200 1000', '200 60', '401 60']);
  assert.not.match(output + errors, secret);
  const line =
    /^Pet store at (http:\/\/127.0.0.1:\d+\/v1): curl -H "Authorization: Bearer \$PETSTORE_API_KEY" \1\/pets\n$/;
  assert.match(output, line);
  assert.match((await run('--keys keys.yaml')).output, /: curl -H "Authorization: Bearer KEY" http/);
  assert.match((await run('--host 127.0.0.1')).output, /: curl -H "Authorization: Bearer dev-[\w-]{24}" http/);
});

test('every other flag makes the server what it says, and the server says what it is, without a key', async () => {
  const flags =
    '--gaps profile.yaml --animals animals.yaml --cors http://localhost:3000 --service reversed-fields --log --control 0';
  const ask = async (url: string): Promise<void> => {
    const headers = [['Origin', 'http://localhost:3000']] as const;
    const page = await askUrl(url, { target: '/v1/pets?limit=1', authorization: `Bearer ${secret}`, headers });
    const rex = '{"status":"sold","categoryId":9223372036854775807,"name":null,"id":1}';
    assert.is(page.body, `[${rex},{"status":"sold","categoryId":1,"name":null,"id":2}]`);
    assert.is(readHeader(page, 'access-control-allow-origin'), 'http://localhost:3000');
  };
  const faults = ' --fault limit-ignored --fault name-null';
  const { code, output, errors } = await run(flags + faults, { PETSTORE_API_KEY: secret }, ask);
  assert.equal([code, errors], [0, '']);
  const lines = output.split('\n').slice(1);
  for (const [at, line] of [
    /^A legal service: reversed-fields\. The fields of objects come in another order\. The/,
    /^Answers to gaps: \{"status-omitted":"sold","page-cap":"fewer 50"\}$/,
    /^Wrong on purpose: limit-ignored, which breaks list-limit$/,
    /^Wrong on purpose: name-null, which/,
    /^Control at http:\/\/127\.0\.0\.1:\d+: GET \/journal, POST \/reset, POST \/next$/,
    /^\d{4}-\d\d-\d\dT\S+Z 200 GET \/pets\?limit=1$/,
  ].entries())
    assert.match(lines[at]!, line);
  assert.not.match(output, secret);
});

/** Flags → the one line of a refusal, which shows no key. */
const badUsage: Readonly<Record<string, RegExp>> = {
  '--nonsense': /^.*--nonsense.*; see petstore-server --help\.\n$/,
  '--host 192.0.2.1': /^.*EADDRNOTAVAIL.*; see petstore-server --help\.\n$/,
  '--fault limit-ignord': /^There is no fault "limit-ignord"\. Did you mean limit-ignored\?\n$/,
  '--service busy-x': /^--service takes the id of a service, not "busy-x"\..*\n$/,
  '--service newest-first': /^--service takes .*\. These have it in their ids: list-order=newest-first\.\n$/,
  '--service nothing-like-it': /^--service takes .*\. petstore-server --list services lists them\.\n$/,
  '--list fault': /^--list takes services, faults, gaps, not "fault"\.\n$/,
  '--port abc': /^--port takes the number of a port, 0 to 65535, not "abc"\.\n$/,
  '--control 65536': /^--control takes the number of a port, 0 to 65535, not "65536"\.\n$/,
  '--cors localhost:5173': /^--cors takes the origin of a page, .*\. Did you mean http:\/\/localhost:5173\?\n$/,
  '--cors http://localhost:5173/': /, not "http:\/\/localhost:5173\/"\. Did you mean http:\/\/localhost:5173\?\n$/,
  '--keys bad.json': /^The file "bad\.json" of --keys cannot be used: entry 1: The plans.*\n$/,
};

test('bad usage ends with 2 and one line that shows no key', async () => {
  for (const [flags, line] of Object.entries(badUsage)) {
    const { code, output, errors } = await run(flags);
    assert.equal([code, output], [2, ''], errors);
    assert.match(errors, line);
    assert.not.match(errors, secret);
  }
});

test('--help prints every flag, --version the version of the package', async () => {
  const { code, output } = await run('--help');
  assert.is(code, 0);
  for (const flag of ['port', 'host', 'keys', 'gaps', 'service', 'fault', 'cors', 'animals', 'list', 'log', 'control'])
    assert.match(output, `  --${flag} `);
  assert.equal(await run('--version'), { code: 0, output: `${packageJson.version}\n`, errors: '' });
});

test('--list prints what --service, --fault and --gaps take, each with its meaning', async () => {
  for (const [what, line] of [
    ['services', /^list-order=newest-first +In reverse order of creation\. .*$/m],
    ['faults', /^limit-ignored +breaks list-limit$/m],
    ['gaps', /^list-order: newest-first +In reverse order of creation\.$/m],
  ] as const) {
    const { code, output, errors } = await run(`--list ${what}`);
    assert.equal([code, errors], [0, '']);
    assert.match(output, line);
  }
});

const pet = { name: 'Rex', categoryId: 1n };
const free = { key: 'k', plan: 'free' };
/** What a file may not hold, and the end of the sentence that says so. */
const unusable: readonly (readonly [flag: FileFlag, value: unknown, complaint: string])[] = [
  ['keys', {}, 'it must be a list'],
  ['keys', ['x'], 'entry 1: It has other fields than key, plan, perMinute, perDay'],
  ['keys', [{ ...free, perminute: 5n }], 'It has other fields than key, plan, perMinute, perDay'],
  ['keys', [free, { ...free, key: 'k k' }], 'entry 2: A key has 1 to 256 visible ASCII characters'],
  ['keys', [{ ...free, perDay: 0n }], 'Limits are whole numbers from 1'],
  ['gaps', ['ban'], 'it must have a line "gap: answer" for each gap'],
  ['gaps', { bans: 'x' }, 'There is no gap "bans". Did you mean ban? spec/README.md lists all gaps'],
  ['gaps', { 'list-ordre': 'oldest-first' }, 'no gap "list-ordre". Did you mean list-order? spec/README.md lists all'],
  ['gaps', { 'status-transitions': 'x' }, 'has no answer to choose: No operation that changes an animal is shown'],
  ['gaps', { 'list-order': 'newest' }, 'newest-first, shuffled, not "newest"'],
  ['animals', [pet, { categoryId: 1n }], 'entry 2: The field name must be a string'],
  ['animals', [{ ...pet, id: 7n }], 'entry 1: It has other fields than name, categoryId, status'],
];

test('a file that cannot be used is refused with a sentence that names it and its entry', async () => {
  for (const [flag, value, complaint] of unusable) {
    const error: unknown = await readFileOf(flag, 'a.yaml', async () => value).catch((reason) => reason);
    assert.match(String(error), `RangeError: The file "a.yaml" of --${flag} cannot be used: `);
    assert.match(String(error), complaint);
    assert.match(String(error), /(?<![.?])[.?]$/);
  }
});

test.run();
