/** The table of options: what each reads to, from a text and from a program, and what each command and run has. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CommandName, commandNames, describe } from '../../cli/commands.ts';
import { configurationFile, readInvocation } from '../../cli/configuration.ts';
import { type Line, readLine } from '../../cli/program.ts';
import { flagOf, type OptionName, optionNames, optionOf, optionsOf, variableOf } from '../../options/options.ts';
import { UsageError } from '../../run/usage-error.ts';
import { temporaryFolder } from './command.ts';
import { helpOf } from './golden-help.ts';

const folder = temporaryFolder();
const waivers = join(folder, 'waivers.yaml');
writeFileSync(waivers, '- { id: pet-id, reason: r, owner: o, expires: 2027-01-31 }\n');

const waived = new Map([['pet-id', [{ reason: 'r', owner: 'o', expires: '2027-01-31' }]]]);

/** For each option a text that is not its default, and what it reads to. */
const samples: Readonly<Record<OptionName, readonly [text: string, value: unknown]>> = {
  baseUrl: ['https://host/a/v1//', 'https://host/a/v1'],
  plan: ['pro', 'pro'],
  nameTemplate: ['Pet {n}', 'Pet {n}'],
  isDisposable: ['true', true],
  categoryIds: ['9007199254740993', [9007199254740993n]],
  headers: ['X-Team:  a: b ', { 'x-team': 'a: b' }],
  start: ['npm start', 'npm start'],
  port: ['8081', 8_081],
  host: ['::1', '::1'],
  maxRequests: ['7', 7],
  maxCreates: ['0', 0],
  isReadOnly: ['true', true],
  concurrency: ['64', 64],
  ratePerMinute: ['30', 30],
  timeoutMs: ['600000', 600_000],
  maxWaitMs: ['0', 0],
  settleMs: ['0', 0],
  deadlineMs: ['86400', 86_400_000],
  isDryRun: ['true', true],
  maxRuns: ['40', 40],
  timeLimitMs: ['3600', 3_600_000],
  idleMs: ['30', 30_000],
  seed: ['0', 0],
  only: ['§4.3', new Set(['get-answer', 'get-not-found', 'get-id-not-int64'])],
  lastFailed: ['r.json', 'r.json'],
  gapProfile: ['profile.yaml', 'profile.yaml'],
  onlyGaps: ['list-order', new Set(['any-list-order'])],
  today: ['2030-12-05T09:30:00Z', Date.UTC(2030, 11, 5, 9, 30)],
  waivers: [waivers, waived],
  requiresAll: ['true', true],
  reporters: ['junit=a=b.xml', [{ name: 'junit', file: 'a=b.xml' }]],
  isVerbose: ['true', true],
  isQuiet: ['true', true],
  outputFolder: ['printed', 'printed'],
  pacts: ['a.json', ['a.json']],
  brokerUrl: ['http://broker/', 'http://broker'],
  provider: ['shop', 'shop'],
  selectors: ['consumer=a=b,mainBranch', [{ consumer: 'a=b', mainBranch: true }]],
  isPendingEnabled: ['true', true],
  providerVersion: ['1.2', '1.2'],
  providerBranch: ['main', 'main'],
  publishes: ['true', true],
  configurationFile: [join(folder, configurationFile), join(folder, configurationFile)],
  printsConfiguration: ['true', true],
};

/** Says which file is read and what is done with it. */
const ofTheLine: readonly OptionName[] = ['configurationFile', 'printsConfiguration'];

function invoke(argv: readonly string[], environment: Record<string, string> = {}, at = '/') {
  return readInvocation(readLine(argv, 80) as Line, { environment, folder: at });
}

/** A command line with all the words that the command of an option needs. */
async function readAs(name: OptionName, words: readonly string[], environment: Record<string, string>, at = '/') {
  const command = optionOf(name).commands[0]!;
  const needed = [...describe(command).words.matchAll(/<(\S+)>/g)].map(() => 'http://host/v1');
  const isGiven = words.some((word) => !word.startsWith('--')) && optionOf(name).kind === 'word';
  const { values } = await invoke([...command.split(' '), ...(isGiven ? [] : needed), ...words], environment, at);
  return (values as Readonly<Record<string, unknown>>)[name];
}

