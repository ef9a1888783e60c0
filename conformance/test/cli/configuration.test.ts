/** What a user may configure, where, and which of them wins. */

import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandName } from '../../cli/commands.ts';
import { readInvocation } from '../../cli/configuration.ts';
import { UsageError } from '../../cli/usage-error.ts';
import { temporaryFolder } from './command.ts';

const folder = temporaryFolder();
const nested = join(folder, 'services', 'pets');
mkdirSync(nested, { recursive: true });
mkdirSync(join(folder, '.git'));
const configuration = join(folder, 'petstore-conformance.config.yaml');

const wrongFiles: readonly (readonly [string, string, RegExp])[] = [
  ['an option that is none', 'max-request: 60', /has no option "max-request": petstore-conformance --help/],
  ['a key', 'api-key: abc', /has no option "api-key": keys come from the environment only/],
  ['a list where one value belongs', 'plan: [free, pro]', /plan in .* takes one value/],
  ['a wrong value', 'plan: gold', /plan in .*config\.yaml takes one of free, pro, business, enterprise, not "gold"/],
  ['a switch that is none', 'read-only: perhaps', /read-only in .* takes true or false/],
  ['a text instead of options', 'just words', /must hold options by name/],
  ['no YAML', 'plan: [', /is no YAML/],
];

function read(text: string, words: readonly string[] = []) {
  writeFileSync(configuration, text);
  return readInvocation('run', { words, environment: {}, folder: nested });
}

function complaintOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    assert.instance(error, UsageError);
    return (error as Error).message;
  }
  throw new Error('It was taken.');
}

for (const [what, text, sentence] of wrongFiles) {
  test(`a file with ${what} is one sentence`, () => {
    const complaint = complaintOf(() => read(text));
    assert.match(complaint, sentence);
    assert.not.match(complaint, '\n');
  });
}

test('a date in the file is a day, and a category keeps every digit', () => {
  const { values } = read('now: 2030-12-05\ncategory-id: -9223372036854775808\n');
  assert.is(values.today, Date.UTC(2030, 11, 5));
  assert.equal(values.categoryIds, [-9223372036854775808n]);
});

test('an empty file sets nothing, and ends the search', () => {
  writeFileSync(configuration, 'seed: 1');
  for (const text of ['', '# nothing yet\n', 'null\n', '{}\n']) {
    writeFileSync(join(nested, 'petstore-conformance.config.yaml'), text);
    const { configuration: found } = readInvocation('run', { words: [], environment: {}, folder: nested });
    assert.is(found.size, 0, JSON.stringify(text));
  }
  rmSync(join(nested, 'petstore-conformance.config.yaml'));
});

/** The seed that a file in a folder above sets for a run in `from`. */
function seedFrom(from: string, home?: string): number | undefined {
  const environment = home === undefined ? {} : { HOME: home };
  return readInvocation('run', { words: [], environment, folder: from }).values.seed;
}

test('the search ends at the root of the repository, at the home folder, and elsewhere in the folder itself', () => {
  const outside = join(folder, 'outside');
  const [home, repository] = [join(outside, 'home'), join(outside, 'home', 'code')];
  mkdirSync(join(repository, 'service'), { recursive: true });
  const place = (at: string, seed: number): void =>
    writeFileSync(join(at, 'petstore-conformance.config.yaml'), `seed: ${seed}\n`);
  place(outside, 1);
  // The folder of all tests is a repository: outside of it nothing above is searched.
  rmSync(join(folder, '.git'), { recursive: true });
  assert.is(seedFrom(outside), 1);
  assert.is(seedFrom(home), undefined);
  assert.is(seedFrom(repository, home), undefined);
  place(home, 2);
  assert.is(seedFrom(join(repository, 'service'), home), 2);
  mkdirSync(join(repository, '.git'));
  assert.is(seedFrom(join(repository, 'service'), home), undefined);
  place(repository, 3);
  assert.is(seedFrom(join(repository, 'service'), home), 3);
  rmSync(outside, { recursive: true });
  mkdirSync(join(folder, '.git'));
});

