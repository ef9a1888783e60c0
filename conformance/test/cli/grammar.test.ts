/** The command line: words, environment and configuration file → what a command reads, or one sentence and exit code 2. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CommandName, commandNames, commands } from '../../cli/commands.ts';
import { configurationFile, type Line, readInvocation } from '../../cli/configuration.ts';
import { readLine } from '../../cli/program.ts';
import {
  describeOption,
  flagOf,
  type OptionName,
  optionNames,
  optionOf,
  optionsOf,
  variableOf,
} from '../../options/options.ts';
import { ids } from '../../options/readers.ts';
import { suggest } from '../../options/suggest.ts';
import { UsageError } from '../../run/usage-error.ts';
import { invoke, temporaryFolder, testCalls } from './command.ts';
import { goldenHelp, helpOf } from './golden-help.ts';

const folder = temporaryFolder();
const file = join(folder, configurationFile);
const waivers = join(folder, 'waivers.yaml');
writeFileSync(waivers, '- { id: pet-id, reason: r, owner: o, expires: 2027-01-31 }\n');
const other = join(folder, 'other');
mkdirSync(other);

const halfPastNine = Date.UTC(2030, 11, 5, 9, 30);
const waived = new Map([['pet-id', { reason: 'r', owner: 'o', expires: '2027-01-31' }]]);

/** For each option a text that is not its default, what it reads to, and texts that it refuses. */
const samples: Readonly<Record<OptionName, readonly [text: string, value: unknown, ...refused: readonly string[]]>> = {
  baseUrl: [
    'https://host/a/v1//',
    'https://host/a/v1',
    'http://user@host/v1',
    'http://:pass@host/v1',
    'http://host/v1#a',
    'http://host:99999/v1',
    'user@host',
  ],
  isEmbedded: ['true', true],
  plan: ['pro', 'pro', 'Pro'],
  nameTemplate: ['Pet {n}', 'Pet {n}', '  '],
  isDisposable: ['true', true],
  categoryIds: ['9007199254740993', [9007199254740993n], '9223372036854775808', '1.0'],
  headers: [
    'X-Team:  a: b ',
    { 'x-team': 'a: b' },
    'Authorization : Bearer x',
    ': x',
    'X-Team b',
    'X-Team',
    'two words: x',
    'X-A: b\nc',
  ],
  start: ['npm start', 'npm start'],
  port: ['8081', 8_081, '65536'],
  maxRequests: ['7', 7, '0', '1.5', '2147483649', ''],
  maxCreates: ['0', 0, '-1'],
  isReadOnly: ['true', true, 'perhaps'],
  concurrency: ['64', 64, '65'],
  ratePerMinute: ['30', 30],
  timeoutMs: ['600000', 600_000, '600001'],
  maxWaitMs: ['0', 0, '86401'],
  settleMs: ['0', 0],
  deadlineMs: ['86400', 86_400_000, '0'],
  isDryRun: ['true', true],
  timeLimitMs: ['3600', 3_600_000],
  seed: ['0', 0],
  only: ['§4.3', new Set(['get-answer', 'get-not-found', 'get-id-not-int64']), '4.9', 'aut'],
  lastFailed: ['r.json', 'r.json'],
  gapProfile: ['profile.yaml', 'profile.yaml'],
  onlyGaps: ['list-order', new Set(['any-list-order']), 'list-ordre'],
  today: ['2030-12-05T09:30:00Z', halfPastNine, '2027-02-31', '2027-02-31T10:00:00Z', '2027-01-31Tnoon'],
  waivers: [waivers, waived],
  maxOutages: ['0', 0, '-1'],
  requiresAll: ['true', true],
  reporters: ['junit=a=b.xml', [{ name: 'junit', file: 'a=b.xml' }], 'xml', 'json='],
  isVerbose: ['true', true],
  isQuiet: ['true', true],
  outputFolder: ['printed', 'printed'],
  pacts: ['a.json', ['a.json']],
  provider: ['shop', 'shop'],
  providerVersion: ['1.2', '1.2'],
  providerBranch: ['main', 'main'],
  configurationFile: [file, file],
};