for (const name of optionNames) {
  test(`${flagOf(name)} reads to the same value from the line, the environment and the file`, async () => {
    const [text, value] = samples[name];
    const flag = `--${flagOf(name)}`;
    const onLine = { word: [text], switch: [flag], text: [flag, text], list: [flag, text] }[optionOf(name).kind];
    const file = join(folder, configurationFile);
    writeFileSync(file, '');
    assert.equal(await readAs(name, onLine, {}), value);
    assert.equal(await readAs(name, [], { [variableOf(name)]: text }), value);
    if (ofTheLine.includes(name)) return;
    writeFileSync(file, `${flagOf(name)}: ${JSON.stringify(text)}\n`);
    assert.equal(await readAs(name, [], {}, folder), value);
  });
}

test('without a word the options of a run are these', async () => {
  assert.equal((await invoke(['run'])).values, {
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
    printsConfiguration: false,
  });
});

test('the base address is a word where the command has a place for it, and has a flag where not', async () => {
  const word = await invoke(['pact', 'verify', 'http://host/v1', '--pact', 'a.json']);
  assert.equal([word.words, (word.values as { readonly baseUrl?: string }).baseUrl], [[], 'http://host/v1']);
  const flag = await invoke(['observe', 'a.har', 'b.har', '--base-url', 'http://host/v1']);
  assert.equal(flag.words, ['a.har', 'b.har']);
  assert.is((flag.values as { readonly baseUrl?: string }).baseUrl, 'http://host/v1');
});

test('of several values the last is taken, lists take them all, and --no- turns a switch off', async () => {
  const words =
    '--seed 1 --seed 2 --category-id 3 --category-id=-4 --only pet-id --only 9 --disposable --no-disposable';
  const { values } = await invoke(['run', ...words.split(' '), '--reporter', 'json=-']);
  const { seed, categoryIds, only, isDisposable, reporters } = values as Readonly<Record<string, unknown>>;
  assert.equal([seed, categoryIds, isDisposable, reporters], [2, [3n, -4n], false, [{ name: 'json' }]]);
  assert.equal([...(only as Set<string>)], ['pet-id', 'version-base-address', 'get-until-removal']);
});

test('words behind -- belong to the command of the client, whatever they look like', async () => {
  const { words } = await invoke(['client', '--runs', '3', '--', 'npm', 'test', '--', '--runs', '4', '--help']);
  assert.equal(words, ['npm', 'test', '--', '--runs', '4', '--help']);
});

/** Texts that are refused, and the end of the sentence on why. */
const refused: readonly (readonly [OptionName, string, RegExp])[] = [
  ['maxRequests', '0', /takes a whole number from 1 to 2147483648, not "0"\.$/],
  ['maxRequests', '1.5', /not "1\.5"/],
  ['maxRequests', '2147483649', /not "2147483649"/],
  ['maxRequests', '', /not ""/],
  ['maxCreates', '-1', /from 0 to/],
  ['concurrency', '65', /from 1 to 64/],
  ['timeoutMs', '600001', /from 1 to 600000/],
  ['maxWaitMs', '86401', /from 0 to 86400/],
  ['deadlineMs', '0', /from 1 to 86400/],
  ['categoryIds', '9223372036854775808', /in the range of int64, not "9223372036854775808"/],
  ['categoryIds', '1.0', /in the range of int64/],
  ['today', '2027-02-31', /takes a date like 2030-12-05 or 2030-12-05T09:00:00Z, not "2027-02-31"\.$/],
  ['today', '2027-02-31T10:00:00Z', /takes a date/],
  ['today', '2027-01-31Tnoon', /not "2027-01-31Tnoon"/],
  ['headers', 'Authorization : Bearer x', /cannot set Authorization: set PETSTORE_API_KEY to the key\.$/],
  ['headers', ': x', /takes 'Name: value'/],
  ['headers', 'two words: x', /takes 'Name: value'/],
  ['headers', 'X-A: b\nc', /x-a must be one line/],
  ['only', '4.9', /4\.9 matches no requirement: give an id like service-json or a section like 4\.1\.$/],
  ['only', 'aut', /aut matches no requirement/],
  ['only', 'pet-naem', /or a section like 4\.1\. Did you mean pet-name\?$/],
  ['only', 'atuh', / Did you mean auth\?$/],
  ['onlyGaps', 'list-ordre', /takes the id of a gap, not "list-ordre"\. Did you mean list-order\?$/],
  ['reporters', 'xml', /takes one of terminal, html/],
  ['reporters', 'json=', /json= needs the name of a file/],
  ['selectors', 'branch=', /takes mainBranch, .*joined by commas, not "branch="/],
  ['baseUrl', 'http://user@host/v1', /must hold no user or password; give keys by environment variables\.$/],
  ['baseUrl', 'http://:pass@host/v1', /must hold no user or password/],
  ['baseUrl', 'http://host/v1#a', /must hold no query or fragment\.$/],
  ['baseUrl', 'http://host:99999/v1', /has no host, or a port that is none: expected one like https:/],
  ['baseUrl', 'user@host', /must start with http:\/\/ or https:\/\/, like https:\/\/host\/v1\.$/],
  ['nameTemplate', '  ', /must not be empty/],
  ['isReadOnly', 'perhaps', /takes true or false, not "perhaps"/],
];

