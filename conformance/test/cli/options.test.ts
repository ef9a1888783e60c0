/** The table of options: what each reads to, wherever it is given, and that --print-config has them all. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CommandName, commandNames, describe, findCommand } from '../../cli/commands.ts';
import { readInvocation } from '../../cli/configuration.ts';
import { configurationFile } from '../../cli/configuration-file.ts';
import { options } from '../../cli/option-table.ts';
import { flagOf, type OptionName, optionNames, optionOf, variableOf } from '../../cli/options.ts';
import { showConfiguration } from '../../cli/print-config.ts';
import { UsageError } from '../../cli/usage-error.ts';
import { temporaryFolder } from './command.ts';

const folder = temporaryFolder();
const waivers = join(folder, 'waivers.yaml');
writeFileSync(waivers, '- { id: pet-id, reason: r, owner: o, expires: 2027-01-31 }\n');

const waived = new Map([['pet-id', [{ reason: 'r', owner: 'o', expires: '2027-01-31' }]]]);

/** For each option a text that is not its default, and what it reads to. */
const samples: Readonly<Record<OptionName, readonly [text: string, value: unknown]>> = {
  baseUrl: ['https://host/a/v1//', 'https://host/a/v1'],
  plan: ['pro', 'pro'],
  rateLimitPlan: ['free', 'free'],
  nameTemplate: ['Pet {n}', 'Pet {n}'],
  isDisposable: ['true', true],
  ratePerMinute: ['30', 30],
  categoryIds: ['9007199254740993', [9007199254740993n]],
  headers: ['X-Team:  a: b ', { 'x-team': 'a: b' }],
  maxRequests: ['7', 7],
  maxCreates: ['0', 0],
  isReadOnly: ['true', true],
  isDryRun: ['true', true],
  concurrency: ['64', 64],
  timeoutMs: ['600000', 600_000],
  maxWaitMs: ['0', 0],
  settleMs: ['0', 0],
  deadlineMs: ['86400', 86_400_000],
  maxRuns: ['40', 40],
  gapProfile: ['profile.yaml', 'profile.yaml'],
  timeLimitMs: ['3600', 3_600_000],
  seed: ['0', 0],
  only: ['§4.3', new Set(['get-answer', 'get-not-found', 'get-id-not-int64'])],
  lastFailed: ['r.json', 'r.json'],
  start: ['npm start', 'npm start'],
  onlyGaps: ['list-order', new Set(['any-list-order'])],
  today: ['2030-12-05T09:30:00Z', Date.UTC(2030, 11, 5, 9, 30)],
  waivers: [waivers, waived],
  requiresAll: ['true', true],
  port: ['8081', 8_081],
  host: ['::1', '::1'],
  idleMs: ['30', 30_000],
  reporters: ['junit=a=b.xml', [{ name: 'junit', file: 'a=b.xml' }]],
  isVerbose: ['true', true],
  isQuiet: ['true', true],
  outputFolder: ['printed', 'printed'],
  printsConfiguration: ['true', true],
  pacts: ['a.json', ['a.json']],
  brokerUrl: ['http://broker/', 'http://broker'],
  provider: ['shop', 'shop'],
  selectors: ['consumer=a=b,mainBranch', [{ consumer: 'a=b', mainBranch: true }]],
  isPendingEnabled: ['true', true],
  providerVersion: ['1.2', '1.2'],
  providerBranch: ['main', 'main'],
  publishes: ['true', true],
};

/** Words that a command cannot do without. */
function needed(command: CommandName): readonly string[] {
  const words = describe(command).words.filter((word) => !word.startsWith('['));
  return words.map((word) => (word === 'BASE_URL' ? 'http://host/v1' : word));
}

function readAs(name: OptionName, words: readonly string[], environment: Record<string, string>, at = '/'): unknown {
  const command = optionOf(name).commands[0]!;
  const given = command === 'client' ? [...words, '--', 'a-command'] : [...needed(command), ...words];
  const { values } = readInvocation(command, { words: given, environment, folder: at });
  return (values as Readonly<Record<string, unknown>>)[name];
}

for (const name of optionNames) {
  test(`${flagOf(name)} reads to the same value from the line, the environment and the file`, () => {
    const [text, value] = samples[name];
    const flag = `--${flagOf(name)}`;
    const onLine = { word: [text], switch: [flag], text: [flag, text], list: [flag, text] }[optionOf(name).kind];
    assert.equal(readAs(name, onLine, {}), value);
    assert.equal(readAs(name, [], { [variableOf(name)]: text }), value);
    writeFileSync(join(folder, configurationFile), `${flagOf(name)}: ${JSON.stringify(text)}\n`);
    assert.equal(readAs(name, [], {}, folder), value);
  });
}