test('a file that every user of the machine may write is refused, whatever it sets', () => {
  writeFileSync(configuration, 'seed: 1');
  chmodSync(configuration, 0o666);
  const complaint = complaintOf(() => seedFrom(nested));
  chmodSync(configuration, 0o664);
  assert.match(complaint, /config\.yaml is not read: every user of this machine may write it\. Run chmod o-w on it\.$/);
  assert.is(seedFrom(nested), 1);
});

test('of several files the nearest is read', () => {
  writeFileSync(configuration, 'seed: 1');
  writeFileSync(join(nested, 'petstore-conformance.config.yaml'), 'seed: 2');
  const { values } = readInvocation('run', { words: [], environment: {}, folder: nested });
  rmSync(join(nested, 'petstore-conformance.config.yaml'));
  assert.is(values.seed, 2);
});

test('a file may hold options of other commands: each command takes its own', () => {
  writeFileSync(configuration, 'reporter: [json]\npact: [some.json]\ntimeout: 5\n');
  const sources = { words: ['--', 'npm', 'test'], environment: {}, folder: nested };
  const { values, words } = readInvocation('client', sources);
  assert.equal(values.reporters, [{ name: 'json' }]);
  assert.not.ok('timeoutMs' in values || 'pacts' in values);
  assert.equal(words, ['npm', 'test']);
  assert.equal(readInvocation('pact verify', { ...sources, words: [] }).values.pacts, ['some.json']);
});

test('a command without options reads no file', () => {
  writeFileSync(configuration, 'no-such: 1');
  const sources = { words: ['one.json'], environment: {}, folder: nested };
  assert.equal(readInvocation('explain', sources).words, ['one.json']);
});

test('a wrong value in the environment is named by its variable, one on the line by its flag', () => {
  const sources = { words: [], environment: { PETSTORE_MAX_REQUESTS: 'many' }, folder: '/' };
  assert.match(
    complaintOf(() => readInvocation('run', sources)),
    /^PETSTORE_MAX_REQUESTS takes a whole number/,
  );
  const onLine = { words: ['--max-requests', '-1'], environment: {}, folder: '/' };
  assert.is(
    complaintOf(() => readInvocation('run', onLine)),
    '--max-requests takes a whole number from 1 to 2147483648, not "-1".',
  );
});

test('lines of a variable are several values, and an empty one is none', () => {
  const environment = { PETSTORE_CATEGORY_ID: '3\n7\n', PETSTORE_PLAN: '', PETSTORE_BASE_URL: 'http://host/v1/' };
  const { values } = readInvocation('run', { words: [], environment, folder: '/' });
  assert.equal(values.categoryIds, [3n, 7n]);
  assert.not.ok('plan' in values);
  assert.is(values.baseUrl, 'http://host/v1');
});

test('the base address stands on the line without a flag, where the command takes it', () => {
  const environment = { PETSTORE_BASE_URL: 'http://other/v1' };
  const words = ['http://host/v1', '--timeout', '7'];
  const read = readInvocation('run', { words, environment, folder: '/' });
  assert.is(read.values.baseUrl, 'http://host/v1');
  assert.equal(read.words, []);
  assert.is(read.configuration.get('baseUrl')?.source, 'command line');
  const flagged = { words: ['--base-url', 'http://host/v1'], environment: {}, folder: '/' };
  assert.match(
    complaintOf(() => readInvocation('run', flagged)),
    /^--base-url is no option of run/,
  );
});

test('a switch of the file is turned off on the line', () => {
  writeFileSync(configuration, 'read-only: true');
  assert.is(read('read-only: true').values.isReadOnly, true);
  assert.is(read('read-only: true', ['--read-only=false']).values.isReadOnly, false);
});

