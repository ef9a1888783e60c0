/** `client -- COMMAND…` as a user runs it, with scripts as clients. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { run, start, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();

/** A script that asks as it pleases; `ask` sends with the key. */
function script(name: string, body: string): string {
  const file = join(folder, `${name}.mjs`);
  const head = `const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key, PETSTORE_CATEGORY_ID: category } = process.env;
const ask = (path, init = {}) => fetch(base + path, { ...init, headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' } });
const create = (name) => ask('/pets', { method: 'POST', body: JSON.stringify({ name, categoryId: Number(category) }) });
`;
  writeFileSync(file, head + body);
  return file;
}

const node = process.execPath;

/** Waits until something is so. It leaves the processor to the commands that it waits for. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(10);
}

function isGone(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}

/** Waits until a client has written its number, or that of its child, to a file. */
async function numberIn(file: string): Promise<number> {
  await until(() => existsSync(file) && readFileSync(file, 'utf8') !== '');
  return Number(readFileSync(file, 'utf8'));
}

/** Lines that are not wrapped. */
const wide = { COLUMNS: '1000' };
const plain = script('plain', "if ((await ask('/pets')).status !== 200) process.exit(1);");
const ordered = script(
  'ordered',
  "for (const name of ['a', 'b']) await create(name);\nif ((await (await ask('/pets')).json())[0].name !== 'a') throw new Error('not a, ' + key);",
);

test('a client that works with every answer conforms: 0', async () => {
  const { code, stdout, stderr } = await run(
    ['client', '--verbose', '--differs-in', 'list-order', '--', node, plain],
    wide,
  );
  assert.is(stderr, '');
  assert.is(code, 0);
  assert.match(
    stdout,
    /✓ pass {2}any-list-order {2}Works whatever the answer is: In which order are animals listed\? \(2 exchanges\)/,
  );
  assert.match(stdout, /^WORKS WITH (\d+) OF \1 LEGAL SERVICES: client: /m);
  const [, output = ''] = /^The output of the client is in (\S+)\.$/m.exec(stdout) ?? [];
  assert.ok(readdirSync(output).includes('001-reference.txt'));
});

test('one that relies on an answer does not: 1, and its output is kept without its key', async () => {
  const output = join(folder, 'printed');
  const file = join(folder, 'report.json');
  const flags = ['--differs-in', 'list-order', '--output', output, '--reporter', `json=${file}`];
  const { code, stdout } = await run(['client', ...flags, '--', node, ordered], { PETSTORE_API_KEY: 'a-real-key' });
  assert.is(code, 1);
  assert.match(
    stdout,
    /^Works with \d+ of \d+ legal services; relies on 1 answer: client: [^\n]+\nWritten to [^\n]+\.\n$/,
  );
  const report = JSON.parse(readFileSync(file, 'utf8'));
  assert.equal(report.client.command, [node, ordered]);
  assert.is(report.client.services[0].id, 'reference');
  const printed = readdirSync(output).sort();
  assert.is(printed[0], '001-reference.txt');
  const failed = report.client.services.find((run: { isPassed: boolean }) => !run.isPassed);
  assert.is(failed.ending, 'exit code 1');
  assert.match(readFileSync(failed.output, 'utf8'), 'not a, [key]');
  const { failures } = report.requirements.find((one: { id: string }) => one.id === 'any-list-order');
  assert.match(failures[0].received, `(see ${output}`);
  assert.match(
    failures[0].received,
    /-list-order-[a-z-]+\.txt\): it relies on list-order: oldest-first, and the interface does not say so \(§4\.1\)$/,
  );
  assert.not.match(readFileSync(file, 'utf8'), /client-[0-9a-f]{24}/);
});

test('one that fails with the reference server could not be judged: 3', async () => {
  const { code, stdout } = await run(['client', '--', node, '-e', 'process.exit(9)'], wide);
  assert.is(code, 3);
  assert.match(
    stdout,
    /^The client fails with the reference server already: exit code 9 before it sent a request \(see .*001-reference\.txt\)\. Try it by hand: /m,
  );
});

test('its command meets no key of a real service, and its flags are its own', async () => {
  const names = script(
    'names',
    "await ask('/pets');\nconsole.log(Object.keys(process.env).filter((name) => name.startsWith('PETSTORE_')).sort().join(), process.argv[2]);",
  );
  const output = join(folder, 'names');
  const environment = { PETSTORE_RATE_LIMIT_KEY: 'a-real-key', PETSTORE_RUNS: '1' };
  const file = join(folder, 'names.json');
  const flags = ['--output', output, '--reporter', `json=${file}`];
  const { code } = await run(['client', ...flags, '--', node, names, '--help', 'a-real-key'], environment);
  assert.is(code, 0);
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).client.command, [node, names, '--help', '[key]']);
  assert.equal(readdirSync(output), ['001-reference.txt']);
  assert.is(
    readFileSync(join(output, '001-reference.txt'), 'utf8'),
    'PETSTORE_API_KEY,PETSTORE_BASE_URL,PETSTORE_CATEGORY_ID --help\n',
  );
});