test('without a word the options of a run are these', () => {
  const { values } = readInvocation('run', { words: [], environment: {}, folder: '/' });
  assert.equal(values, {
    categoryIds: [],
    headers: {},
    isDryRun: false,
    isReadOnly: false,
    concurrency: 1,
    timeoutMs: 10_000,
    maxWaitMs: 75_000,
    settleMs: 2_000,
    deadlineMs: 1_800_000,
    requiresAll: false,
    reporters: [{ name: 'terminal' }],
    isVerbose: false,
    isQuiet: false,
    printsConfiguration: false,
  });
});

test('the base address has a flag where the command has no place for it among its words', () => {
  const words = ['a.har', '--base-url', 'http://host/v1'];
  const { values } = readInvocation('observe', { words, environment: {}, folder: '/' });
  assert.is(values.baseUrl, 'http://host/v1');
});

test('of several values the last is taken, and lists take them all', () => {
  const words = ['--seed', '1', '--seed', '2', '--category-id', '3', '--category-id=-4', '--only', '9', '--only', '7'];
  const { values } = readInvocation('run', { words, environment: {}, folder: '/' });
  assert.is(values.seed, 2);
  assert.equal(values.categoryIds, [3n, -4n]);
  assert.equal([...(values.only ?? [])].slice(0, 3), ['version-base-address', 'get-until-removal', 'error-shape']);
});

