/** The grammar of the command line: commander reads the words and writes the help, both from the tables. */

import { Command, CommanderError, Help, Option } from 'commander';
import { isSecretName } from '../http/secret-names.ts';
import { groups } from '../options/option-table.ts';
import { describeOption, flagOf, type OptionName, optionOf, optionsOf } from '../options/options.ts';
import { shown } from '../options/readers.ts';
import { UsageError } from '../run/usage-error.ts';
import { kit } from '../verdict/report.ts';
import { type CommandName, commandNames, describe } from './commands.ts';

/** A command line that names a command: its words without a flag, and the texts of its options. */
export interface Line<Name extends CommandName = CommandName> {
  readonly command: Name;
  readonly words: readonly string[];
  readonly texts: ReadonlyMap<OptionName, readonly string[]>;
}

/** A command line that asks for a text, such as help. */
export interface Answer {
  readonly text: string;
  readonly exitCode: 0 | 2;
}

const ofJudging = { 0: 'conforms', 1: 'does not conform', 3: 'could not judge' };

function exitCodeLine(own: Readonly<Record<number, string>> = ofJudging): string {
  const codes = Object.entries({ 2: 'usage or configuration', 4: 'our own error', ...own });
  return `Exit codes: ${codes.map(([code, meaning]) => `${code} ${meaning}`).join(', ')}.`;
}

/** What somebody needs who judges a service for the first time. */
const firstNeeded: readonly OptionName[] = ['plan', 'maxRequests', 'isReadOnly', 'start', 'reporters', 'lastFailed'];

/** Whether the base address is the only word of a command. */
function takesBaseUrl(command: CommandName): boolean {
  return /^\W*BASE_URL\W*$/.test(describe(command).words);
}

/** The options of a command that stand on the line with their flags, those first that are needed first. */
function flagsOf(command: CommandName): readonly OptionName[] {
  const flags = optionsOf(command).filter((name) => !(takesBaseUrl(command) && optionOf(name).kind === 'word'));
  return [...new Set([...(command === 'run' ? firstNeeded : []), ...flags])];
}

function addOption(to: Command, name: OptionName, command: CommandName): void {
  const option = optionOf(name);
  const [group] = Object.entries(groups).find(([, rows]) => Object.hasOwn(rows, name))!;
  const isFirst = command === 'run' && firstNeeded.includes(name);
  const parsed = new Option(`--${option.flag}`, describeOption(option));
  to.addOption(parsed.helpGroup(isFirst ? 'Needed first:' : `${group}:`));
  if (option.kind === 'switch') {
    to.addOption(new Option(`--no-${flagOf(name)}`).hideHelp());
    return;
  }
  parsed.argParser((text, before: readonly string[] = []) => {
    // The parser takes the next flag for a value that was forgotten.
    if (text.startsWith('--')) throw new UsageError(`--${flagOf(name)} needs a value, and ${shown(text)} is none.`);
    return [...before, text];
  });
}

/** The sentence of the parser for words that it refuses, without the values that it repeats: one may be a key. */
function sentenceFor({ code, message }: CommanderError, command: CommandName | undefined): string {
  const withoutValues = message.replace(/=.*'/s, "'").replace(/(?<= got \d+): .*/s, '.');
  const [, told = '', hint = ''] = /^error: (.*?)(?:\n\((.*)\))?$/s.exec(withoutValues) ?? [];
  const named = /'([^']*)'/.exec(told)?.[1] ?? '';
  const sentence = shown(told.charAt(0).toUpperCase() + told.slice(1)).replace(/\.$/, '');
  // Other users of a machine may read the words of a command line.
  const isKey = code === 'commander.unknownOption' && isSecretName(named);
  const hints = [
    hint,
    isKey ? 'Keys come from the environment alone: set PETSTORE_API_KEY.' : '',
    /^https?:/i.test(named) ? `A command comes before the address, as in ${kit.name} run BASE_URL.` : '',
  ];
  return [`${sentence}; see ${[kit.name, command, '--help'].filter(Boolean).join(' ')}.`, ...hints]
    .filter(Boolean)
    .join(' ');
}

function examplesOf(command: CommandName): readonly string[] {
  return describe(command).examples.map((example) => `  ${kit.name} ${example}`);
}