/** Reads an option, on a line with all the words that its command needs. */
async function readAs(name: OptionName, words: readonly string[], environment: Record<string, string>, at = '/') {
  const command = optionOf(name).readers[0] as CommandName;
  const needed = [...commands[command].words.matchAll(/<(\S+)>/g)].map(() => 'http://host/v1');
  const { values } = await invoke(command, [...needed, ...words], environment, at);
  return (values as Readonly<Record<string, unknown>>)[name];
}

test('each option is read the same from the line, the environment and the file, and refused in one sentence', async () => {
  for (const name of optionNames) {
    const [text, value, ...refused] = samples[name];
    const flag = `--${flagOf(name)}`;
    const onLine = optionOf(name).type.isSwitch ? [flag] : [flag, text];
    writeFileSync(file, '');
    assert.equal(await readAs(name, onLine, {}), value);
    assert.equal(await readAs(name, [], { [variableOf(name)]: text }), value);
    if (name !== 'configurationFile') writeFileSync(file, `${flagOf(name)}: ${JSON.stringify(text)}\n`);
    if (name !== 'configurationFile') assert.equal(await readAs(name, [], {}, folder), value);
    for (const wrong of refused) {
      const isRight = (error: unknown): boolean => error instanceof UsageError && /^LABEL [^\n]*$/.test(error.message);
      assert.throws(() => optionOf(name).type.read(wrong, 'LABEL'), isRight, wrong);
    }
  }
});

test('the last of file, environment and line wins, lists take all values, and --no- turns a switch off', async () => {
  assert.equal((await invoke('run', [])).values, {
    categoryIds: [],
    headers: {},
    isReadOnly: false,
    concurrency: 1,
    timeoutMs: 10_000,
    maxWaitMs: 75_000,
    settleMs: 2_000,
    deadlineMs: 1_800_000,
    isDryRun: false,
    requiresAll: false,
    reporters: [{ name: 'terminal' }],
    isVerbose: false,
    isQuiet: false,
  });
  writeFileSync(file, 'plan: free\nseed: 5\ncategory-id: [3, -9223372036854775808]\ntime-limit: 3\n');
  const line =
    '--seed 1 --seed 9 --only pet-id --only 9 --disposable --no-disposable --header a:b --reporter json=-'.split(' ');
  const environment = { PETSTORE_PLAN: 'pro', PETSTORE_SEED: '7', PETSTORE_DATABASE: 'mine', PETSTORE_NAME: '' };
  const { values } = await invoke('run', line, environment, folder);
  const { plan, seed, isDisposable, reporters, categoryIds, headers, only = [] } = values;
  assert.equal([plan, seed, isDisposable, reporters], ['pro', 9, false, [{ name: 'json' }]]);
  assert.equal([categoryIds, headers], [[3n, -9223372036854775808n], { a: 'b' }]);
  assert.equal([...only], ['pet-id', 'version-base-address', 'get-until-removal']);
  const lines = { PETSTORE_CATEGORY_ID: '3\n7\n' };
  for (const words of [['--category-id=-4'], ['--category-id', '-4']]) {
    assert.equal((await invoke('run', words, lines)).values.categoryIds, [-4n]);
  }
  assert.equal((await invoke('run', [], lines)).values.categoryIds, [3n, 7n]);
});

test('requirements are named by their section, by the one that holds it, or by the beginning of their ids', () => {
  const idsOf = (given: string): string => ids.read(given, '--only').join(' ');
  assert.is(idsOf('4.3'), 'get-answer get-not-found get-id-not-int64');
  assert.match(idsOf('4'), /^list-answer .* get-id-not-int64$/);
  assert.match(idsOf('auth'), /^auth-valid-key( auth-[a-z-]+)+$/);
});