test('the time of a command is limited, and that of all of them', async () => {
  const endless = script('endless', 'setInterval(() => {}, 1_000);');
  const one = await run(['client', '--time-limit', '1', '--', node, endless]);
  assert.equal([one.code, /no end within 1 s/.test(one.stdout)], [3, true]);
  const all = await run(['client', '--deadline', '1', '--', node, endless]);
  assert.equal([all.code, /^The deadline of 1 s has passed\.$/m.test(all.stdout)], [3, true]);
});

test('an interruption ends the command and still reports', async () => {
  const file = join(folder, 'interrupted.json');
  const began = join(folder, 'began');
  const endless = script(
    'waiting',
    `(await import('node:fs')).writeFileSync(${JSON.stringify(began)}, String(process.pid)); setInterval(() => {}, 1_000);`,
  );
  const { child, result } = start(['client', '--reporter', `json=${file}`, '--', node, endless]);
  const pid = await numberIn(began);
  child.kill('SIGINT');
  assert.is((await result).code, 3);
  assert.is(JSON.parse(readFileSync(file, 'utf8')).reason.code, 'interrupted');
  assert.ok(isGone(pid));
});

test('what a failing client printed last is shown, also where it never sent a request', async () => {
  const ordering = await run(['client', '--differs-in', 'list-order', '--', node, ordered], wide);
  assert.match(ordering.stdout, /^What the client printed last\n[\s\S]*list-order=newest-first: exit code 1\n/m);
  assert.match(ordering.stdout, 'Error: not a, [key]');
  const broken = await run(['client', '--', node, '-e', "import('no-such-package')"], wide);
  assert.is(broken.code, 3);
  assert.match(
    broken.stdout,
    /What the client printed last\n.*reference: exit code 1\n[\s\S]*Cannot find package 'no-such-package'/,
  );
});

test('careless lines of curl are judged by their requests', async () => {
  const lines = `k="Authorization: Bearer $PETSTORE_API_KEY"; curl -s -H "$k" "$PETSTORE_BASE_URL/pets?limit=500"
curl -s -X PUT -H "$k" -d '{}' "$PETSTORE_BASE_URL/pets/1"; curl -s "$PETSTORE_BASE_URL/pets"; true`;
  const { stdout } = await run(['client', '--quiet', '--differs-in', 'limit-out-of-range', '--', 'sh', '-c', lines]);
  assert.match(stdout, /^Works with 5 of 5 legal services; 1 requirement broken/);
});

test('a waived requirement does not fail a client', async () => {
  const waivers = join(folder, 'waivers.yaml');
  const expires = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  writeFileSync(waivers, `- { id: any-list-order, reason: known, owner: us, expires: ${expires} }\n`);
  const flags = ['--differs-in', 'list-order', '--waivers', waivers];
  const { code } = await run(['client', ...flags, '--', node, ordered]);
  assert.is(code, 0);
});

test('a profile leaves out the services that answer otherwise', async () => {
  const profile = join(folder, 'profile.yaml');
  writeFileSync(profile, 'list-order: oldest-first # In order of creation.\n');
  const flags = ['--differs-in', 'list-order', '--gaps', profile];
  assert.is((await run(['client', ...flags, '--', node, ordered])).code, 0);
  writeFileSync(profile, 'list-order: sideways\n');
  const { code, stderr } = await run(['client', ...flags, '--', node, ordered]);
  assert.is(code, 2);
  assert.match(stderr, /^The profile .*profile\.yaml has no answer to list-order with "sideways"\.\n$/);
});

test('a report of a client cannot be sent again to a service', async () => {
  const { code, stderr } = await run(['run', 'http://host/v1', '--last-failed', join(folder, 'report.json')]);
  assert.is(code, 2);
  assert.match(stderr, 'judges a client, not a service: run petstore-conformance client again.');
});

for (const [what, words, sentence] of [
  ['no command', ['client'], /^Missing required argument .COMMAND.; see petstore-conformance client --help\.$/m],
  [
    'a command in one word',
    ['client', '--', 'npm test'],
    /^The command npm test cannot be started: .* Give its words separately: client -- npm test$/m,
  ],
  [
    'a gap that is none',
    ['client', '--differs-in', 'order', '--', 'true'],
    /--differs-in takes the id of a gap, not "order"\./,
  ],
  [
    'a program that is none',
    ['client', '--', '/no/such'],
    /The command \/no\/such cannot be started: no such file or directory \(ENOENT\)/,
  ],
  ['an option of run', ['client', '--max-requests', '3', '--', 'true'], /Unknown option .--max-requests./],
] as const) {
  test(`${what} ends with 2 and one sentence, and leaves no folder`, async () => {
    const emptyFolder = temporaryFolder();
    const { code, stdout, stderr } = await run(words, { TMPDIR: emptyFolder });
    assert.equal([code, readdirSync(emptyFolder)], [2, []]);
    assert.is(stdout, '');
    assert.match(stderr, sentence);
    assert.match(stderr, /^[^\n]+\n$/);
  });
}

test.run();
