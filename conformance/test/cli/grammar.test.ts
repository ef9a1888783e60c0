/** The grammar of the command line, as a table: words and environment → exit code and what is printed. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { run, temporaryFolder } from './command.ts';

const folder = temporaryFolder();
const file = join(folder, 'petstore-conformance.config.yaml');

interface Row {
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The configuration file in the working folder. */
  readonly file?: string;
  readonly code: number;
  readonly stdout?: readonly RegExp[];
  /** All of the standard error, one sentence. */
  readonly stderr?: RegExp;
}

/** Refused with 2 and one sentence. */
function refused(words: readonly string[], stderr: RegExp, more: Partial<Row> = {}): Row {
  return { words, stderr, code: 2, ...more };
}

/** What --print-config says of options: their rows, by name. */
function configured(words: readonly string[], rows: readonly RegExp[], more: Partial<Row> = {}): Row {
  return { words: [...words, '--print-config'], code: 0, stdout: rows, ...more };
}

const unknownOption = (flag: string, command: string, rest: string): RegExp =>
  new RegExp(`^Unknown option '${flag}'; see petstore-conformance ${command} --help\\.${rest}\n$`);
const keyAdvice = ' Keys come from the environment alone: set PETSTORE_API_KEY\\.';

const rows: readonly Row[] = [
  // Commands.
  { words: [], code: 2, stdout: [/^Judges implementations/, /^ {2}pact verify \[BASE_URL\]/m] },
  { words: ['--help'], code: 0, stdout: [/^Judges implementations/] },
  { words: ['-h'], code: 0, stdout: [/^Judges implementations/] },
  { words: ['help', 'report'], code: 0, stdout: [/^Usage: petstore-conformance report \[options\] <REPORT>\n/] },
  refused(['pact'], /^Unknown command 'pact'; see petstore-conformance --help\.\n$/),
  { words: ['pact', 'lint', '--help'], code: 0, stdout: [/^Usage: petstore-conformance pact lint/] },
  { words: ['--version'], code: 0, stdout: [/^\d+\.\d+\.\d+\n$/] },
  refused(['rnu'], /^Unknown command 'rnu'; see petstore-conformance --help\. Did you mean run\?\n$/),
  refused(['frobnicate'], /^Unknown command 'frobnicate'; see petstore-conformance --help\.\n$/),
  refused(['pact', 'verfy'], /^Unknown command 'pact verfy'; .* Did you mean pact verify\?\n$/),
  refused(
    ['https://host/v1'],
    /^Unknown command .* A command comes before the address, as in petstore-conformance run BASE_URL\.\n$/,
  ),
  refused(['--verison'], /^Unknown option '--verison'; see petstore-conformance --help\. Did you mean --version\?\n$/),
  refused(['\u001b[2J'], /^Unknown command '\\u001b\[2J';/),
  { words: ['help', 'rnu'], code: 0, stdout: [/^Judges implementations/] },
  // Words.
  refused(
    ['run', 'http://a/v1', 'http://b/v1'],
    /^Too many arguments for 'run'\. Expected 1 argument but got 2; see petstore-conformance run --help\.\n$/,
  ),
  refused(['compare', 'a.json'], /^Missing required argument 'REPORT'; see .*\n$/),
  refused(['client'], /^Missing required argument 'COMMAND'; see .*\n$/),
  refused(['init'], /^Missing required argument 'BASE_URL'; see .*\n$/),
  refused(['run', 'ftp://host/v1'], /^The base address must start with http:\/\/ or https:\/\/, .*\n$/),
  refused(['run', 'http://host/v1?key=cr4nary'], /^The base address must hold no query or fragment\.\n$/),
  refused(['explain', 'no-such'], /^explain knows no "no-such"; .*\n$/),
  refused(['self-test', 'all'], /^self-test takes one number of random combinations, not "all"\.\n$/),
  { words: ['explain', '--max-wait'], code: 0, stdout: [/^--max-wait S/] },
  // Options.
  refused(['run', '--max-request', '5'], unknownOption('--max-request', 'run', ' Did you mean --max-requests\\?')),
  refused(['run', '--pact', 'x'], unknownOption('--pact', 'run', '')),
  refused(['run', '-s'], unknownOption('-s', 'run', '')),
  refused(['run', '--no-plan'], unknownOption('--no-plan', 'run', ' Did you mean --plan\\?')),
  refused(['run', '--api-key', 'cr4nary'], unknownOption('--api-key', 'run', keyAdvice)),
  refused(['run', "--api-key=cr4nary=x'y"], unknownOption('--api-key', 'run', keyAdvice)),
  refused(['observe', '--token=cr4nary', 'a.har'], unknownOption('--token', 'observe', keyAdvice)),
  refused(['run', '--url', 'http://host/v1'], unknownOption('--url', 'run', '')),
  refused(['run', '--base-url', 'http://host/v1'], unknownOption('--base-url', 'run', '')),
  refused(['run', '--plan'], /^Option '--plan <NAME>' argument missing; see .*\n$/),
  refused(['run', '--name', '--seed', '3'], /^--name needs a value, and --seed is none\.\n$/),
  refused(['run', '--plan', '--seed'], /^--plan needs a value, and --seed is none\.\n$/),
  refused(['run', '--plan', 'x'.repeat(20_000)], /^--plan takes one of .{1,250}\n$/),
  refused(
    ['run', '--reporter', 'json', '--reporter', 'html'],
    /^Only one format can be written to the standard output, .*\n$/,
  ),
  // Files that options name.
  refused(['run', '--reporter', 'json=/dev/null/x'], /x cannot be written: not a directory \(ENOTDIR\)\.\n$/),
  refused(['run', '--last-failed', '/no/such'], /^The report \/no\/such cannot be read: .* \(ENOENT\)\..*\n$/),
  refused(['run', '--waivers', '/no/such'], /^The waivers file \/no\/such cannot be read: .*\n$/),
  // The environment.
  refused(['run'], /^PETSTORE_MAX_REQUESTS takes a whole number from 1 to 2147483648, not "many"\.\n$/, {
    environment: { PETSTORE_MAX_REQUESTS: 'many' },
  }),
  refused(['run'], /^The variable PETSTORE_READONLY sets no option\. Did you mean PETSTORE_READ_ONLY\? Rename .*\n$/, {
    environment: { PETSTORE_READONLY: 'true' },
  }),
  refused(['run'], /^PETSTORE_BASE_URL is empty: set it to the base address of the target, or unset it\.\n$/, {
    environment: { PETSTORE_BASE_URL: '' },
  }),
  refused(['run', 'http://127.0.0.1:9/v1'], /^PETSTORE_API_KEY is not set: set it to the API key .*\n$/),
  refused(['run', 'http://127.0.0.1:9/v1'], /^PETSTORE_API_KEY is empty: does the secret exist .*\n$/, {
    environment: { PETSTORE_API_KEY: '' },
  }),
  refused(['run', 'http://127.0.0.1:9/v1'], /^PETSTORE_RATE_LIMIT_KEY must be another key than .*\n$/, {
    environment: { PETSTORE_API_KEY: 'one-key-4711', PETSTORE_RATE_LIMIT_KEY: 'one-key-4711' },
  }),
  refused(['run', 'http://127.0.0.1:9/v1'], /^PETSTORE_API_KEY must be visible ASCII without spaces: .*\n$/, {
    environment: { PETSTORE_API_KEY: 'cr4nary cr4nary' },
  }),
  refused(['run', 'http://127.0.0.1:9/v1'], /^PETSTORE_API_KEY is a common word of answers, .*\n$/, {
    environment: { PETSTORE_API_KEY: 'available' },
  }),
  refused(['run', 'http://127.0.0.1:9/v1'], /^PETSTORE_RATE_LIMIT_KEY is empty: .*\n$/, {
    environment: { PETSTORE_API_KEY: 'one-key-4711', PETSTORE_RATE_LIMIT_KEY: '' },
  }),
  configured(['run'], [/^plan +pro +PETSTORE_PLAN$/m, /^category-id +3, 7 +PETSTORE_CATEGORY_ID$/m], {
    environment: { PETSTORE_PLAN: 'pro', PETSTORE_CATEGORY_ID: '3\n7\n', PETSTORE_DATABASE: 'mine', PETSTORE_SEED: '' },
  }),
  // The configuration file.
  refused(
    ['run'],
    /config\.yaml has no option "max-request": petstore-conformance --help lists them\. Did you mean max-requests\?\n$/,
    {
      file: 'max-request: 60',
    },
  ),
  refused(['run'], /config\.yaml has no option "api-key": keys come from the environment only\.\n$/, {
    file: 'api-key: cr4nary',
  }),
  refused(['run'], /config\.yaml has no option "print-config"/, { file: 'print-config: true' }),
  refused(['run'], /^plan in .*config\.yaml takes one value, not a list\.\n$/, { file: 'plan: [free, pro]' }),
  refused(['run'], /^plan in .*config\.yaml takes one of free, pro, business, enterprise, not "gold"\.\n$/, {
    file: 'plan: gold',
  }),
  refused(['run'], /^read-only in .* takes true or false, not "perhaps"\.\n$/, { file: 'read-only: perhaps' }),
  refused(['run'], /must hold options by name, like max-requests: 60\.\n$/, { file: 'just words' }),
  refused(['run'], /is no YAML in line 1: /, { file: 'plan: [' }),
  refused(
    ['run', '--config', 'none.yaml'],
    /^The configuration none\.yaml cannot be read: no such file or directory \(ENOENT\)\.\n$/,
  ),
  configured(['run'], [/^category-id +-9223372036854775808 +.*config\.yaml$/m, /^now +2030-12-05 +/m], {
    file: 'now: 2030-12-05\ncategory-id: -9223372036854775808\nruns: 3\n',
  }),
  configured(['run', '--config', 'other/mine.yaml'], [/^seed +5 +other\/mine\.yaml$/m], { file: 'seed: 1' }),
  configured(['run'], [/^seed +5 +.*mine\.yaml$/m], { environment: { PETSTORE_CONFIG: 'other/mine.yaml' } }),
  // Which of them wins.
  configured(
    ['run', 'http://host/v1/', '--seed', '9', '--header', 'X-Gateway-Key: cr4nary', '--header', 'X-Team: pets'],
    [
      /^base-url +http:\/\/host\/v1\/ +The base address$/m,
      /^seed +9 +--seed$/m,
      /^plan +pro +PETSTORE_PLAN$/m,
      /^max-requests +60 +.*config\.yaml$/m,
      /^max-wait +75 +default$/m,
      /^waivers +\(none\) +default$/m,
      /^header +X-Gateway-Key: \(not shown\), X-Team: pets +--header$/m,
      /^api-key +\(set, not shown\) +PETSTORE_API_KEY$/m,
      /^rate-limit-key +\(empty\) +PETSTORE_RATE_LIMIT_KEY$/m,
    ],
    {
      file: 'max-requests: 60\nplan: free\nseed: 5\n',
      environment: {
        PETSTORE_PLAN: 'pro',
        PETSTORE_SEED: '7',
        PETSTORE_API_KEY: 'cr4nary-4711',
        PETSTORE_RATE_LIMIT_KEY: '',
      },
    },
  ),
  // Options of a run neither break nor slow a client, whose keys are its own.
  {
    words: ['client', '--print-config', '--', 'npm', 'test'],
    file: 'only: 4.1\nconcurrency: 1\nbase-url: http://host/v1\n',
    code: 0,
    stdout: [/^(?!.*(api-key|only|concurrency))/s, /^runs +100 +default$/m],
  },
];

