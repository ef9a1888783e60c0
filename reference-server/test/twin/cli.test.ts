/** The command in a process of its own: its output, its exit codes, and its end by a signal. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { faultKeys } from '../../twin/faults.ts';
import { askUrl, readHeader, readRate } from '../client.ts';

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

function run(
  flags: readonly string[],
  environment: Record<string, string> = {},
  whenReady: (child: ChildProcess, url: string) => unknown = (child) => child.kill('SIGTERM'),
): Promise<Run> {
  const child = spawn(process.execPath, [command, ...flags], { env: environment });
  let output = '';
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    errors += chunk;
  });
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const isFirst = !output.includes('\n');
    output += chunk;
    const url = /http:\/\/[^/ ]+/.exec(output)?.[0];
    if (isFirst && output.includes('\n') && url !== undefined) whenReady(child, url);
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output, errors })));
}

function save(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`it prints one line, answers, and ends with 0 on ${signal}`, async () => {
    let status: number | undefined;
    const { code, output, errors } = await run(['--port', '0'], { PETSTORE_API_KEY: secret }, async (child, url) => {
      ({ status } = await askUrl(url, { authorization: `Bearer ${secret}` }));
      child.kill(signal);
    });
    assert.is(status, 200);
    assert.is(code, 0);
    assert.is(errors, '');
    assert.not.match(output, secret);
    assert.match(
      output,
      /^Pet store at (http:\/\/127\.0\.0\.1:\d+\/v1), key \$PETSTORE_API_KEY: curl .*\$PETSTORE_API_KEY" \1\/pets\n$/,
    );
  });
}

test('without a key it makes one of the Business plan, and shows it', async () => {
  const seen: number[] = [];
  const { output } = await run(['--port', '0'], {}, async (child, url) => {
    child.stdout?.once('data', () => undefined);
    seen.push(Number(new URL(url).port));
    child.kill('SIGTERM');
  });
  assert.match(output, /key (dev-[\w-]{24}): curl -H "Authorization: Bearer \1" http/);
  assert.is(seen.length, 1);
});

test('keys come from further variables and a file, and are never printed', async () => {
  const file = save('keys.json', JSON.stringify([{ key: `${secret}-1`, plan: 'free' }]));
  const limits: unknown[] = [];
  const flags = ['--port', '0', '--key-env', 'ONE', '--key-env', 'TWO', '--keys', file, '--window-seconds', '5'];
  const environment = { ONE: `${secret}-2`, TWO: `${secret}-3`, PETSTORE_API_KEY: `${secret}-4` };
  const { output, errors } = await run(flags, environment, async (child, url) => {
    for (const each of [1, 2, 3, 4]) {
      const response = await askUrl(url, { authorization: `Bearer ${secret}-${each}` });
      limits.push(`${response.status} ${readRate(response)[0]}`);
    }
    child.kill('SIGTERM');
  });
  assert.equal(limits, ['200 60', '200 1000', '200 1000', '401 1000']);
  assert.not.match(output + errors, secret);
  assert.match(output, 'key $ONE:');
});

test('with keys from a file alone the output names the file', async () => {
  const file = save('only.json', JSON.stringify([{ key: `${secret}-1`, plan: 'free' }]));
  const { output } = await run(['--port', '0', '--keys', file]);
  const [, origin, shown] =
    /^Pet store at http\S+, (.*): curl -H "Authorization: Bearer (.*)" http\S+\n$/.exec(output) ?? [];
  assert.is(origin, `with a key of "${file}" for KEY`);
  assert.is(shown, 'KEY');
});

test('--gaps takes a profile in YAML as well', async () => {
  const file = save('profile.yaml', '# a profile\nwww-authenticate: none # nothing more\n# ban: not observed\n');
  const headers: unknown[] = [];
  await run(['--port', '0', '--gaps', file], {}, async (child, url) => {
    const refused = await askUrl(url, { authorization: null });
    headers.push(refused.status, readHeader(refused, 'www-authenticate'));
    child.kill('SIGTERM');
  });
  assert.equal(headers, [401, undefined]);
});

test('--gaps sets answers, --surprise draws the others and prints all', async () => {
  const file = save('gaps.json', '{"www-authenticate":"none","other-operations":"refused-404"}');
  const printed: string[] = [];
  for (const flags of [
    ['--surprise', '7'],
    ['--surprise', '7', '--gaps', file],
  ]) {
    let challenge: string | undefined;
    const { code, output } = await run(['--port', '0', ...flags], {}, async (child, url) => {
      challenge = readHeader(await askUrl(url, { authorization: null }), 'www-authenticate');
      child.kill('SIGTERM');
    });
    assert.is(code, 0);
    const choices = JSON.parse(/^Choices in the gaps: (.*)$/m.exec(output)?.[1] ?? '{}');
    assert.is(challenge, choices['www-authenticate'] === 'none' ? undefined : 'Bearer');
    printed.push(choices['www-authenticate'], choices['other-operations']);
  }
  assert.equal(printed.slice(2), ['none', 'refused-404']);
});

test('one block describes choices, faults and everything outside the interface', async () => {
  const file = save('one-gap.json', '{"www-authenticate":"none"}');
  const flags = ['--port', '0', '--gaps', file, '--fault', 'limit-ignored', '--fault', 'name-null'];
  const weather = ['--latency', '20+-10', '--error-rate', '0', '--window-seconds', '5', '--seed-animals', '30'];
  const seen: unknown[] = [];
  const { code, output, errors } = await run(
    [...flags, ...weather, '--clock', '2030-12-04T23:59:50Z'],
    {},
    async (child, url) => {
      const page = await askUrl(url, { target: '/v1/pets?limit=3', authorization: `Bearer ${faultKeys[0]}` });
      seen.push((JSON.parse(page.body) as unknown[]).length, readRate(page)[2] % 5);
      seen.push(readHeader(page, 'date')?.slice(0, 22));
      child.kill('SIGTERM');
    },
  );
  assert.is(errors, '');
  assert.is(code, 0);
  assert.equal(seen, [20, 0, 'Wed, 04 Dec 2030 23:59']);
  const [first, ...others] = output.trimEnd().split('\n');
  assert.match(first ?? '', /^Pet store at http.*, key Fault-Key-\w+: curl -H "Authorization: Bearer Fault-Key-\w+"/);
  assert.equal(others, [
    'Choices in the gaps: {"www-authenticate":"none"}',
    'Wrong on purpose: limit-ignored, which breaks list-limit',
    'Wrong on purpose: name-null, which breaks pet-name',
    'Outside the interface: answers after 20 ± 10 ms; a minute of §8 lasts 5 s; 30 animals at the start; ' +
      'the clock started at 2030-12-04T23:59:50.000Z',
  ]);
});

test('an address that others can reach is started with a warning, and a loopback address without', async () => {
  const open = await run(['--port', '0', '--host', '0.0.0.0'], {}, (child) => child.kill('SIGTERM'));
  assert.is(open.code, 0);
  assert.match(open.errors, /^Others can reach this server at 0\.0\.0\.0\. It is meant for tests: .*\n$/);
  const own = await run(['--port', '0', '--host', 'localhost']);
  assert.is(own.errors, '');
});

test('the control port, the log and the animals of a file belong to one server', async () => {
  const file = save('animals.yaml', '- name: Rex\n  categoryId: 7\n');
  const flags = ['--port', '0', '--control-port', '0', '--log', '--animals', file];
  const seen: unknown[] = [];
  const { code, output, errors } = await run(flags, { PETSTORE_API_KEY: secret }, async (child, url) => {
    const ready = new Promise<void>((resolve) => child.stdout?.on('data', () => resolve()));
    const page = await askUrl(url, { authorization: `Bearer ${secret}` });
    seen.push(page.body);
    await ready;
    child.kill('SIGTERM');
  });
  assert.equal(seen, ['[{"id":1,"name":"Rex","categoryId":7,"status":"available"}]']);
  assert.is(code, 0);
  assert.is(errors, '');
  assert.match(output, /^Control at http:\/\/127\.0\.0\.1:\d+: GET \/journal, POST \/reset, POST \/next$/m);
  assert.match(output, /^\d{4}-\d\d-\d\dT\S+Z 200 GET \/pets$/m);
  assert.not.match(output, secret);
});

test('--list-faults prints every fault with the requirements that it breaks, and does not listen', async () => {
  const { code, output } = await run(['--list-faults']);
  assert.is(code, 0);
  assert.match(output, /^limit-ignored {2}breaks list-limit$/m);
  assert.ok(output.trimEnd().split('\n').length >= 200);
});

test('a port in use ends with 2 and one sentence', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? String(address?.port) : '';
  const { code, output, errors } = await run(['--port', port]);
  server.close();
  assert.is(code, 2);
  assert.is(output, '');
  assert.is(errors, `Port ${port} of 127.0.0.1 is in use; name another with --port.\n`);
});

test('bad usage ends with 2 and one line that shows no key', async () => {
  const broken = save('broken.json', `[{"key":"${secret}"`);
  const gold = save('gold.json', `[{"key":"${secret}","plan":"gold"}]`);
  const noNumbers = save('enterprise.json', `[{"key":"${secret}","plan":"enterprise"}]`);
  const noGap = save('no-gap.json', '{"nothing":"x"}');
  const noAnswer = save('no-answer.json', '{"ban":"perhaps"}');
  const cases = [
    [['--nonsense'], /--nonsense/],
    [['--port', 'x'], /--port takes a/],
    [['--port', '65536'], /--port takes a number from 0 to 65535/],
    [['--window-seconds', '0'], /--window-seconds takes/],
    [['--surprise', '1.5'], /--surprise takes a whole number/],
    [['--fault', 'limit-x'], /^There is no fault "limit-x"; .*\blimit-ignored\b/],
    [['--fault', ''], /^There is no fault ""; petstore-server --list-faults prints them\.$/m],
    [['--latency', 'slow'], /^--latency takes milliseconds like 80 or 80±40, not "slow"/],
    [['--error-rate', '1.1'], /--error-rate takes a number from 0 to 1/],
    [['--cors', 'localhost:5173'], /--cors takes an origin like http:\/\/localhost:5173/],
    [['--seed-animals', '2.5'], /--seed-animals takes a whole number/],
    [['--clock', '2030-12-04T23:59'], /--clock takes an instant like/],
    [['--animals', noGap], /no-gap\.json" of --animals cannot be used: it must be a list of animals/],
    [['--control-port', 'x'], /^--control-port takes a/],
    [['--key-env', 'UNSET'], /variable UNSET of --key-env is not set/],
    [['--keys', join(folder, 'none.json')], /cannot be read \(ENOENT\)/],
    [['--keys', broken], /broken\.json" of --keys cannot be used: it is not JSON/],
    [['--keys', noGap], /no-gap\.json" of --keys cannot be used: it must be a JSON array/],
    [['--keys', folder], /of --keys is not a file/],
    [['--keys', gold], /gold\.json" of --keys cannot be used: A plan must be one of free, pro, business, enterprise/],
    [['--keys', noNumbers], /an enterprise key needs both/],
    [['--gaps', save('no-choice.yaml', 'ban: none\nban')], /no-choice\.yaml" of --gaps cannot be used: line 2 is not/],
    [
      ['--gaps', noGap],
      /no-gap\.json" of --gaps cannot be used: There is no gap "nothing"; spec\/README\.md lists all gaps\./,
    ],
    [['--gaps', noAnswer], /no-answer\.json" of --gaps .*the answers banned-429, none, not "perhaps"/],
    [
      ['--host', '203.0.113.1'],
      /cannot be listened on \(EADDRNOTAVAIL\): name an address of this machine with --host\./,
    ],
    [['extra'], /extra.*; see petstore-server --help\.$/m],
    [['--prot', '8080'], /'--prot'.*; see petstore-server --help\.$/m],
  ] as const;
  const runs = await Promise.all(cases.map(([flags]) => run(['--port', '0', ...flags])));
  for (const [at, { code, output, errors }] of runs.entries()) {
    assert.is(code, 2, cases[at]?.[0].join(' '));
    assert.is(output, '');
    assert.match(errors, cases[at]![1]);
    assert.match(errors, /^[^\n]+\n$/);
    assert.not.match(errors, secret);
  }
});

test('--help prints every flag and ends with 0', async () => {
  const { code, output } = await run(['--help']);
  assert.is(code, 0);
  for (const flag of [
    'port',
    'host',
    'key-env',
    'keys',
    'gaps',
    'surprise',
    'fault',
    'latency',
    'clock',
    'window-seconds',
  ]) {
    assert.match(output, `--${flag} `);
  }
});

test('--version prints the version of the package and ends with 0', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  assert.equal(await run(['--version']), { code: 0, output: `${version}\n`, errors: '' });
});

test.after(() => rmSync(folder, { recursive: true }));

test.run();
