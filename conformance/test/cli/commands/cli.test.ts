/** The command as a user runs it: exit codes, one sentence for wrong usage, reports on every way out. */

import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../../reference-server/index.ts';
import { requirements } from '../../../../spec/requirements.ts';
import { describeBudget } from '../../../cli/dry-run.ts';
import { runInProcess, trialKeys, trialSettings } from '../../../proof/trial.ts';
import { faults } from '../../../sections/faults.ts';
import { startOtherServer } from '../../other-server.ts';
import { invoke, jumpingTime, readReport, run, start, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();

test('the embedded server is judged without a word of configuration, and conforms', async () => {
  const { code, stdout } = await run(['run', '--verbose']);
  assert.is(code, 0, stdout);
  assert.match(stdout, /✓ pass {2}rate-recovery/);
  assert.match(
    stdout,
    /^CONFORMS \((\d+) of \d+ requirements pass\): the embedded reference server \([^\n]*\n\s*[^\n]*\n?\d+ requirements: \1 passed, /,
  );
  assert.match(stdout, /\nCONFORMS \(\d+ of \d+ requirements pass\): the embedded reference server[^\n]*\n$/);
});

test('a target that breaks a sentence ends with 1, named, with its exchange; two reports say the same', async () => {
  const { baseUrl, key, server } = await startOtherServer({
    breaks: (answer) => {
      if (answer.status === 401) answer.status = 403;
    },
  });
  const file = join(folder, 'broken.json');
  const args = ['run', baseUrl, '--reporter', 'terminal', '--reporter', `json=${file}`, '--max-requests', '60'];
  const { code, stdout } = await run(args, { PETSTORE_API_KEY: key });
  server.close();
  assert.is(code, 1);
  assert.match(stdout, /FAIL {2}§5 auth-missing-key/);
  const unwrapped = stdout.replaceAll(/\s+/g, ' ');
  assert.match(unwrapped, /expected 401 for each of \d+ requests without a valid key, received 403 for all/);
  assert.match(stdout, /DOES NOT CONFORM/);
  assert.not.match(stdout, key);
  const report = readReport(file);
  assert.is(report.verdict, 'does-not-conform');
  assert.is(report.exitCode, 1);
});

test('an unreachable target ends with 3, says what to do, and the report is written', async () => {
  const closed = await new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
  const file = join(folder, 'unreachable.json');
  const args = ['run', `http://127.0.0.1:${closed}/v1`, '--reporter', 'terminal', '--reporter', `json=${file}`];
  const { code, stdout } = await run(args, { PETSTORE_API_KEY: 'some-key' }, { time: jumpingTime() });
  assert.is(code, 3);
  assert.match(stdout, /could not be reached \(ECONNREFUSED\): check the base address/);
  assert.match(readReport(file).reason ?? '', /could not be reached/);
});

test('a budget of one request for a target that refuses, resets or is not there ends with 3, never with 4', async () => {
  const refusing = createHttpServer((_incoming, outgoing) => {
    outgoing.writeHead(429, { 'retry-after': '1' }).end();
  });
  const resetting = createHttpServer((incoming) => incoming.socket.destroy());
  const servers = [refusing, resetting];
  await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  // A creation that shows the failure of one requirement on its own.
  const fault = faults.find(({ id }) => id === 'name-missing-on-createPet')!;
  const report = await runInProcess(fault.wrap(createPetStore({ keys: trialKeys }).handle), trialSettings(20));
  const file = join(folder, 'of-one-creation.json');
  writeFileSync(file, JSON.stringify(report));
  const env = { PETSTORE_API_KEY: 'some-key' };
  for (const port of [...ports, 9]) {
    const target = `http://127.0.0.1:${port}/v1`;
    const judged = await run(['run', target, '--max-requests', '1'], env, { time: jumpingTime() });
    assert.is(judged.code, 3, judged.stderr);
    const words = ['run', target, '--last-failed', file, '--only', 'pet-name', '--max-wait', '5'];
    const replayed = await run(words, env, { time: jumpingTime() });
    assert.is(replayed.code, 3, replayed.stderr);
  }
  for (const server of servers) server.close();
});

test('a refused key ends with 3 after one request', async () => {
  const { baseUrl, server } = await startOtherServer();
  const file = join(folder, 'refused.json');
  const { code } = await run(['run', baseUrl, '--reporter', `json=${file}`], { PETSTORE_API_KEY: 'wrong-key-here' });
  server.close();
  assert.is(code, 3);
  assert.is(readReport(file).requests, 1);
});

// A terminal that is closed sends SIGHUP.
for (const signal of ['SIGINT', 'SIGHUP'] as const) {
  test(`${signal} in mid-run still writes the report with what is left behind, and says that the run was interrupted`, async () => {
    const { baseUrl, key, server } = await startOtherServer({ delayMs: 30 });
    const file = join(folder, `${signal}.json`);
    const args = ['run', baseUrl, '--reporter', `json=${file}`];
    const { child, result } = start(args, { PETSTORE_API_KEY: key });
    let asked = 0;
    server.on('request', () => {
      asked += 1;
      if (asked === 8) child.kill(signal);
    });
    const { code } = await result;
    server.closeAllConnections();
    server.close();
    assert.is(code, 3);
    const report = readReport(file);
    assert.match(report.reason ?? '', /interrupted/);
    assert.ok(report.created.length > 0);
  });
}

test('a deadline ends the run, and the report says so', async () => {
  const { baseUrl, key, server } = await startOtherServer({ delayMs: 100 });
  const { code, stdout } = await run(['run', baseUrl, '--deadline', '1'], { PETSTORE_API_KEY: key });
  server.closeAllConnections();
  server.close();
  assert.is(code, 3);
  assert.match(stdout, /The deadline of 1 s has passed\./);
});

test('only the requirements of --only are judged', async () => {
  const file = join(folder, 'only.json');
  const { code } = await run(['run', '--only', '4.3', '--only', 'error-code', '--reporter', `json=${file}`]);
  assert.is(code, 0);
  const ids = readReport(file).requirements.map(({ id }) => id);
  assert.equal(ids, ['error-code', 'get-answer', 'get-not-found', 'get-id-not-int64']);
});

test('--require-all turns a skipped requirement into 3', async () => {
  const { baseUrl, key, server } = await startOtherServer();
  const words = ['run', baseUrl, '--require-all', '--max-requests', '300'];
  const { code, stdout } = await run(words, { PETSTORE_API_KEY: key });
  server.close();
  assert.is(code, 3);
  assert.match(stdout, /COULD NOT JUDGE/);
});

test('output to a file or pipe has no colour and no progress', async () => {
  const { stdout, stderr } = await run(['run', '--max-requests', '20']);
  assert.not.match(stdout, '\x1b');
  assert.is(stderr, '');
});

test('a dry run lists the requests of a run by section and their share of a plan, and sends nothing', async () => {
  const { code, stdout } = await run(['run', '--dry-run', '--max-requests', '60', '--plan', 'free']);
  assert.is(code, 0);
  assert.match(stdout, /^§4\.2 +\d+ requests +\d+ creations$/m);
  assert.match(stdout, /^total +60 requests +\d+ creations$/m);
  assert.match(stdout, /^free: 1 minute, 6\.0 % of the day$/m);
  const only = await run(['run', '--dry-run', 'https://host/v1', '--only', '4.3', '--reporter', 'json']);
  assert.match(only.stdout, /^§4\.3 +\d+ requests/m);
  assert.not.match(only.stdout, /§5/);
  const readOnly = await run(['run', '--dry-run', 'https://host/v1', '--read-only']);
  assert.match(readOnly.stdout, /^total +300 requests +0 creations$/m);
});

test('a dry run says which budget applies, and why', async () => {
  const budgetOf = async (...words: readonly string[]): Promise<string> => {
    const { values } = await invoke('run', words);
    return describeBudget(values).replace(/^budget: /, '');
  };
  const [usual, large] = ['300 requests, 60 creations', '1000 requests, 200 creations'];
  const shared = `${usual}; ${large} if the target is fast and its X-RateLimit headers show room`;
  assert.is(await budgetOf('https://host/v1'), shared);
  const disposable = `${large}, since the target is disposable; ${usual} if it is slow or its rate limit has no room`;
  assert.is(await budgetOf('http://127.0.0.1:1/v1'), disposable);
  assert.is(await budgetOf(), disposable);
  assert.is(await budgetOf('https://host/v1', '--disposable'), disposable);
  assert.is(await budgetOf('http://127.0.0.1:1/v1', '--no-disposable'), shared);
  assert.is(await budgetOf('http://127.0.0.1:1/v1', '--plan', 'free'), usual);
  assert.is(await budgetOf('--max-requests', '60'), '60 requests, 60 creations');
  const { stdout } = await run(['run', '--dry-run', '--max-requests', '60']);
  assert.match(stdout, /^budget: 60 requests, 60 creations$/m);
});

test('help is printed with or without a command, and ends with 0', async () => {
  for (const [args, sentence] of [
    [['--help'], /^petstore-conformance \d.*judges implementations/],
    [['pact', '-h'], /^petstore-conformance \d.*judges implementations/],
    [
      ['pact', 'lint', '-h'],
      /^ {2}petstore-conformance pact lint pacts\/\n\nShows what pacts claim.*\nUsage: petstore-conformance pact lint PACT… \[options\]\n/,
    ],
    [['run', '--plan', 'gold', '--help'], /\nUsage: petstore-conformance run \[BASE_URL\]/],
    [['--version'], /^\d+\.\d+\.\d+\n$/],
  ] as const) {
    const { code, stdout, stderr } = await run(args);
    assert.is(code, 0, stderr);
    assert.match(stdout, sentence);
  }
});

test('help for a command that does not exist ends with 2', async () => {
  const { code, stdout, stderr } = await run(['help', 'rnu']);
  assert.equal([code, stdout], [2, '']);
  assert.is(stderr, 'There is no command "rnu"; see petstore-conformance --help. Did you mean run?\n');
});

test('the bare command prints the help, and ends with 2 since nothing was judged', async () => {
  const [bare, help] = await Promise.all([run([]), run(['--help'])]);
  assert.equal([bare!.code, bare!.stdout, bare!.stderr], [2, help!.stdout, '']);
});

test('explain prints every requirement or one of them with its checks and faults', async () => {
  const { stdout } = await run(['explain']);
  assert.is(stdout.trimEnd().split('\n').length, requirements.length);
  const explained = await run(['explain', 'pet-name-kept']);
  assert.match(explained.stdout, /§2 pet-name-kept \(required\)/);
  assert.match(explained.stdout, /animals-are-kept: /);
  assert.match(explained.stdout, /Proven by \d{2,3} faults:\n( {2}.*\n)* {2}.*\bname-stored-trimmed\b/);
  const untested = await run(['explain', 'service-staging-paths']);
  assert.match(untested.stdout, /Not tested: A run judges one base address/);
});

test("an error about a user's value has no control characters", async () => {
  const { code, stderr } = await run(['run', '--plan', 'gold\x1b[2J']);
  assert.is(code, 2);
  assert.match(stderr, /not "gold\\u001b\[2J"/);
});

const closedPort = ['run', 'http://127.0.0.1:9/v1'];

const wrongUsage: readonly (readonly [string, readonly string[], RegExp, Readonly<Record<string, string>>?])[] = [
  ['an unknown command', ['judge'], /^There is no command "judge"; see petstore-conformance --help\./],
  ['an unknown flag', ['run', '--colour'], /^--colour is no option of run; see/],
  ['a base address without scheme', ['run', 'localhost:8080/v1'], /^The base address must start with http/],
  ['a base address with a password', ['run', 'http://user:pass@host/v1'], /no user or password/],
  ['a base address with a query', ['run', 'http://host/v1?x=1'], /no query/],
  ['two base addresses', ['run', 'http://a/v1', 'http://b/v1'], /run takes \[BASE_URL\]; 2 words were given/],
  [
    'a key variable that is unset',
    ['run', 'http://127.0.0.1:9/v1'],
    /The variable PETSTORE_API_KEY is not set: set it to the API key of the target/,
  ],
  [
    'a key that is empty',
    closedPort,
    /^The variable PETSTORE_API_KEY is empty: does the secret/,
    { PETSTORE_API_KEY: '' },
  ],
  [
    'an empty key to exhaust',
    closedPort,
    /PETSTORE_RATE_LIMIT_KEY is empty/,
    { PETSTORE_API_KEY: 'some-key', PETSTORE_RATE_LIMIT_KEY: '' },
  ],
  [
    'one key for both',
    closedPort,
    /^PETSTORE_RATE_LIMIT_KEY must hold another key than PETSTORE_API_KEY/,
    { PETSTORE_API_KEY: 'some-key', PETSTORE_RATE_LIMIT_KEY: 'some-key' },
  ],
  ['a key with a space', closedPort, /The key in PETSTORE_API_KEY must be visible ASCII/, { PETSTORE_API_KEY: 'a b' }],
  ['a key that is a common word', closedPort, /common word of answers/, { PETSTORE_API_KEY: 'available' }],
  ['a negative budget', ['run', '--max-requests', '-1'], /^--max-requests takes a whole number from 1 .*, not "-1"/],
  ['a day that does not exist', ['run', '--now', '2027-02-31'], /^--now takes a date like/],
  ['an unknown id in --only', ['run', '--only', 'no-such-id'], /--only no-such-id matches no requirement/],
  ['an unknown section in --only', ['run', '--only', '12'], /matches no requirement/],
  ['an unknown reporter', ['run', '--reporter', 'xml'], /--reporter takes one of terminal, json/],
  ['a reporter without its file', ['run', '--reporter', 'json='], /needs the name of a file/],
  ['two reporters on the standard output', ['run', '--reporter', 'json', '--reporter', 'terminal'], /Only one format/],
  ['a budget that is no number', ['run', '--max-requests', 'many'], /--max-requests takes a whole number/],
  ['a budget of nothing', ['run', '--max-requests', '0'], /from 1/],
  ['an unknown plan', ['run', '--plan', 'gold'], /--plan takes one of free, pro/],
  ['a category that is no integer', ['run', '--category-id', 'dogs'], /--category-id takes an integer/],
  ['a day that is none', ['run', '--now', 'tomorrow'], /--now takes a date/],
  ['a key as a header', ['run', '--header', 'Authorization: Bearer x'], /--header cannot set Authorization/],
  ['a header without a name', ['run', '--header', 'nothing'], /Name: value/],
  [
    'a report file that cannot be written',
    ['run', '--reporter', 'json=/dev/null/x'],
    /x cannot be written \(ENOTDIR\): a part of its path is a file, so choose another name\./,
  ],
  ['an explanation of an unknown id', ['explain', 'no-such'], /explain knows no "no-such"/],
  ['an explanation of two things', ['explain', 'x', 'y'], /explain takes \[ID\]; 2 words were given/],
  ['failures of no file', ['run', '--last-failed', '/no/such'], /cannot be read \(ENOENT\): there is no such file/],
  [
    'failures of what is no report',
    ['run', '--last-failed', 'package.json'],
    /is not a report of this kit\. --reporter json=FILE writes/,
  ],
  ['waivers that are no file', ['run', '--waivers', '/no/such'], /cannot be read \(ENOENT\): there is no such file/],
  ['a self-test of no number', ['self-test', 'all'], /self-test takes one number/],
];

for (const [what, args, sentence, environment = {}] of wrongUsage) {
  test(`${what} ends with 2 and one sentence`, async () => {
    const { code, stdout, stderr } = await run(args, environment);
    assert.is(code, 2, stderr);
    assert.match(stderr, sentence);
    assert.is(stderr.trimEnd().split('\n').length, 1, stderr);
    assert.is(stdout, '');
  });
}

test.run();
