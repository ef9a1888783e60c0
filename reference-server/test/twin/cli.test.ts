/** The command in a process of its own: its output, its exit codes, and its end by a signal; and what its files may hold. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import packageJson from '../../../package.json' with { type: 'json' };
import type { StoreResponse } from '../../index.ts';
import { type FileFlag, readFileOf } from '../../twin/files.ts';
import { askUrl, type Question, readHeader, readRate } from '../client.ts';

const { KIT_UNDER_TEST: kit } = process.env;
/** all.ts bundles the command, which then starts in a third of the time; a test file by itself runs the sources. */
const command =
  kit === undefined
    ? fileURLToPath(new URL('../../../conformance/cli/petstore-server.ts', import.meta.url))
    : join(dirname(kit), 'petstore-server.js');
const folder = mkdtempSync(join(tmpdir(), 'petstore-server-'));
const secret = 'a-secret-of-the-test';

interface Run {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs the command, and once it listens, what a test does with its address; then ends it. */
function run(
  flags: readonly string[],
  environment: Record<string, string> = {},
  use: (url: string, child: ChildProcess) => unknown = () => undefined,
): Promise<Run> {
  const child = spawn(process.execPath, [command, '--port', '0', ...flags], { env: environment });
  let [output, errors, isUsed] = ['', '', false];
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    errors += chunk;
  });
  child.stdout.setEncoding('utf8').on('data', async (chunk) => {
    output += chunk;
    const url = /http:\/\/[^/ ]+/.exec(output)?.[0];
    if (isUsed || !output.includes('\n') || url === undefined) return;
    isUsed = true;
    await use(url, child);
    child.kill('SIGTERM');
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output, errors })));
}

/** Runs the command, and asks it once. */
async function askOnce(flags: readonly string[], question: Question = {}): Promise<StoreResponse & Run> {
  let answer: StoreResponse = { status: 0, headers: {}, body: '' };
  const ended = await run(flags, { PETSTORE_API_KEY: secret }, async (url) => {
    answer = await askUrl(url, { authorization: `Bearer ${secret}`, ...question });
  });
  return { ...answer, ...ended };
}

function save(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test('keys come from the environment and a file, none is shown; without one it makes and shows one', async () => {
  const file = save('keys.yaml', `- { key: ${secret}-1, plan: free }\n- { key: ${secret}-2, plan: pro, perDay: 7 }\n`);
  const limits: unknown[] = [];
  const environment = { PETSTORE_API_KEY: `${secret}-3`, PETSTORE_RATE_LIMIT_KEY: `${secret}-4` };
  const { code, output, errors } = await run(['--keys', file], environment, async (url, child) => {
    for (const each of [1, 2, 3, 4, 5]) {
      const response = await askUrl(url, { authorization: `Bearer ${secret}-${each}` });
      limits.push(`${response.status} ${readRate(response)[0]}`);
    }
    child.kill('SIGINT');
  });
  assert.equal([code, ...limits], [0, '200 60', '200 7', '200 1000', '200 60', '401 60']);
  assert.not.match(output + errors, secret);
  const line =
    /^Pet store at (http:\/\/127.0.0.1:\d+\/v1): curl -H "Authorization: Bearer \$PETSTORE_API_KEY" \1\/pets\n$/;
  assert.match(output, line);
  assert.match((await run([])).output, /: curl -H "Authorization: Bearer dev-[\w-]{24}" http/);
});

test('files, --service and --fault make the server what they say, and it says what it is', async () => {
  const gaps = save('profile.yaml', '# a profile\nstatus-omitted: sold # always\npage-cap: fewer 50\n# ban: none\n');
  const animals = save('animals.yaml', '- name: Rex\n  categoryId: 9223372036854775807\n- name: A\n  categoryId: 1\n');
  const flags = [
    '--gaps',
    gaps,
    '--animals',
    animals,
    '--cors',
    'http://localhost:3000',
    '--service',
    'reversed-fields',
  ];
  const faults = ['--fault', 'limit-ignored', '--fault', 'name-null'];
  const page = await askOnce([...flags, ...faults], { target: '/v1/pets?limit=1' });
  const rex = '{"status":"sold","categoryId":9223372036854775807,"name":null,"id":1}';
  assert.is(page.body, `[${rex},{"status":"sold","categoryId":1,"name":null,"id":2}]`);
  assert.is(readHeader(page, 'access-control-allow-origin'), 'http://localhost:3000');
  assert.match(page.output, /^A legal service: reversed-fields\. The fields of objects come in another order\. The/m);
  assert.match(page.output, /^Answers to gaps: \{"status-omitted":"sold","page-cap":"fewer 50"\}$/m);
  assert.match(
    page.output,
    /^Wrong on purpose: limit-ignored, which breaks list-limit\nWrong on purpose: name-null, which/m,
  );
});

test('--log prints a line a request, --control opens the control port, neither shows the key, and a signal ends both', async () => {
  const flags = ['--control', '0', '--log', '--host', '0.0.0.0'];
  const { code, output, errors } = await run(flags, { PETSTORE_API_KEY: secret }, async (url, child) => {
    const line = new Promise<string>((resolve) => child.stdout?.on('data', (chunk) => resolve(String(chunk))));
    await askUrl(url, { authorization: `Bearer ${secret}` });
    await line;
  });
  assert.is(code, 0);
  assert.match(output, /^Control at http:\/\/127\.0\.0\.1:\d+: GET \/journal, POST \/reset, POST \/next$/m);
  assert.match(output, /^\d{4}-\d\d-\d\dT\S+Z 200 GET \/pets$/m);
  assert.not.match(output, secret);
  assert.match(errors, /^Others can reach this server at 0\.0\.0\.0\. It is meant for tests: .*\n$/);
});

test('bad usage ends with 2 and one line that shows no key', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? String(address?.port) : '';
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['--nonsense'], /--nonsense.*; see petstore-server --help\.$/m],
    [['--port', port], /EADDRINUSE.*; see petstore-server --help\.$/m],
    [['--fault', 'limit-x'], /^There is no fault "limit-x"; similar ids are limit-/],
    [['--service', 'busy-x'], /^--service takes the id of a service, not "busy-x"\./],
    [
      ['--keys', save('bad.json', `[{"key":"${secret}","plan":"gold"}]`)],
      /bad\.json" of --keys cannot be used: entry 1: /,
    ],
  ];
  const runs = await Promise.all(cases.map(([flags]) => run(flags)));
  server.close();
  for (const [at, { code, output, errors }] of runs.entries()) {
    assert.equal([code, output], [2, ''], errors);
    assert.match(errors, cases[at]![1]);
    assert.match(errors, /^[^\n]+\n$/);
    assert.not.match(errors, secret);
  }
});