test('a configuration is for commands that judge, from the working folder or --config, and holds options of any of them', async () => {
  writeFileSync(file, 'only: 4.1\nconcurrency: 2\nreporter: json\nseed: 1\n');
  assert.is((await invoke('run', [], {}, folder)).values.concurrency, 2);
  assert.is((await invoke('run', [], {}, other)).values.concurrency, 1);
  assert.not.ok('only' in (await invoke('client', ['true'], {}, folder)).values);
  const mine = join(other, 'mine.yaml');
  writeFileSync(mine, 'seed: 5\n');
  assert.is((await invoke('run', ['--config', mine], {}, folder)).values.seed, 5);
  const compared = await invoke('compare', ['a.json', 'b.json'], { PETSTORE_REPORTER: 'html' }, folder);
  assert.equal(compared.values.reporters, [{ name: 'terminal' }]);
});

test('the words of a command are the base address, archives, or the command of a client', async () => {
  const verify = await invoke('pact verify', ['http://host/v1', '--pact', 'a.json']);
  assert.equal([verify.words, verify.values.baseUrl], [[], 'http://host/v1']);
  const observe = await invoke('observe', ['a.har', 'b.har', '--base-url', 'http://host/v1']);
  assert.equal([observe.words, observe.values.baseUrl], [['a.har', 'b.har'], 'http://host/v1']);
  const own = 'npm test -- --time-limit -4 --help'.split(' ');
  const client = await invoke('client', ['--time-limit', '3', '--', ...own]);
  assert.equal(client.words, own);
});