const whereOptionsStand =
  'Every option may stand in petstore-conformance.config.yaml in this folder (max-requests: 60) or in the environment (PETSTORE_MAX_REQUESTS=60). The command line wins over the environment, and the environment over the file.';

const whereServicesAre =
  'The command finds each service in the environment: PETSTORE_BASE_URL, PETSTORE_API_KEY and PETSTORE_CATEGORY_ID, a category that exists.';

/** What follows the commands: the three commonest calls. */
function startOf(width: number): string {
  const calls = [
    `  PETSTORE_API_KEY=… ${kit.name} ${describe('run').examples[0]}`,
    ...examplesOf('client').slice(0, 1),
  ];
  const all = [...calls, ...examplesOf('report').slice(0, 1)];
  return ['', 'Examples:', ...all, '', new Help().boxWrap(exitCodeLine(), width)].join('\n');
}

/** What follows the options of a command. */
function endOf(command: CommandName, width: number): string {
  const helper = new Help();
  const isConfigured = optionsOf(command).includes('configurationFile');
  const where = isConfigured ? [helper.boxWrap(whereOptionsStand, width), ''] : [];
  const found = command === 'client' ? [helper.boxWrap(whereServicesAre, width), ''] : [];
  const codes = helper.boxWrap(exitCodeLine(describe(command).exitCodes), width);
  return ['', 'Examples:', ...examplesOf(command), '', ...found, ...where, codes].join('\n');
}

function createProgram(width: number, write: (text: string) => void): Command {
  const program = new Command(kit.name)
    .usage('COMMAND [options], or COMMAND --help for its options')
    .description('Judges implementations of the Pet Store Service Interface 1.0.0.')
    .version(kit.version, '--version', 'the version')
    .addHelpOption(new Option('-h, --help').hideHelp())
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: write,
      writeErr: write,
      outputError: () => undefined,
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
    })
    .addHelpText('after', () => startOf(width));
  for (const option of program.options) option.hideHelp();
  return program;
}

/** Adds a command. Only one that the words name needs its options, since each start pays for them. */
function addCommand(program: Command, name: CommandName, width: number, isNamed: boolean): Command {
  const { words, summary } = describe(name);
  const command = program.command(name.replace(' ', '-')).name(name).summary(summary).arguments(words);
  if (!isNamed) return command;
  command.description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
  if (name === 'client') command.usage('[options] -- COMMAND...');
  for (const option of flagsOf(name)) addOption(command, option, name);
  return command.addHelpText('after', () => endOf(name, width));
}

/** What was parsed, by the names of the table; the base address is an option that stands as a word. */
function lineOf(parsed: Command, command: CommandName): Line {
  const given: Readonly<Record<string, unknown>> = parsed.opts();
  const texts = new Map<OptionName, readonly string[]>();
  for (const name of flagsOf(command)) {
    const value = given[new Option(`--${flagOf(name)}`).attributeName()];
    if (value !== undefined) texts.set(name, Array.isArray(value) ? value : [String(value)]);
  }
  const [address, ...words] = parsed.args;
  if (address === undefined || !takesBaseUrl(command)) return { command, words: parsed.args, texts };
  return { command, words, texts: texts.set('baseUrl', [address]) };
}

/** `help` before a command is `--help` behind it, and `pact verify` is the name of one command. */
function wordsOf(argv: readonly string[]): readonly string[] {
  const [first, second, ...rest] = argv;
  if (first === 'help') return wordsOf([...argv.slice(1), '--help']);
  return first === 'pact' && second?.startsWith('-') === false ? [`pact ${second}`, ...rest] : argv;
}

/** Reads the words of a command line; `width` is that of the help. Throws a UsageError. */
export function readLine(argv: readonly string[], width: number): Line | Answer {
  let text = '';
  let line: Line | undefined;
  const program = createProgram(width, (part) => {
    text += part;
  });
  const words = wordsOf(argv);
  const named = commandNames.find((name) => name === words[0]);
  for (const name of commandNames) {
    const command = addCommand(program, name, width, name === named);
    command.action(() => {
      line = lineOf(command, name);
    });
  }
  try {
    program.parse(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // A script whose command is missing must not look like one that judged something.
    if (error.exitCode === 0 || words.length === 0) return { text, exitCode: error.exitCode === 0 ? 0 : 2 };
    throw new UsageError(sentenceFor(error, named));
  }
  return line!;
}
