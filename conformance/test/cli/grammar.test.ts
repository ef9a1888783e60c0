/** The grammar of the command line, as a table: words and environment → exit code and what is printed. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Call, run, temporaryFolder, testCalls } from './command.ts';

const folder = temporaryFolder();
const configuration = 'petstore-conformance.config.yaml';

/** The configuration file in the working folder, empty where a row has none. */
function configured(calls: readonly (Omit<Call, 'files'> & { readonly file?: string })[]): readonly Call[] {
  return calls.map(({ file = '', ...call }) => ({ ...call, files: { [configuration]: file } }));
}

/** Calls that are refused with 2 and one sentence: words → the sentence, which never repeats a secret. */
const refused: Readonly<Record<string, RegExp>> = {
  // Commands.
  pact: /^Unknown command 'pact'; see petstore-conformance --help\.\n$/,
  rnu: /^Unknown command 'rnu'; see petstore-conformance --help\. Did you mean run\?\n$/,
  frobnicate: /^Unknown command 'frobnicate'; see petstore-conformance --help\.\n$/,
  'pact verfy': /^Unknown command 'pact verfy'; .* Did you mean pact verify\?\n$/,
  'https://host/v1':
    /^Unknown command .* A command comes before the address, as in petstore-conformance run BASE_URL\.\n$/,
  '--verison': /^Unknown option '--verison'; see petstore-conformance --help\. Did you mean --version\?\n$/,
  '\u001b[2J': /^Unknown command '\\u001b\[2J';/,
  // Words.
  'run http://a/v1 http://b/v1':
    /^Too many arguments for 'run'\. Expected 1 argument but got 2; see petstore-conformance run --help\.\n$/,
  'compare a.json': /^Missing required argument 'REPORT'; see .*\n$/,
  client: /^Missing required argument 'COMMAND'; see .*\n$/,
  init: /^Missing required argument 'BASE_URL'; see .*\n$/,
  'run ftp://host/v1': /^The base address must start with http:\/\/ or https:\/\/, .*\n$/,
  'run http://host/v1?key=cr4nary': /^The base address must hold no query or fragment\.\n$/,
  'explain no-such': /^explain knows no "no-such"; .*\n$/,
  'self-test all': /^self-test takes one number of random combinations, not "all"\.\n$/,
  // Options.
  'run --max-request 5': /^Unknown option '--max-request'; see \S+ run --help\. Did you mean --max-requests\?\n$/,
  'run --pact x': /^Unknown option '--pact'; see \S+ run --help\.\n$/,
  'run -s': /^Unknown option '-s'; see \S+ run --help\.\n$/,
  'run --no-plan': /^Unknown option '--no-plan'; see \S+ run --help\. Did you mean --plan\?\n$/,
  'run --api-key cr4nary':
    /^Unknown option '--api-key'; .* Keys come from the environment alone: set PETSTORE_API_KEY\.\n$/,
  "run --api-key=cr4nary=x'y": /^Unknown option '--api-key'; .* Keys come from the environment alone: .*\n$/,
  'observe --token=cr4nary a.har': /^Unknown option '--token'; .* Keys come from the environment alone: .*\n$/,
  'run --url http://host/v1': /^Unknown option '--url'; see \S+ run --help\.\n$/,
  'run --base-url http://host/v1': /^Unknown option '--base-url'; see \S+ run --help\.\n$/,
  'run --plan': /^Option '--plan <NAME>' argument missing; see .*\n$/,
  'run --name --seed 3': /^--name needs a value, and --seed is none\.\n$/,
  'run --plan --seed': /^--plan needs a value, and --seed is none\.\n$/,
  [`run --plan ${'x'.repeat(20_000)}`]: /^--plan takes one of .{1,250}\n$/,
  'run --reporter json --reporter html': /^Only one format can be written to the standard output, .*\n$/,
  'run --verbose --quiet': /^--verbose and --quiet contradict each other: give one of them\.\n$/,
  'run --start true': /^--start needs BASE_URL, the address at which the service answers\.\n$/,
  // Files that options name.
  'run --reporter json=/dev/null/x': /x cannot be written: not a directory \(ENOTDIR\)\.\n$/,
  'run --reporter json=/': /^\/ cannot be written: illegal operation on a directory \(EISDIR\)\.\n$/,
  'run --reporter html=/proc/no/such/report.html': /^\S+ cannot be written: no such file or directory \(ENOENT\)\.\n$/,
  'run --last-failed /no/such': /^The report \/no\/such cannot be read: .* \(ENOENT\)\..*\n$/,
  'run --waivers /no/such': /^The waivers file \/no\/such cannot be read: .*\n$/,
  'run --config none.yaml': /^The configuration none\.yaml cannot be read: no such file or directory \(ENOENT\)\.\n$/,
};

