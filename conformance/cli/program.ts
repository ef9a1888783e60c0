/** The grammar of the command line: node reads the words, and the tables say which are allowed and make the help. */

import { type ParseArgsConfig, parseArgs } from 'node:util';
import { wrapAnsi } from 'fast-wrap-ansi';
import { isSecretName } from '../http/secret-names.ts';
import { groups } from '../options/option-table.ts';
import { describeOption, flagOf, type OptionName, optionOf, optionsOf } from '../options/options.ts';
import { isAddress, shown } from '../options/readers.ts';
import { suggest } from '../options/suggest.ts';
import { UsageError } from '../run/usage-error.ts';
import { counted } from '../verdict/reasons.ts';
import { kit } from '../verdict/report.ts';
import { type CommandName, commandNames, commands } from './commands.ts';
import type { GivenTexts, Line } from './configuration.ts';

/** A command line that asks for a text, such as help. */
export interface HelpAnswer {
  readonly text: string;
  readonly exitCode: 0 | 2;
}

function wrap(text: string, width: number, indent = 0): string {
  return wrapAnsi(text, Math.max(20, width - indent)).replaceAll('\n', `\n${' '.repeat(indent)}`);
}

type HelpRows = readonly (readonly [term: string, meaning: string])[];

/** Tables of two columns, each with a title; the first column has one width in all of them. */
function helpTables(titled: readonly (readonly [title: string, rows: HelpRows])[], width: number): readonly string[] {
  const first = Math.max(...titled.flatMap(([, rows]) => rows.map(([term]) => term.length)));
  const lineOf = ([term, meaning]: HelpRows[number]): string =>
    `  ${term.padEnd(first)}  ${wrap(meaning, width, first + 4)}`;
  return titled.flatMap(([title, rows]) => (rows.length === 0 ? [] : [[`${title}:`, ...rows.map(lineOf)].join('\n')]));
}

function examples(lines: readonly string[]): string {
  return ['Examples:', ...lines.map((line) => `  ${line}`)].join('\n');
}

const exitCodes =
  'Exit codes: 0 conforms, 1 does not conform or is worse than before, 2 usage or configuration, 3 could not judge, 4 our own error.';

const whereOptionsStand =
  'Every option may stand in petstore-conformance.config.yaml in this folder (max-requests: 60) or in the environment (PETSTORE_MAX_REQUESTS=60). The command line wins over the environment, and the environment over the file.';

