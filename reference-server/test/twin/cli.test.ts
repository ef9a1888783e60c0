/** The command in a process of its own: its output, its exit codes, and its end by a signal. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { StoreResponse } from '../../index.ts';
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
  signal: NodeJS.Signals = 'SIGTERM',
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
    child.kill(signal);
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

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`it prints one line without the key, answers, and ends with 0 on ${signal}`, async () => {
    const { code, output, errors } = await run([], { PETSTORE_API_KEY: secret }, undefined, signal);
    assert.equal([code, errors], [0, '']);
    assert.match(
      output,
      /^Pet store at (http:\/\/127\.0\.0\.1:\d+\/v1): curl -H "Authorization: Bearer \$PETSTORE_API_KEY" \1\/pets\n$/,
    );
  });
}

test('without a key it makes one of the Business plan, and shows it', async () => {
  const { output } = await run([]);
  assert.match(output, /: curl -H "Authorization: Bearer dev-[\w-]{24}" http/);
});

test('keys come from the environment and a file; without a key the limit is that of the reference', async () => {
  const file = save('keys.yaml', `- { key: ${secret}-1, plan: free }\n- { key: ${secret}-2, plan: pro, perDay: 7 }\n`);
  const limits: unknown[] = [];
  const environment = { PETSTORE_API_KEY: `${secret}-3`, PETSTORE_RATE_LIMIT_KEY: `${secret}-4` };
  const { output, errors } = await run(['--keys', file], environment, async (url) => {
    for (const each of [1, 2, 3, 4, 5]) {
      const response = await askUrl(url, { authorization: `Bearer ${secret}-${each}` });
      limits.push(`${response.status} ${readRate(response)[0]}`);
    }
  });
  assert.equal(limits, ['200 60', '200 7', '200 1000', '200 60', '401 60']);
  assert.not.match(output + errors, secret);
  assert.match((await run(['--keys', file])).output, 'Bearer KEY"');
});

test('--gaps takes YAML and JSON, --animals fills the catalogue, --cors allows an origin', async () => {
  const yaml = save(
    'profile.yaml',
    '# a profile\nwww-authenticate: none # nothing more\npage-cap: fewer 50\n# ban: not observed\n',
  );
  const refused = await askOnce(['--gaps', yaml], { authorization: null });
  assert.equal([refused.status, readHeader(refused, 'www-authenticate')], [401, undefined]);
  assert.match(refused.output, /^Answers to gaps: \{"www-authenticate":"none","page-cap":"fewer 50"\}$/m);
  const gaps = save('gaps.json', '{"status-omitted":"sold"}');
  const animals = save(
    'animals.yaml',
    '- name: Rex\n  categoryId: 9223372036854775807\n- { name: "1.0", categoryId: -1, status: pending }\n',
  );
  const page = await askOnce(['--gaps', gaps, '--animals', animals, '--cors', 'http://localhost:3000']);
  const rex = '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"sold"}';
  assert.is(page.body, `[${rex},{"id":2,"name":"1.0","categoryId":-1,"status":"pending"}]`);
  assert.is(readHeader(page, 'access-control-allow-origin'), 'http://localhost:3000');
});

test('--fault and --service serve what the kit has, with the key of the environment', async () => {
  const file = save('two.json', '[{"name":"A","categoryId":1},{"name":"B","categoryId":1}]');
  const faulty = await askOnce(['--fault', 'limit-ignored', '--fault', 'name-null', '--animals', file], {
    target: '/v1/pets?limit=1',
  });
  assert.equal(
    (JSON.parse(faulty.body) as { name: unknown }[]).map(({ name }) => name),
    [null, null],
  );
  assert.match(
    faulty.output,
    /^Wrong on purpose: limit-ignored, which breaks list-limit\nWrong on purpose: name-null, which breaks pet-name$/m,
  );
  const reversed = await askOnce(['--service', 'reversed-fields', '--animals', file]);
  assert.match(reversed.body, /^\[\{"status":"available","categoryId":1,/);
  assert.match(
    reversed.output,
    /^A legal service: reversed-fields\. The fields of objects come in another order\. The/m,
  );
  const newest = await askOnce(['--service', 'list-order=newest-first']);
  assert.match(newest.body, /^\[\{"id":10,"name":"old-9",/);
  assert.match(
    newest.output,
    /^A legal service: list-order=newest-first\. In reverse order of creation\. The category/m,
  );
});

test('--log prints a line a request, --control opens the control port, and neither shows the key', async () => {
  const { code, output, errors } = await run(
    ['--control', '0', '--log'],
    { PETSTORE_API_KEY: secret },
    async (url, child) => {
      const control = new Promise<string>((resolve) => child.stdout?.on('data', (chunk) => resolve(String(chunk))));
      await askUrl(url, { authorization: `Bearer ${secret}` });
      await control;
    },
  );
  assert.equal([code, errors], [0, '']);
  assert.match(output, /^Control at http:\/\/127\.0\.0\.1:\d+: GET \/journal, POST \/reset, POST \/next$/m);
  assert.match(output, /^\d{4}-\d\d-\d\dT\S+Z 200 GET \/pets$/m);
  assert.not.match(output, secret);
});

test('an address that others can reach is started with a warning, and a loopback address without', async () => {
  const open = await run(['--host', '0.0.0.0']);
  assert.is(open.code, 0);
  assert.match(open.errors, /^Others can reach this server at 0\.0\.0\.0\. It is meant for tests: .*\n$/);
  assert.is((await run(['--host', 'localhost'])).errors, '');
});

test('a port in use ends with 2 and one sentence, that of the control port too', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? String(address?.port) : '';
  const runs = [await run(['--port', port]), await run(['--control', port])];
  server.close();
  const sentence = `Port ${port} of 127.0.0.1 is in use; name another with`;
  assert.equal(runs, [
    { code: 2, output: '', errors: `${sentence} --port.\n` },
    { code: 2, output: '', errors: `${sentence} --control.\n` },
  ]);
});

test('bad usage ends with 2 and one line that shows no key', async () => {
  const saved = (name: string, content: string): string => save(`bad-${name}`, content);
  const keys = (entry: object): string =>
    saved(`${Object.keys(entry).length}.json`, JSON.stringify([{ key: secret, ...entry }]));
  const animals = (text: string, at: number): string => saved(`animals-${at}.json`, text);
  const noGap = saved('gap.json', '{"nothing":"x"}');
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['--nonsense'], /--nonsense.*; see petstore-server --help\.$/m],
    [['extra'], /extra.*; see petstore-server --help\.$/m],
    [['--port', 'x'], /--port takes a port from 0 to 65535, not "x"/],
    [['--control', '65536'], /--control takes a port/],
    [['--fault', 'limit-x'], /^There is no fault "limit-x"; similar ids are limit-/],
    [['--service', 'busy-x'], /^--service takes the id of a service, not "busy-x"\./],
    [['--cors', 'localhost:5173'], /--cors takes an origin like http:\/\/localhost:5173/],
    [['--keys', join(folder, 'none.json')], /none\.json/],
    [['--keys', saved('broken.json', `[{"key":"${secret}"`)], /broken\.json/],
    [['--keys', noGap], /gap\.json" of --keys cannot be used: it must be a list of keys\.$/m],
    [['--keys', keys({ plan: 'gold' })], /key 1 needs a plan: free, pro, business, enterprise\.$/m],
    [['--keys', keys({ plan: 'enterprise', perDay: 5 })], /only an enterprise key must have both/],
    [['--keys', keys({ plan: 'free', perDay: 0, perMinute: 1 })], /needs perMinute and perDay as whole numbers from 1/],
    [['--keys', keys({ key: `${secret} ${secret}`, plan: 'free', a: 1, b: 1 })], /1 to 256 visible ASCII characters/],
    [
      ['--gaps', noGap],
      /gap\.json" of --gaps cannot be used: There is no gap "nothing"; spec\/README\.md lists all gaps\./,
    ],
    [['--gaps', saved('ban.yaml', 'ban: perhaps')], /the answers none, banned-429, not "perhaps"/],
    [['--gaps', saved('list.yaml', '- ban')], /it must have a line "gap: answer" for each gap/],
    [['--animals', animals('{"name":"Rex"}', 1)], /it must be a list of animals/],
    [['--animals', animals('["Rex"]', 2)], /animal 1 is not an object/],
    [['--animals', animals('[{"name":"Rex","categoryId":1},{"categoryId":1}]', 3)], /animal 2 needs a name/],
    [['--animals', animals('[{"name":"Rex","categoryId":9223372036854775808}]', 4)], /animal 1 needs a categoryId/],
    [['--animals', animals('[{"name":"Rex","categoryId":1,"status":"lost"}]', 5)], /animal 1 has a status other than/],
    [['--animals', animals('[{"name":"Rex","categoryId":1,"id":7}]', 6)], /animal 1 has the unknown field "id"/],
    [['--host', '203.0.113.1'], /cannot be listened on \(EADDRNOTAVAIL\)/],
  ];
  for (let at = 0; at < cases.length; at += 8) {
    const some = cases.slice(at, at + 8);
    const runs = await Promise.all(some.map(([flags]) => run(flags)));
    for (const [nth, { code, output, errors }] of runs.entries()) {
      const [flags, pattern] = some[nth]!;
      assert.equal([code, output], [2, ''], flags.join(' '));
      assert.match(errors, pattern);
      assert.match(errors, /^[^\n]+\n$/);
      assert.not.match(errors, secret);
    }
  }
});

test('--help prints every flag, --version the version of the package', async () => {
  const { code, output } = await run(['--help']);
  assert.is(code, 0);
  for (const flag of ['port', 'host', 'keys', 'gaps', 'service', 'fault', 'cors', 'animals', 'log', 'control'])
    assert.match(output, `  --${flag} `);
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  assert.equal(await run(['--version']), { code: 0, output: `${version}\n`, errors: '' });
});

test.after(() => rmSync(folder, { recursive: true }));

test.run();