const target = 'run http://127.0.0.1:9/v1';
const keys = (PETSTORE_API_KEY: string, more = {}) => ({ PETSTORE_API_KEY, ...more });

/** The environment → why it is refused, for a run against an address. */
const environments: readonly (readonly [environment: Readonly<Record<string, string>>, sentence: RegExp])[] = [
  [
    { PETSTORE_MAX_REQUESTS: 'many' },
    /^PETSTORE_MAX_REQUESTS takes a whole number from 1 to 2147483648, not "many"\.\n$/,
  ],
  [
    { PETSTORE_READONLY: 'true' },
    /^The variable PETSTORE_READONLY sets no option\. Did you mean PETSTORE_READ_ONLY\? /,
  ],
  [
    { PETSTORE_BASE_URL: '' },
    /^PETSTORE_BASE_URL is empty: set it to the base address of the target, or unset it\.\n$/,
  ],
  [{}, /^PETSTORE_API_KEY is not set: set it to the API key .*\n$/],
  [keys(''), /^PETSTORE_API_KEY is empty: does the secret exist .*\n$/],
  [keys('one-key-4711', { PETSTORE_RATE_LIMIT_KEY: 'one-key-4711' }), /^PETSTORE_RATE_LIMIT_KEY must be another key/],
  [keys('one-key-4711', { PETSTORE_RATE_LIMIT_KEY: '' }), /^PETSTORE_RATE_LIMIT_KEY is empty: .*\n$/],
  [keys('cr4nary cr4nary'), /^PETSTORE_API_KEY must be visible ASCII without spaces: (?!.*cr4nary).*\n$/],
  [keys('available'), /^PETSTORE_API_KEY is a common word of answers, .*\n$/],
];

/** The configuration file → why it is refused. */
const files: Readonly<Record<string, RegExp>> = {
  'max-request: 60': /no option "max-request": petstore-conformance --help lists them\. Did you mean max-requests\?\n$/,
  'api-key: cr4nary': /config\.yaml has no option "api-key": keys come from the environment only\.\n$/,
  'print-config: true': /config\.yaml has no option "print-config"/,
  'plan: [free, pro]': /^plan in .*config\.yaml takes one value, not a list\.\n$/,
  'plan: gold': /^plan in .*config\.yaml takes one of free, pro, business, enterprise, not "gold"\.\n$/,
  'read-only: perhaps': /^read-only in .* takes true or false, not "perhaps"\.\n$/,
  'just words': /must hold options by name, like max-requests: 60\.\n$/,
  'plan: [': /is no YAML in line 1: /,
};