/** Calls that are refused with 2 and one sentence: words → the sentence, which never repeats a secret. */
const refused: Readonly<Record<string, RegExp>> = {
  // Commands.
  pact: /^Unknown command 'pact'; see petstore-conformance --help\.\n$/,
  'pact -h': /^Unknown command 'pact'; see petstore-conformance --help\.\n$/,
  rnu: /^Unknown command 'rnu'; see petstore-conformance --help\. Did you mean run\?\n$/,
  'pact verfy': /^Unknown command 'pact verfy'; .* Did you mean pact verify\?\n$/,
  'a-http:': /^Unknown command 'a-http:'; see petstore-conformance --help\.\n$/,
  'HTTP://host/v1':
    /^Unknown command .* A command comes before the address, as in petstore-conformance run BASE_URL\.\n$/,
  '\u001b[2J': /^Unknown command '<U\+001B>\[2J';/,
  // Words.
  'run http://a/v1 http://b/v1': /^run takes \[BASE_URL\], not 2 words; see petstore-conformance run --help\.\n$/,
  'compare a.json': /^compare takes <REPORT> <REPORT\.\.\.>, not 1 word; see .*\n$/,
  'run ftp://host/v1': /^The base address must be an address of http:\/\/ or https:\/\/, .*\n$/,
  'run http://host/v1?key=cr4nary': /^The base address must hold no query or fragment\.\n$/,
  'run user:cr4nary@host/v1': /^The base address must be an address of [^"]*\n$/,
  'self-test all': /^self-test takes a whole number from 0 to 999999, not "all"\.\n$/,
  'observe http://host/v1 a.har': /^The archive http:\/\/host\/v1 cannot be read: ENOENT: .*\n$/,
  // Options.
  'run --max-request 5': /^Unknown option '--max-request'; see \S+ run --help\. Did you mean --max-requests\?\n$/,
  'run --hlep': /^Unknown option '--hlep'; see \S+ run --help\. Did you mean --help\?\n$/,
  'run --quiet -5': /^Unknown option '-5'; see \S+ run --help\.\n$/,
  'run --pact x': /^Unknown option '--pact'; see \S+ run --help\.\n$/,
  'run --api-key cr4nary':
    /^Unknown option '--api-key'; .* Keys come from the environment alone: set PETSTORE_API_KEY\.\n$/,
  "run --api-key=cr4nary=x'y": /^Unknown option '--api-key'; .* Keys come from the environment alone: .*\n$/,
  'run --plan': /^Option '--plan <value>' argument missing\.\n$/,
  'run --quiet=x': /^Option '--quiet' does not take an argument\.\n$/,
  '--plan=cr4nary run': /^Unknown option '--plan'; see petstore-conformance --help\.\n$/,
  'run http://host:99999/v1': /^The base address must be an address of .*, not "http:\/\/host:99999\/v1"\.\n$/,
  'run http://user:cr4nary@host/v1': /must hold no user or password; give keys by environment variables\.\n$/,
  'run --max-requests -5': /^--max-requests takes a whole number from 1 to 2147483648, not "-5"\.\n$/,
  'run --max-requests 0': /^--max-requests takes a whole number from 1 to 2147483648, not "0"\.\n$/,
  'run --only pet-naem':
    /^--only takes the id of a requirement, such as service-json, or .*, not "pet-naem"\. Did you mean pet-name\?\n$/,
  'run --header Authorization:cr4nary': /cannot set Authorization: set PETSTORE_API_KEY to the key\.\n$/,
  'run --now 2027-02-31': /takes a date like 2030-12-05 or 2030-12-05T09:00:00Z, not "2027-02-31"\.\n$/,
  'client --differs-in list-ordre -- x': /takes the id of a gap, not "list-ordre"\. Did you mean list-order\?\n$/,
  'run --name --seed 3': /^Option '--name' argument is ambiguous\. Did you forget [^\n]*\.\n$/,
  [`run --plan ${'x'.repeat(20_000)}`]: /^--plan takes one of .{1,250}\n$/,
  'run --reporter json --reporter html': /^Only one format can be written to the standard output, .*\n$/,
  'run --start true --embedded': /^--start needs BASE_URL, the address at which the service answers\.\n$/,
  // Files that options name.
  'run --reporter html=/dev/null/report.html': /^\S+ cannot be written: .*\.\n$/,
  'run --last-failed /no/such': /^The report \/no\/such cannot be read: ENOENT: .*\n$/,
  'run --waivers /no/such': /^The waivers file \/no\/such cannot be read: .*\n$/,
  'run --config none.yaml': /^The configuration none\.yaml cannot be read: ENOENT: no such file or directory\.\n$/,
};

/** An environment with this key. */
const keys = (PETSTORE_API_KEY: string, more = {}) => ({ PETSTORE_API_KEY, ...more });
const [manyRequests, noAddress] = [{ PETSTORE_MAX_REQUESTS: 'many' }, { PETSTORE_BASE_URL: '' }];

/** The environment → why it is refused, for a run against an address. */
const environments: readonly (readonly [environment: Readonly<Record<string, string>>, sentence: RegExp])[] = [
  [manyRequests, /^PETSTORE_MAX_REQUESTS takes a whole number from 1 to 2147483648, not "many"\.\n$/],
  [noAddress, /^PETSTORE_BASE_URL is empty: set it to the base address of the target, or unset it\.\n$/],
  [{}, /^PETSTORE_API_KEY is not set: set it to the API key .*\n$/],
  [keys(''), /^PETSTORE_API_KEY is empty: does the secret exist .*\n$/],
  [keys('one-key-4711', { PETSTORE_RATE_LIMIT_KEY: 'one-key-4711' }), /^PETSTORE_RATE_LIMIT_KEY must be another key/],
  [keys('cr4nary cr4nary'), /^PETSTORE_API_KEY holds a blank or a tab: set it to the key alone\.\n$/],
  [keys('cr4nary\n'), /^PETSTORE_API_KEY holds a line break: was it read from a file\? Set it to the key alone\.\n$/],
  [keys('Bearer cr4nary'), /^PETSTORE_API_KEY begins with "Bearer ": set it to the key alone, since .*\n$/],
  [keys('cr4nary\u00e9'), /^PETSTORE_API_KEY holds a character that is not visible ASCII: .*\n$/],
  [keys('a-key', { PETSTORE_RATE_LIMIT_KEY: ' cr4nary' }), /^PETSTORE_RATE_LIMIT_KEY holds a blank or a tab: .*\n$/],
];

/** The configuration file → why it is refused. */
const files: Readonly<Record<string, RegExp>> = {
  'max-request: 60': /no option "max-request": petstore-conformance --help lists them\. Did you mean max-requests\?\n$/,
  'api-key: cr4nary': /config\.yaml has no option "api-key": keys come from the environment only\.\n$/,
  'config: x': /config\.yaml has no option "config"/,
  'plan: [free, pro]': /^plan in .*config\.yaml takes one value, not a list\.\n$/,
  'plan:': /^plan in .*config\.yaml takes one of .*, not "null"\.\n$/,
  'plan: { a: 1 }': /^plan in .*config\.yaml takes one of .*, not "a: 1"\.\n$/,
  'read-only: perhaps': /^read-only in .* takes true or false, not "perhaps"\.\n$/,
  'just words': /must hold options by name, like max-requests: 60\.\n$/,
  'plan: [': /is no YAML in line 1: /,
};

const target = 'run http://127.0.0.1:9/v1';
const empty = { [configurationFile]: '' };
testCalls([
  ...Object.entries(refused).map(([words, stderr]) => ({ words, stderr, code: 2, files: empty })),
  ...environments.map(([environment, stderr]) => ({ words: target, environment, stderr, code: 2, files: empty })),
  ...Object.entries(files).map(([text, stderr]) => {
    return { words: target, stderr, code: 2, files: { [configurationFile]: text } };
  }),
  { words: '', code: 2, stdout: [/^Judges implementations/m, /^ {2}pact verify \[BASE_URL\]/m] },
  { words: '-h', code: 0, stdout: [/^Judges implementations/m] },
  { words: 'help rnu', code: 2, stderr: /^Unknown command 'rnu'; .* Did you mean run\?\n$/ },
  { words: 'help report', code: 0, stdout: [/^Usage: petstore-conformance report \[options\] <REPORT>\n/] },
  { words: 'help client', code: 0, stdout: [/^Usage: petstore-conformance client \[options\] -- COMMAND\.\.\.\n/] },
  { words: 'pact lint -h', code: 0, stdout: [/^Usage: petstore-conformance pact lint/] },
  { words: '--version', code: 0, stdout: [/^\d+\.\d+\.\d+\n$/] },
]);

test('the help of the program fits a screen, and with that of two commands is the golden file', () => {
  const lines = helpOf('--help').trimEnd().split('\n');
  assert.ok(lines.length <= 24 && lines.every((line) => line.length <= 80), lines.join('\n'));
  assert.is(goldenHelp(), readFileSync(new URL('../golden/help.txt', import.meta.url), 'utf8'));
});

test('the nearest of the known words is suggested, if it is near', () => {
  for (const [word, known, near] of [
    ['pet-naem', 'pet-id pet-nameless pet-name', ' Did you mean pet-name?'],
    ['FREE', 'pro free', ' Did you mean free?'],
    ['abcdefghi', 'abcdefxyz', ' Did you mean abcdefxyz?'],
    ['abcdefghi', 'abcdewxyz', ''],
    ['abc', 'xyz', ''],
  ] as const) {
    assert.is(suggest(word, known.split(' ')), near);
  }
});

test('the help of a command has its options, each with its default, and examples that are understood', async () => {
  for (const command of commandNames) {
    const { text } = readLine([...command.split(' '), '--help'], 1_000) as { readonly text: string };
    const { summary, examples } = commands[command];
    assert.match(text, new RegExp(`\\n\\n${summary}\\.\\n`, 'i'));
    const isConfigured = optionsOf(command).includes('configurationFile');
    assert.is(text.includes(`\nEvery option may stand in ${configurationFile} in this folder`), isConfigured, command);
    for (const name of optionNames) {
      const option = optionOf(name);
      const isFlag = optionsOf(command).includes(name);
      const line = text.split('\n').find((one) => one.startsWith(`  --${option.flag} `));
      assert.is(line?.replace(/^ +--.*? {2,}/, ''), isFlag ? describeOption(option) : undefined, `${command} ${name}`);
    }
    for (const example of examples) {
      assert.match(text, `\n  petstore-conformance ${example}\n`);
      // As a shell reads it.
      const words = [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
      const there = words.map((word) => (word === 'waivers.yaml' ? waivers : word));
      const line = readLine(there, 80) as Line;
      assert.is(line.command, command);
      await readInvocation(line);
    }
  }
  const ends = (['reporters', 'timeoutMs', 'isQuiet', 'only'] as const).map((name) => {
    return /(?: \([^(]*\))?$/.exec(describeOption(optionOf(name)))?.[0];
  });
  assert.equal(ends, [' (default: terminal; repeatable)', ' (default: 10000)', '', ' (repeatable)']);
});

test.run();
