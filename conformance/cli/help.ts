/** The help: made from the tables of commands and options. */

import { wrapAnsi } from 'fast-wrap-ansi';
import { kit } from '../verdict/kit.ts';
import { type CommandName, commandNames, describe } from './commands.ts';
import { configurationFile } from './configuration-file.ts';
import { groups } from './option-table.ts';
import { flagsOf, type Option, optionOf, optionsOf, variableOf } from './options.ts';

const program = 'petstore-conformance';

const ofEveryCommand = { 2: 'usage or configuration', 4: 'our own error' };
const ofJudging = { 0: 'conforms', 1: 'does not conform', 3: 'could not judge' };

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd());
}

function synopsisOf(command: CommandName): string {
  const { words } = describe(command);
  const options = optionsOf(command).length > 0 ? ['[options]'] : [];
  const isBehindOptions = words.some((word) => /^\[?--/.test(word));
  return [program, command, ...(isBehindOptions ? [...options, ...words] : [...words, ...options])].join(' ');
}

/** An option in words: its help, unit, default, and whether it may be repeated. */
export function describeOption({ help, kind, type, default: usual, otherwise }: Option): string {
  const remarks = [
    ...(usual === undefined ? [] : [usual]),
    ...(otherwise === undefined ? [] : [`otherwise ${otherwise}`]),
    ...(kind === 'list' ? ['repeatable'] : []),
  ];
  const text = type.unit === undefined ? help : `${help}, ${type.unit}`;
  return remarks.length === 0 ? text : `${text} (${remarks.join('; ')})`;
}

function optionLines(command: CommandName): readonly string[] {
  const rows = flagsOf(command).map((name) => ({ name, flag: `--${optionOf(name).flag}` }));
  const width = Math.max(0, ...rows.map(({ flag }) => flag.length));
  return Object.entries(groups).flatMap(([group, entries]) => {
    const own = rows.filter(({ name }) => Object.hasOwn(entries, name));
    const lines = columns(own.map(({ name, flag }) => [flag.padEnd(width), describeOption(optionOf(name))]));
    return own.length === 0 ? [] : ['', group, ...lines];
  });
}

const whereOptionsStand = [
  '',
  `Every option may stand in ${configurationFile} (max-requests: 60), searched from this folder up to the root of the repository, or in the environment (${variableOf('maxRequests')}=60). The command line wins over the environment, and the environment over the file.`,
];

function exitCodeLine(own: Readonly<Record<number, string>>): string {
  const codes = Object.entries({ ...ofEveryCommand, ...own }).map(([code, meaning]) => `${code} ${meaning}`);
  return `Exit codes: ${codes.join(', ')}.`;
}

export function helpFor(command: CommandName): string {
  const { summary, examples, exitCodes = ofJudging } = describe(command);
  const flags = optionLines(command);
  const [first, ...others] = examples.map((example) => `${program} ${example}`);
  const lines = [
    `  ${first}`,
    ...others.map((example) => `  ${example}`),
    '',
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    `Usage: ${synopsisOf(command)}`,
    ...flags,
    ...(flags.length === 0 ? [] : whereOptionsStand),
    '',
    exitCodeLine(exitCodes),
  ];
  return `${lines.join('\n')}\n`;
}

/** Help for those who know no command yet: the commonest use, every command, and the options of `run`. */
export function overview(): string {
  const rows = commandNames.map((command) => {
    const { words, summary } = describe(command);
    return [[command, ...words].join(' '), summary] as const;
  });
  const lines = [
    `${program} ${kit.version}: judges implementations of the Pet Store Service Interface 1.0.0`,
    '',
    `  PETSTORE_API_KEY=… ${program} ${describe('run').examples[0]}`,
    '',
    'Commands',
    ...columns(rows),
    '',
    'Options of run',
    ...optionLines('run').slice(1),
    '',
    `${program} COMMAND --help shows the options of a command.`,
    exitCodeLine(ofJudging),
  ];
  return `${lines.join('\n')}\n`;
}

/** A row of a table: its first column. A command stays in one line, so that it can be copied. */
const firstColumn = /^ {2}(?!PETSTORE|petstore)\S+(?: \S+)* {2,}/;
/** The columns left for the second column, however narrow the terminal is. */
const leastColumns = 20;

/** Wraps a help to so many columns: the second column of a table under itself. */
export function wrapHelp(help: string, width: number): string {
  const wrap = (line: string): string => {
    const [left = ''] = firstColumn.exec(line) ?? [];
    if (left === '' && line.startsWith(' ')) return line;
    const text = wrapAnsi(line.slice(left.length), Math.max(leastColumns, width - left.length));
    return left + text.replaceAll('\n', `\n${' '.repeat(left.length)}`);
  };
  return help.split('\n').map(wrap).join('\n');
}

export function version(): string {
  return `${kit.version}\n`;
}