/** What is printed, and where options come from: the last of file, environment and line wins. */
const printed = configured([
  { words: '', code: 2, stdout: [/^Judges implementations/, /^ {2}pact verify \[BASE_URL\]/m] },
  { words: '--help', code: 0, stdout: [/^Judges implementations/] },
  { words: '-h', code: 0, stdout: [/^Judges implementations/] },
  { words: 'help rnu', code: 0, stdout: [/^Judges implementations/] },
  { words: 'help report', code: 0, stdout: [/^Usage: petstore-conformance report \[options\] <REPORT>\n/] },
  { words: 'pact lint --help', code: 0, stdout: [/^Usage: petstore-conformance pact lint/] },
  { words: '--version', code: 0, stdout: [/^\d+\.\d+\.\d+\n$/] },
  { words: 'explain --max-wait', code: 0, stdout: [/^--max-wait S/] },
  {
    words: 'run --print-config',
    environment: { PETSTORE_PLAN: 'pro', PETSTORE_CATEGORY_ID: '3\n7\n', PETSTORE_DATABASE: 'mine', PETSTORE_SEED: '' },
    code: 0,
    stdout: [/^plan +pro +PETSTORE_PLAN$/m, /^category-id +3, 7 +PETSTORE_CATEGORY_ID$/m],
  },
  {
    words: 'run --print-config',
    file: 'now: 2030-12-05\ncategory-id: -9223372036854775808\nruns: 3\n',
    code: 0,
    stdout: [/^category-id +-9223372036854775808 +.*config\.yaml$/m, /^now +2030-12-05 +/m],
  },
  {
    words: 'run --config other/mine.yaml --print-config',
    file: 'seed: 1',
    code: 0,
    stdout: [/^seed +5 +other\/mine\.yaml$/m],
  },
  {
    words: 'run --print-config',
    environment: { PETSTORE_CONFIG: 'other/mine.yaml' },
    code: 0,
    stdout: [/^seed +5 +.*mine\.yaml$/m],
  },
  {
    words: [
      'run',
      'http://host/v1/',
      ...'--seed 9 --print-config --header X-Team:pets --header X-Gateway-Key:cr4nary'.split(' '),
    ],
    file: 'max-requests: 60\nplan: free\nseed: 5\n',
    environment: keys('cr4nary-4711', { PETSTORE_PLAN: 'pro', PETSTORE_SEED: '7', PETSTORE_RATE_LIMIT_KEY: '' }),
    code: 0,
    stdout: [
      /^base-url +http:\/\/host\/v1\/ +The base address$/m,
      /^seed +9 +--seed$/m,
      /^plan +pro +PETSTORE_PLAN$/m,
      /^max-requests +60 +.*config\.yaml$/m,
      /^max-wait +75 +default$/m,
      /^waivers +\(none\) +default$/m,
      /^header +X-Team:pets, X-Gateway-Key: \(not shown\) +--header$/m,
      /^api-key +\(set, not shown\) +PETSTORE_API_KEY$/m,
      /^rate-limit-key +\(empty\) +PETSTORE_RATE_LIMIT_KEY$/m,
      /^(?!.*cr4nary)/s,
    ],
  },
  // Options of a run neither break nor slow a client, whose keys are its own.
  {
    words: 'client --print-config -- npm test',
    file: 'only: 4.1\nconcurrency: 1\nbase-url: http://host/v1\n',
    code: 0,
    stdout: [/^(?!.*(api-key|only|concurrency))/s, /^runs +100 +default$/m],
  },
]);

mkdirSync(join(folder, 'other'));
writeFileSync(join(folder, 'other', 'mine.yaml'), 'seed: 5\n');
const calls = [
  ...Object.entries(refused).map(([words, stderr]) => ({ words, stderr, code: 2 })),
  ...environments.map(([environment, stderr]) => ({ words: target, environment, stderr, code: 2 })),
  ...Object.entries(files).map(([file, stderr]) => ({ words: 'run', file, stderr, code: 2 })),
];
testCalls([...configured(calls), ...printed], folder);

test('no sentence repeats a secret', async () => {
  for (const words of Object.keys(refused).filter((one) => one.includes('cr4nary'))) {
    assert.not.match((await run(words.split(' '))).stderr, 'cr4nary');
  }
});

test('the configuration file is read from the working folder alone, and by no command without options', async () => {
  writeFileSync(join(folder, configuration), 'no-such: 1\n');
  const { stdout } = await run(['run', '--print-config'], {}, { cwd: join(folder, 'other') });
  assert.match(stdout, /^seed +\(random\) +default$/m);
  assert.is((await run(['self-test', 'many'], {}, { cwd: folder })).stderr.includes('no-such'), false);
});

test.run();