test('--help prints every flag, --version the version of the package', async () => {
  const { code, output } = await run(['--help']);
  assert.is(code, 0);
  for (const flag of ['port', 'host', 'keys', 'gaps', 'service', 'fault', 'cors', 'animals', 'log', 'control'])
    assert.match(output, `  --${flag} `);
  assert.equal(await run(['--version']), { code: 0, output: `${packageJson.version}\n`, errors: '' });
});

const pet = { name: 'Rex', categoryId: 1n };
const ofEnterprise = { key: 'k', plan: 'enterprise' };
/** What a file may not hold, and the end of the sentence that says so. */
const unusable: readonly (readonly [flag: FileFlag, value: unknown, complaint: string])[] = [
  ['keys', {}, 'it must be a list'],
  ['keys', ['x'], 'entry 1: It has other fields than key, plan, perMinute, perDay'],
  ['keys', [{ key: 'k', plan: 'gold' }], 'entry 1: The plans are free, pro, business, enterprise'],
  ['keys', [{ key: 'k k', plan: 'free' }], 'entry 1: A key has 1 to 256 visible ASCII characters'],
  ['keys', [{ key: 'k', plan: 'free', perminute: 5n }], 'It has other fields than key, plan, perMinute, perDay'],
  ...[{ perDay: 5n }, { perDay: 0n, perMinute: 1n }, { perDay: 1n, perMinute: 1.5 }].map(
    (limits) => ['keys', [{ ...ofEnterprise, ...limits }], 'an enterprise key has both'] as const,
  ),
  ['gaps', ['ban'], 'it must have a line "gap: answer" for each gap'],
  ['gaps', { ban: 'perhaps' }, 'the answers none, not "perhaps"; spec/README.md lists all gaps'],
  ['animals', pet, 'it must be a list'],
  ['animals', [pet, { categoryId: 1n }], 'entry 2: The field name must be a string'],
  ['animals', [{ ...pet, categoryId: 2n ** 63n }], 'entry 1: The field categoryId must be an integer of 64 bits'],
  ['animals', [{ ...pet, categoryId: '1' }], 'entry 1: The field categoryId must be an integer of 64 bits'],
  ['animals', [{ ...pet, status: 'lost' }], 'entry 1: The status must be available, pending or sold'],
  ['animals', [{ ...pet, id: 7n }], 'entry 1: It has other fields than name, categoryId, status'],
];

test('a file that cannot be used is refused with a sentence that names it and its entry', async () => {
  for (const [flag, value, complaint] of unusable) {
    const error: unknown = await readFileOf(flag, 'a.yaml', async () => value).catch((reason) => reason);
    assert.match(String(error), `RangeError: The file "a.yaml" of --${flag} cannot be used: `);
    assert.match(String(error), `${complaint}.`);
  }
  const limits = { perMinute: 5n, perDay: 7n };
  const keys = await readFileOf('keys', 'a.yaml', async () => [{ ...ofEnterprise, ...limits }]);
  assert.equal(keys, [{ ...ofEnterprise, perMinute: 5, perDay: 7 }]);
});

test.after(() => rmSync(folder, { recursive: true }));

test.run();
