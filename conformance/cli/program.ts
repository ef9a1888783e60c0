/** The grammar of the command line: commander reads the words and writes the help, both from the tables. */

import { Command, CommanderError, Help, Option } from 'commander';
import { isSecretName } from '../http/secret-names.ts';
import { groups } from '../options/option-table.ts';
import { describeOption, flagOf, type OptionName, optionOf, optionsOf } from '../options/options.ts';
import { shown } from '../options/readers.ts';
import { UsageError } from '../run/usage-error.ts';
import { kit } from '../verdict/kit.ts';
import { type CommandName, commandNames, describe } from './commands.ts';

const programName = 'petstore-conformance';

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

const ofEveryCommand = { 2: 'usage or configuration', 4: 'our own error' };
const ofJudging = { 0: 'conforms', 1: 'does not conform', 3: 'could not judge' };

function exitCodeLine(own: Readonly<Record<number, string>> = ofJudging): string {
  const codes = Object.entries({ ...ofEveryCommand, ...own }).map(([code, meaning]) => `${code} ${meaning}`);
  return `Exit codes: ${codes.join(', ')}.`;
}

/** What somebody needs who judges a service for the first time. */
const firstNeeded: readonly OptionName[] = ['plan', 'maxRequests', 'isReadOnly', 'start', 'reporters', 'lastFailed'];

function groupOf(name: OptionName): string {
  return `${Object.keys(groups).find((group) => Object.hasOwn(groups[group]!, name))}:`;
}

/** Whether the base address is the only word of a command. */
function takesBaseUrl(command: CommandName): boolean {
  return /^\W*BASE_URL\W*$/.test(describe(command).words);
}

/** The options of a command that stand on the line with their flags, those first that are needed first. */
export function flagsOf(command: CommandName): readonly OptionName[] {
  const flags = optionsOf(command).filter((name) => !(takesBaseUrl(command) && optionOf(name).kind === 'word'));
  const first = command === 'run' ? firstNeeded : [];
  return [...first, ...flags.filter((name) => !first.includes(name))];
}

function addOptions(to: Command, command: CommandName): void {
  for (const name of flagsOf(command)) {
    const option = optionOf(name);
    const heading = command === 'run' && firstNeeded.includes(name) ? 'Needed first:' : groupOf(name);
    const flags = `--${option.flag}`.replace(/ (.*)$/, ' <$1>');
    const parsed = new Option(flags, describeOption(option)).helpGroup(heading);
    if (option.kind !== 'switch') {
      parsed.argParser((text, before: readonly string[] = []) => {
        // The parser takes the next flag for a value that was forgotten.
        if (text.startsWith('--')) throw new UsageError(`--${flagOf(name)} needs a value, and ${shown(text)} is none.`);
        return [...before, text];
      });
    }
    to.addOption(parsed);
    if (option.kind === 'switch') to.addOption(new Option(`--no-${flagOf(name)}`).hideHelp());
  }
}

/** Other users of a machine may read the words of a command line. */
const keyAdvice = ' Keys come from the environment alone: set PETSTORE_API_KEY.';
/** Names under which other tools take an address. */
const addressName = /^--(u$|.*url|address$|host$|target$|endpoint$|server$|provider$)/;
const addressAdvice = ' The base address is a word of its own, without an option before it.';

/** The sentence for words that the parser refuses. It repeats no value of an option, since that may be a key. */
function sentenceFor({ code, message }: CommanderError, command: CommandName | undefined, first: string): string {
  const help = `see ${programName}${command === undefined ? '' : ` ${command}`} --help`;
  const hint = /\(Did you mean [^)]*\?\)$/.exec(message)?.[0].slice(1, -1);
  const suggestion = hint === undefined ? '' : ` ${hint}`;
  const named = /'([^'=\s]*)/.exec(message)?.[1] ?? '';
  if (code === 'commander.optionMissingArgument') return `${named} needs a value.`;
  if (code === 'commander.unknownOption') {
    const advice = isSecretName(named.slice('--'.length)) ? keyAdvice : addressName.test(named) ? addressAdvice : '';
    const owner = command === undefined ? '' : ` of ${command}`;
    return `${shown(named)} is no option${owner}; ${help}.${suggestion}${advice}`;
  }
  if (code === 'commander.help') {
    const family = commandNames.filter((name) => name.startsWith(`${first} `)).map((name) => name.split(' ')[1]);
    return `${first} takes ${family.join(' or ')}; ${help}.`;
  }
  if (command !== undefined) return `${command} takes ${describe(command).words || 'no words'}; ${help}.`;
  if (/^https?:/i.test(named)) return `A command comes before the address, as in ${programName} run BASE_URL.`;
  return `There is no command "${shown(named)}"; ${help}.${suggestion}`;
}