mkdirSync(join(folder, 'other'));
writeFileSync(join(folder, 'other', 'mine.yaml'), 'seed: 5\n');

for (const { words, environment = {}, file: text = '', code, stdout = [], stderr } of rows) {
  const setting = [text, ...Object.keys(environment)].filter(Boolean).join(' ');
  const title = `${words.join(' ').slice(0, 80)} ${setting}`.replaceAll(/[^\x20-\x7e]/g, ' ').trim();
  test(`"${title}" ends with ${code}`, async () => {
    writeFileSync(file, text);
    const result = await run(words, environment, { cwd: folder });
    assert.is(result.code, code, result.stderr);
    for (const pattern of stdout) assert.match(result.stdout, pattern);
    assert.match(result.stderr, stderr ?? /^$/);
    if (stderr !== undefined) assert.is(result.stdout, '');
    assert.not.match(result.stdout + result.stderr, 'cr4nary');
  });
}

test('the configuration file is read from the working folder alone, and no folder above it', async () => {
  writeFileSync(file, 'seed: 5\n');
  const { stdout } = await run(['run', '--print-config'], {}, { cwd: join(folder, 'other') });
  assert.match(stdout, /^seed +\(random\) +default$/m);
});

test('a command without options reads no configuration', async () => {
  writeFileSync(file, 'no-such: 1\n');
  assert.is((await run(['self-test', 'many'], {}, { cwd: folder })).stderr.includes('no-such'), false);
});

test.run();