/** Words that are refused, and the sentence on why. */
const refused: readonly (readonly [string, RegExp])[] = [
  ['--max-requests=0', /^--max-requests takes a whole number from 1 to 2147483648, not "0"\.$/],
  ['--max-requests=1.5', /not "1\.5"/],
  ['--max-requests=2147483649', /not "2147483649"/],
  ['--max-requests=', /not ""/],
  ['--max-creates=-1', /from 0 to/],
  ['--concurrency=65', /from 1 to 64/],
  ['--timeout=600001', /from 1 to 600000/],
  ['--max-wait=86401', /from 0 to 86400/],
  ['--deadline=0', /from 1 to 86400/],
  ['--category-id=9223372036854775808', /in the range of int64, not "9223372036854775808"/],
  ['--category-id=1.0', /in the range of int64/],
  ['--now=2027-02-31', /^--now takes a date like 2030-12-05, not "2027-02-31"\.$/],
  ['--now=2027-02-31T10:00:00Z', /takes a date/],
  ['--now=2027-01-31Tnoon', /takes a date like 2030-12-05 or 2030-12-05T09:00:00Z, not "2027-01-31Tnoon"/],
  ['--now=tomorrow', /takes a date/],
  ['--header=Authorization : Bearer x', /^--header cannot set Authorization/],
  ['--header=: x', /takes 'Name: value'/],
  ['--header=two words: x', /takes 'Name: value'/],
  ['--header=X-A: b\nc', /^--header x-a must be one line/],
  ['--only=4.9', /^--only 4\.9 matches no requirement: give an id like service-json or a section/],
  ['--reporter=xml', /^--reporter takes one of terminal, json/],
  ['--reporter=json=', /json= needs the name of a file/],
  ['--max-request=5', /^--max-request is no option of run; .* Did you mean --max-requests\?$/],
  ['--api-key=x', /^--api-key is no option of run; .* Keys come from the environment alone: set PETSTORE_API_KEY\.$/],
  ['--token=x', /^--token is no option of run; .* Keys come from the environment alone: set PETSTORE_API_KEY\.$/],
  ['--publish', /^--publish is no option of run; see petstore-conformance run --help\.$/],
  [
    '--base-url=http://host',
    /^--base-url is no option of run; .* The base address is a word of its own, without an option/,
  ],
  ['-u', /^-u is no option of run; .* The base address is a word of its own, without an option before it\.$/],
  ['--only=pet-naem', /or a section like 4\.1\. Did you mean pet-name\?$/],
  ['--plan=fre', /not "fre"\. Did you mean free\?$/],
  ['ftp://host/v1', /^The base address must start with http:\/\/ or https:\/\//],
  ['http://user@host/v1', /^The base address must hold no user or password/],
  ['http://:pass@host/v1', /^The base address must hold no user or password/],
  ['http://host/v1#a', /^The base address must hold no query or fragment\.$/],
];

for (const [word, sentence] of refused) {
  test(`${JSON.stringify(word)} is refused with one sentence`, () => {
    let thrown: unknown;
    try {
      readInvocation('run', { words: [word], environment: {}, folder: '/' });
    } catch (error) {
      thrown = error;
    }
    assert.instance(thrown, UsageError);
    assert.match((thrown as Error).message, sentence);
  });
}

test('an error never repeats a part of an address that may be a secret', () => {
  for (const address of [
    'user:s3cret@host/v1',
    'host?key=s3cret',
    'http://user:s3cret@host/v1',
    'ftp://user:s3cret@host/v1',
    'http://host/v1?key=s3cret',
  ]) {
    try {
      readInvocation('run', { words: [address], environment: {}, folder: '/' });
      assert.unreachable(address);
    } catch (error) {
      assert.not.match((error as Error).message, 's3cret');
    }
  }
});

test('no two options of one command share a flag or a variable', () => {
  for (const command of commandNames) {
    const own = optionNames.filter((name) => optionOf(name).commands.includes(command));
    assert.is(new Set(own.map(flagOf)).size, own.length, command);
    assert.is(new Set(own.map(variableOf)).size, own.length, command);
  }
});

test('a command is one word or two, and other words are refused', () => {
  assert.equal(findCommand(['pact', 'verify', '--pact', 'x']), { command: 'pact verify', rest: ['--pact', 'x'] });
  assert.equal(findCommand(['run']), { command: 'run', rest: [] });
  for (const [words, sentence] of [
    [[], /^There is no command ""; see petstore-conformance --help\.$/],
    [['verify'], /no command "verify"/],
    [['pact', 'run'], /^pact takes verify or lint, not "run"\.$/],
    [['pact'], /^pact takes verify or lint; nothing was given\.$/],
    [['--verison'], / Did you mean --version\?$/],
    [['pact', 'verfy'], /not "verfy"\. Did you mean verify\?$/],
    [['rnu'], /no command "rnu"; see petstore-conformance --help\. Did you mean run\?$/],
    [['Compare'], / Did you mean compare\?$/],
    [['selftest', 'x'], / Did you mean self-test\?$/],
    [['frobnicate'], /--help\.$/],
    [['https://host/v1'], /^A command comes before the address, as in petstore-conformance run BASE_URL\.$/],
  ] as const) {
    const found = findCommand(words);
    assert.match('problem' in found ? found.problem.message : '', sentence);
  }
});

test('--print-config shows all options of the command with their origin, and no secret', () => {
  const words = ['--header', 'X-Gateway-Key: hidden-4711', '--header', 'X-Team: pets', 'http://host/v1'];
  const environment = { PETSTORE_API_KEY: 'never-shown-4711', PETSTORE_RATE_LIMIT_KEY: '', PETSTORE_ONLY: '4.1\n4.2' };
  const { configuration } = readInvocation('run', { words, environment, folder: '/' });
  const shown = showConfiguration('run', configuration, environment);
  const rows = new Map(shown.split('\n').map((line) => [line.split(' ')[0], line.split(/ {2,}/).slice(1)]));
  assert.equal([...rows.keys()].filter(Boolean), [
    ...optionNames
      .filter((name) => optionOf(name).commands.includes('run') && name !== 'printsConfiguration')
      .map(flagOf),
    'api-key',
    'rate-limit-key',
  ]);
  assert.equal(rows.get('base-url'), ['http://host/v1', 'command line']);
  assert.equal(rows.get('header'), ['X-Gateway-Key: (not shown), X-Team: pets', '--header']);
  assert.equal(rows.get('only'), ['4.1, 4.2', 'PETSTORE_ONLY']);
  assert.equal(rows.get('seed'), ['(random)', 'default']);
  assert.equal(rows.get('waivers'), ['(none)', 'default']);
  assert.equal(rows.get('max-requests'), [`(${options.maxRequests.otherwise})`, 'default']);
  assert.equal(rows.get('api-key'), ['(set, not shown)', 'PETSTORE_API_KEY']);
  assert.equal(rows.get('rate-limit-key'), ['(empty)', 'PETSTORE_RATE_LIMIT_KEY']);
  assert.not.match(shown, '4711');
  const wide = shown.split('\n').filter((line) => line.length > 90);
  assert.ok(
    wide.every((line) => line.includes('(300; 1,000 if ')),
    wide.join('\n'),
  );
  assert.match(showConfiguration('run', new Map(), {}), /^api-key +\(not set\) +PETSTORE_API_KEY$/m);
});

test.run();
