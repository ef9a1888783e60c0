/** `client -- COMMAND…` as a user runs it, with scripts as clients. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
/** Lines that are not wrapped. */
const wide = { COLUMNS: '1000' };
const plain = script('plain', "if ((await ask('/pets')).status !== 200) process.exit(1);");
const ordered = script(
  'ordered',
  "for (const name of ['a', 'b']) await create(name);\nif ((await (await ask('/pets')).json())[0].name !== 'a') throw new Error('not a, ' + key);",
);

test('a client that works with every answer conforms: 0', async () => {
  const { code, stdout, stderr } = await run(['client', '--verbose', '--only', 'list-order', '--', node, plain], wide);
  assert.is(stderr, '');
  assert.is(code, 0);
  assert.match(
    stdout,
    /✓ pass {2}any-list-order {2}Works whatever the answer is: In which order are animals listed\? \(2 exchanges\)/,
  );
  assert.match(stdout, /^CONFORMS in \d+ of \d+ requirements/m);
});

test('one that relies on an answer does not: 1, and its output is kept without its key', async () => {
  const output = join(folder, 'printed');
  const file = join(folder, 'report.json');
  const flags = ['--only', 'list-order', '--output', output, '--reporter', `json=${file}`, '--seed', '5'];
  const { code, stdout } = await run(['client', ...flags, '--', node, ordered], { PETSTORE_API_KEY: 'a-real-key' });
  assert.is(code, 1);
  assert.match(stdout, /^Does not conform [^\n]+\nWritten to [^\n]+\.\n$/);
  const report = JSON.parse(readFileSync(file, 'utf8'));
  assert.equal(report.client.command, [node, ordered]);
  assert.is(report.client.services[0].id, 'reference');
  const printed = readdirSync(output).sort();
  assert.is(printed[0], '001-reference.txt');
  const failed = report.client.services.find((run: { isPassed: boolean }) => !run.isPassed);
  assert.is(failed.ending, 'exit code 1');
  assert.match(readFileSync(failed.output, 'utf8'), 'not a, [key]');
  const { failures } = report.requirements.find((one: { id: string }) => one.id === 'any-list-order');
  assert.match(
    failures[0].message,
    `it relies on list-order: oldest-first, and the interface does not say so (§4.1); see ${output}`,
  );
  assert.not.match(readFileSync(file, 'utf8'), /client-[0-9a-f]{24}/);
});

test('one that fails with the reference server could not be judged: 3', async () => {
  const { code, stdout } = await run(['client', '--', node, '-e', 'process.exit(9)'], wide);
  assert.is(code, 3);
  assert.match(stdout, /^the client fails with the reference server already: exit code 9; see .*001-reference\.txt$/m);
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
  while (!existsSync(began) || readFileSync(began, 'utf8') === '') await new Promise(setImmediate);
  child.kill('SIGINT');
  assert.is((await result).code, 3);
  assert.is(JSON.parse(readFileSync(file, 'utf8')).reason, 'The run was interrupted.');
  assert.throws(() => process.kill(Number(readFileSync(began, 'utf8')), 0), 'ESRCH');
});

test('a report of a client cannot be sent again to a service', async () => {
  const { code, stderr } = await run(['replay', join(folder, 'report.json'), 'any-list-order']);
  assert.is(code, 2);
  assert.match(stderr, 'What a client broke cannot be sent again to a service: run petstore-conformance client again.');
});

for (const [what, words, sentence] of [
  ['no command', ['client'], /client needs a command behind --; nothing was given\./],
  ['a gap that is none', ['client', '--only', 'order', '--', 'true'], /--only takes the id of a gap, not "order"\./],
  [
    'a program that is none',
    ['client', '--', '/no/such'],
    /The command \/no\/such cannot be started \(ENOENT\): there is no such program; say where it is/,
  ],
  ['an option of run', ['client', '--max-requests', '3', '--', 'true'], /--max-requests is no option of client/],
] as const) {
  test(`${what} ends with 2 and one sentence`, async () => {
    const { code, stdout, stderr } = await run(words);
    assert.is(code, 2);
    assert.is(stdout, '');
    assert.match(stderr, sentence);
    assert.match(stderr, /^[^\n]+\n$/);
  });
}

test('help shows where the command stands', async () => {
  const { stdout } = await run(['client', '--help']);
  assert.match(stdout, /^Usage: petstore-conformance client \[options\] -- COMMAND…$/m);
  assert.match(stdout, /3 it fails with the reference server already/);
});

test.run();