for (const [name, text, sentence] of refused) {
  test(`${flagOf(name)} refuses ${JSON.stringify(text)} with one sentence`, () => {
    assert.throws(
      () => optionOf(name).type.read(text, 'LABEL'),
      (error: unknown) =>
        error instanceof UsageError && /^LABEL [^\n]*$/.test(error.message) && sentence.test(error.message),
    );
  });
}

test('the help of the program fits a screen, and that of a run shows six options before the groups', () => {
  const lines = helpOf('--help').trimEnd().split('\n');
  assert.ok(lines.length <= 24 && lines.every((line) => line.length <= 80), lines.join('\n'));
  for (const command of commandNames)
    assert.ok(
      lines.some((line) => line.startsWith(`  ${command} `)),
      command,
    );
  const first = helpOf('run', '--help')
    .split('\n\n')
    .find((block) => block.startsWith('Needed first:'));
  const flags = [...(first ?? '').matchAll(/^ {2}--([a-z-]+)/gm)].map(([, flag]) => flag);
  assert.equal(flags, ['plan', 'max-requests', 'read-only', 'start', 'reporter', 'last-failed']);
});

test('no two options share a flag: one file sets those of all commands', () => {
  assert.is(new Set(optionNames.map(flagOf)).size, optionNames.length);
});

test('the help of a command has its options, each with its default, its examples, and no others', () => {
  for (const command of commandNames) {
    const answer = readLine([...command.split(' '), '--help'], 1_000);
    const help = 'text' in answer ? answer.text : '';
    for (const name of optionNames) {
      const { flag, help: meaning, kind, default: usual } = optionOf(name);
      const line = help.split('\n').find((one) => one.startsWith(`  --${flag} `));
      const isWord = kind === 'word' && command !== 'observe';
      assert.is(line !== undefined, optionsOf(command).includes(name) && !isWord, `${command} ${name}`);
      if (line === undefined) continue;
      assert.ok(line.includes(meaning), line);
      if (usual !== undefined && kind !== 'switch') assert.ok(line.includes(`(default: ${usual}`), line);
      assert.is(/repeatable\)$/.test(line), kind === 'list', line);
    }
    for (const example of describe(command).examples) assert.match(help, `\n  petstore-conformance ${example}\n`);
  }
});

/** Reads the words that a shell makes of an example. */
function wordsIn(example: string): readonly string[] {
  return [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

test('every example is a command line that is understood', async () => {
  const named = join(folder, 'waivers.yaml');
  for (const command of commandNames) {
    for (const example of describe(command).examples) {
      const words = wordsIn(example).map((word) => (word === 'waivers.yaml' ? named : word));
      const line = readLine(words, 80);
      assert.is('command' in line && line.command, command satisfies CommandName);
      await readInvocation(line as Line, { environment: {}, folder: '/' });
    }
  }
});

test.run();