function examplesOf(command: CommandName): readonly string[] {
  return describe(command).examples.map((example) => `  ${programName} ${example}`);
}

/** One screen of 24 lines: what the program does, the three commonest calls, and the commands. */
function overview(program: Command, helper: Help): string {
  const rows = commandNames.map((name) => [
    `${name} ${describe(name).words.replace(/[<>]/g, '')}`,
    describe(name).summary,
  ]);
  const width = Math.max(...rows.map(([term]) => term!.length));
  return `${program.description()}

  PETSTORE_API_KEY=… ${programName} ${describe('run').examples[0]}
${[...examplesOf('client').slice(0, 1), ...examplesOf('report').slice(0, 1)].join('\n')}

Commands:
${rows.map(([term, summary]) => helper.formatItem(term!, width, summary!, helper)).join('\n')}

${programName} COMMAND --help shows the options of a command.
${helper.boxWrap(exitCodeLine(), helper.helpWidth ?? 80)}
`;
}

const whereOptionsStand =
  'Every option may stand in petstore-conformance.config.yaml in this folder (max-requests: 60) or in the environment (PETSTORE_MAX_REQUESTS=60). The command line wins over the environment, and the environment over the file.';

/** What follows the options of a command. */
function endOf(command: CommandName, width: number): string {
  const helper = new Help();
  const where = flagsOf(command).length === 0 ? [] : [helper.boxWrap(whereOptionsStand, width), ''];
  const codes = helper.boxWrap(exitCodeLine(describe(command).exitCodes), width);
  return ['', 'Examples:', ...examplesOf(command), '', ...where, codes].join('\n');
}

function createProgram(width: number, write: (text: string) => void): Command {
  return new Command(programName)
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
    .configureHelp({
      optionTerm: ({ flags }) => flags.replace(/[<>]/g, ''),
      formatHelp: (command, helper) =>
        command.parent === null ? overview(command, helper) : Help.prototype.formatHelp.call(helper, command, helper),
    });
}

/** Adds a command; `pact verify` stands below `pact`. */
function addCommand(program: Command, name: CommandName): Command {
  const [first = '', second] = name.split(' ');
  const { words, summary } = describe(name);
  const family = program.commands.find((one) => one.name() === first);
  const parent = second === undefined ? program : (family ?? program.command(first).helpCommand(false));
  const command = parent.command(second ?? first).summary(summary);
  command.description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
  command.arguments(words);
  if (name === 'client') command.usage('[options] -- COMMAND...');
  // `explain --max-wait` names an option, and does not set one.
  if (name === 'explain') command.allowUnknownOption();
  return command;
}

/** What was parsed, by the names of the table; the base address is an option that stands as a word. */
function lineOf(parsed: Command, command: CommandName): Line {
  const texts = new Map<OptionName, readonly string[]>();
  for (const name of flagsOf(command)) {
    const value: unknown = parsed.getOptionValue(new Option(`--${flagOf(name)}`).attributeName());
    if (value !== undefined) texts.set(name, Array.isArray(value) ? value : [String(value)]);
  }
  const { args } = parsed;
  const [address] = args;
  if (address === undefined || !takesBaseUrl(command)) return { command, words: args, texts };
  return { command, words: args.slice(1), texts: texts.set('baseUrl', [address]) };
}

/** `help` before a command is `--help` behind it; for a word that is no command, the parser says so. */
function withoutHelpCommand(program: Command, [first = '', ...rest]: readonly string[]): readonly string[] {
  if (first !== 'help') return first === '' ? rest : [first, ...rest];
  return rest.length === 0 || program.commands.some((one) => one.name() === rest[0]) ? [...rest, '--help'] : rest;
}

/** Reads the words of a command line; `width` is that of the help. Throws a UsageError. */
export function readLine(argv: readonly string[], width: number): Line | Answer {
  let text = '';
  let line: Line | undefined;
  const program = createProgram(width, (part) => {
    text += part;
  });
  const isNamed = (name: CommandName): boolean => name.split(' ').every((word) => argv.includes(word));
  for (const name of commandNames) {
    const command = addCommand(program, name);
    // Only a command that the words may name needs its options, since each start pays for them.
    if (!isNamed(name)) continue;
    addOptions(command, name);
    command.addHelpText('after', () => endOf(name, width));
    command.action(() => {
      line = lineOf(command, name);
    });
  }
  const words = withoutHelpCommand(program, argv);
  try {
    program.parse(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { text, exitCode: 0 };
    // A script whose command is missing must not look like one that judged something.
    if (words.length === 0) return { text, exitCode: 2 };
    const named = commandNames.find((name) => `${words.join(' ')} `.startsWith(`${name} `));
    throw new UsageError(sentenceFor(error, named, words[0]!));
  }
  return line!;
}