test('an error in the words names the command', () => {
  for (const [words, sentence] of [
    [['--plan'], /^--plan needs a value\.$/],
    [['--plan', '--seed'], /^--plan needs a value, and --seed is none\.$/],
    [['--name', '--x'], /^--name needs a value, and --x is none\.$/],
    [['--only=4.1', '--pact', 'x'], /^--pact is no option of run; see petstore-conformance run --help\.$/],
    [['-s'], /^-s is no option of run/],
    [['--read-only=perhaps'], /^--read-only takes true or false, not "perhaps"\.$/],
    [['http://a/v1', 'http://b/v1', 'c'], /^run takes \[BASE_URL\]; 3 words were given\.$/],
  ] as const) {
    assert.match(
      complaintOf(() => readInvocation('run', { words, environment: {}, folder: '/' })),
      sentence,
    );
  }
});

test('a value that begins with two dashes stands behind an equals sign', () => {
  const sources = { words: ['--name=--x', '--header=X-A: --b'], environment: {}, folder: '/' };
  const { values } = readInvocation('run', sources);
  assert.is(values.nameTemplate, '--x');
  assert.equal(values.headers, { 'x-a': '--b' });
});

test('--no- turns a switch off, and a disposable target is neither where nothing says so', () => {
  const read = (...words: readonly string[]): boolean | undefined =>
    readInvocation('run', { words, environment: {}, folder: '/' }).values.isDisposable;
  assert.is(read('--disposable'), true);
  assert.is(read('--no-disposable'), false);
  assert.is(read('--disposable=false'), false);
  assert.is(read(), undefined);
  const elsewhere = { words: ['--no-plan'], environment: {}, folder: '/' };
  assert.match(
    complaintOf(() => readInvocation('run', elsewhere)),
    /^--no-plan is no option of run/,
  );
});

test('an empty base address in the environment is refused', () => {
  const sources = { words: [], environment: { PETSTORE_BASE_URL: '' }, folder: '/' };
  assert.is(
    complaintOf(() => readInvocation('run', sources)),
    'PETSTORE_BASE_URL is empty: set it to the base address of the target, or unset it.',
  );
});

test('a variable that is nearly an option is refused, and one that belongs to others is not', () => {
  const withVariable = (name: string) => () =>
    readInvocation('run', { words: [], environment: { [name]: '1' }, folder: '/' });
  for (const [name, meant] of [
    ['PETSTORE_MAX_REQUEST', 'PETSTORE_MAX_REQUESTS'],
    ['PETSTORE_MAX_CREATE', 'PETSTORE_MAX_CREATES'],
    ['PETSTORE_READONLY', 'PETSTORE_READ_ONLY'],
    ['PETSTORE_BASEURL', 'PETSTORE_BASE_URL'],
  ] as const) {
    assert.is(
      complaintOf(withVariable(name)),
      `The variable ${name} sets no option. Did you mean ${meant}? Rename or unset it.`,
    );
  }
  for (const name of ['PETSTORE_API_KEY', 'PETSTORE_API_KEY_2', 'PETSTORE_DATABASE', 'PETSTORE_POST', 'PETSTORE_']) {
    assert.not.throws(withVariable(name), name);
  }
});

test('a command takes as many words as it names, and says how many were given', () => {
  const sentenceFor = (command: CommandName, ...words: readonly string[]): string =>
    complaintOf(() => readInvocation(command, { words, environment: {}, folder: '/' }));
  assert.match(sentenceFor('compare'), /^compare takes REPORT REPORT…; nothing was given\.$/);
  assert.match(sentenceFor('explain', 'pet-id', 'pet-name'), /^explain takes .*; 2 words were given\.$/);
  assert.match(sentenceFor('observe'), /^observe takes HAR…\|BASE_URL; nothing was given\.$/);
  assert.match(sentenceFor('init', 'http://a/v1', 'http://b/v1'), /^init takes .*; 2 words were given\.$/);
  const many = readInvocation('compare', { words: ['a', 'b', 'c', 'd'], environment: {}, folder: '/' });
  assert.equal(many.words, ['a', 'b', 'c', 'd']);
  const none = readInvocation('run', { words: [], environment: {}, folder: '/' });
  assert.equal(none.words, []);
  assert.not.ok('baseUrl' in none.values);
});

test.run();