/** The help of the program: its commands, and the three commonest calls. */
function programHelp(width: number): string {
  const { run, client, report } = commands;
  const rows = commandNames.map((name) => [`${name} ${commands[name].words}`, commands[name].summary] as const);
  const calls = [run, client, report].map(({ examples: [first] }) => `${kit.name} ${first}`);
  const parts = [
    `Usage: ${kit.name} COMMAND [options], or COMMAND --help for its options`,
    'Judges implementations of the Pet Store Service Interface 1.0.0.',
    ...helpTables([['Commands', rows]], width),
    examples(calls.map((call, at) => (at === 0 ? `PETSTORE_API_KEY=… ${call}` : call))),
    wrap(exitCodes, width),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The help of a command: the options that are needed first, then the others by group. */
function commandHelp(command: CommandName, width: number): string {
  const { words, wordsInUsage = words, summary, examples: calls, firstOptions = [], remark } = commands[command];
  const names = optionsOf(command);
  const others = names.filter((name) => !firstOptions.includes(name));
  const rowsOf = (some: readonly OptionName[]): HelpRows =>
    some.map((name) => [`--${optionOf(name).flag}`, describeOption(optionOf(name))] as const);
  const byGroup = Object.entries(groups).map(([title, rows]) => {
    return [title, rowsOf(others.filter((name) => Object.hasOwn(rows, name)))] as const;
  });
  const parts = [
    `Usage: ${kit.name} ${command} [options] ${wordsInUsage}`,
    wrap(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`, width),
    ...helpTables([['Needed first', rowsOf(firstOptions)], ...byGroup], width),
    examples(calls.map((call) => `${kit.name} ${call}`)),
  ];
  if (remark !== undefined) parts.push(wrap(remark, width));
  if (names.includes('configurationFile')) parts.push(wrap(whereOptionsStand, width));
  parts.push(wrap(exitCodes, width));
  return `${parts.join('\n\n')}\n`;
}

/** Refuses a command line. The error names the help that lists what is allowed. */
function refuseUsage(why: string, command: string, hint = ''): never {
  throw new UsageError(`${shown(why)}; see ${kit.name} ${command}--help.${hint}`);
}

/** Without the value of the option: it may be a key, and other users of a machine may read the words of a command line. */
function refuseOption(option: string, command: string, flags: readonly string[]): never {
  const key = ' Keys come from the environment alone: set PETSTORE_API_KEY.';
  return refuseUsage(`Unknown option '${option}'`, command, isSecretName(option) ? key : suggest(option, flags));
}

/**
 * The words, with a number that begins with a minus joined to the option before it: node takes it for an option, and refuses
 * `--max-requests -5` in words that help nobody.
 */
function joinNegativeNumbers(args: readonly string[], valued: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of args) {
    const last = joined.at(-1) ?? '';
    const isValue = /^-\d/.test(word) && valued.includes(last) && !joined.includes('--');
    if (isValue) joined.splice(-1, 1, `${last}=${word}`);
    else joined.push(word);
  }
  return joined;
}

/** Reads words by the options of a command; throws a UsageError. */
function parseArguments(command: CommandName, args: readonly string[]) {
  const names = optionsOf(command);
  const typeOf = (name: OptionName) => (optionOf(name).type.isSwitch ? 'boolean' : 'string');
  const rows = names.map((name) => [flagOf(name), { type: typeOf(name), multiple: true }] as const);
  const options: ParseArgsConfig['options'] = { ...Object.fromEntries(rows), help: { type: 'boolean', short: 'h' } };
  const valued = names.filter((name) => typeOf(name) === 'string').map((name) => `--${flagOf(name)}`);
  const words = joinNegativeNumbers(args, valued);
  try {
    return parseArgs({ args: words, options, allowPositionals: true, allowNegative: true });
  } catch (error) {
    const { message } = error as Error;
    const [, unknown] = /^Unknown option '([^']*)'/.exec(message) ?? [];
    const flags = ['--help', ...names.map((name) => `--${flagOf(name)}`)];
    if (unknown !== undefined) return refuseOption(unknown, `${command} `, flags);
    throw new UsageError(`${message.replaceAll('\n', ' ').replace(/\.$/, '')}.`);
  }
}

/** Refuses too few and too many words. */
function checkWords(command: CommandName, words: readonly string[]): void {
  const places = commands[command].words.split(' ');
  const least = places.filter((place) => place.startsWith('<')).length;
  const takesMore = places.at(-1)!.endsWith('...>');
  if (words.length >= least && (takesMore || words.length <= places.length)) return;
  refuseUsage(`${command} takes ${places.join(' ')}, not ${counted(words.length, 'word')}`, `${command} `);
}

/** Reads the words after the name of a command; undefined if they ask for help. */
function readWords(command: CommandName, args: readonly string[]): Line<CommandName> | undefined {
  const { values, positionals: words } = parseArguments(command, args);
  if (values.help) return undefined;
  checkWords(command, words);
  const given = new Map<OptionName, GivenTexts>();
  for (const name of optionsOf(command)) {
    const texts = [values[flagOf(name)] ?? []].flat().map(String);
    if (texts.length > 0) given.set(name, { texts, label: `--${flagOf(name)}` });
  }
  const takesAddress = /^[<[]BASE_URL[\]>]$/.test(commands[command].words);
  if (words.length === 0 || !takesAddress) return { command, words, given };
  return { command, words: [], given: given.set('baseUrl', { texts: words, label: 'The base address' }) };
}

/** `help` before a command is `--help` after it, and `pact verify` is the name of one command. */
function wordsOf(argv: readonly string[]): readonly string[] {
  const [first, second, ...rest] = argv;
  if (first === 'help') return wordsOf([...argv.slice(1), '--help']);
  return first === 'pact' && second?.startsWith('-') === false ? [`pact ${second}`, ...rest] : argv;
}

/** Reads the words of a command line; `width` is that of the help. Throws a UsageError. */
export function readLine(argv: readonly string[], width: number): Line<CommandName> | HelpAnswer {
  const [first, ...rest] = wordsOf(argv);
  // A script whose command is missing must not look like one that judged something.
  if (first === undefined) return { text: programHelp(width), exitCode: 2 };
  if (first === '--help' || first === '-h') return { text: programHelp(width), exitCode: 0 };
  if (first === '--version') return { text: `${kit.version}\n`, exitCode: 0 };
  if (first.startsWith('-')) return refuseOption(first.replace(/=.*/s, ''), '', []);
  const command = commandNames.find((name) => name === first);
  if (command !== undefined) return readWords(command, rest) ?? { text: commandHelp(command, width), exitCode: 0 };
  const hint = isAddress(first)
    ? ` A command comes before the address, as in ${kit.name} run BASE_URL.`
    : suggest(first, commandNames);
  return refuseUsage(`Unknown command '${first}'`, '', hint);
}
