/** Help: of all commands, and of one with its options in groups. */

import { kit } from '../verdict/kit.ts';
import { type CommandName, commandNames, describe } from './commands.ts';
import { configurationFile } from './configuration.ts';
import { flagsOf, groups, isOptionOf, type Option, optionNames, optionOf } from './options.ts';

const program = 'petstore-conformance';

const ofEveryCommand = { 2: 'usage or configuration', 4: 'our own error' };
const ofJudging = { 0: 'conforms', 1: 'does not conform', 3: 'could not judge' };

/** Lines in two columns. */
function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd());
}

function synopsisOf(command: CommandName): string {
  const hasOptions = optionNames.some((name) => isOptionOf(name, command));
  const { words } = describe(command);
  const options = hasOptions ? ['[options]'] : [];
  const isBehindOptions = words.some((word) => word.startsWith('--'));
  return [program, command, ...(isBehindOptions ? [...options, ...words] : [...words, ...options])].join(' ');
}

function rowOf({ flag, kind, help, default: usual, otherwise }: Option): readonly [string, string] {
  const remarks = [
    ...(kind === 'switch' || usual === undefined ? [] : [usual]),
    ...(otherwise === undefined ? [] : [`otherwise ${otherwise}`]),
    ...(kind === 'list' ? ['repeatable'] : []),
  ];
  return [`--${flag}`, remarks.length === 0 ? help : `${help} (${remarks.join('; ')})`];
}

function optionLines(command: CommandName): readonly string[] {
  const rows = flagsOf(command).map((name) => ({ group: optionOf(name).group, row: rowOf(optionOf(name)) }));
  const width = Math.max(0, ...rows.map(({ row: [flag] }) => flag.length));
  return groups.flatMap((group) => {
    const own = rows.filter((one) => one.group === group);
    const lines = columns(own.map(({ row: [flag, help] }) => [flag.padEnd(width), help]));
    return own.length === 0 ? [] : ['', group, ...lines];
  });
}

const whereOptionsStand = [
  '',
  `Every option may stand in ${configurationFile} (max-requests: 60), found upwards from here, or in the`,
  'environment (PETSTORE_MAX_REQUESTS=60); the environment wins over the file, the command line over both.',
];

function exitCodeLine(own: Readonly<Record<number, string>>): string {
  const told = Object.entries({ ...ofEveryCommand, ...own }).map(([code, meaning]) => `${code} ${meaning}`);
  return `Exit codes: ${told.join(', ')}.`;
}

/** Help for one command. */
export function helpFor(command: CommandName): string {
  const { summary, example, exitCodes = ofJudging } = describe(command);
  const flags = optionLines(command);
  const lines = [
    synopsisOf(command),
    '',
    `It ${summary}.`,
    ...flags,
    ...(flags.length === 0 ? [] : whereOptionsStand),
    '',
    `Example: ${program} ${example}`,
    exitCodeLine(exitCodes),
  ];
  return `${lines.join('\n')}\n`;
}

/** Help for those who know no command yet. */
export function overview(): string {
  const rows = commandNames.map(
    (command) => [`${program} ${[command, ...describe(command).words].join(' ')}`, describe(command).summary] as const,
  );
  const lines = [
    `${program} ${kit.version}: judges implementations of the Pet Store Service Interface 1.0.0`,
    '',
    ...columns(rows),
    '',
    `${program} COMMAND --help tells the options of a command.`,
    exitCodeLine(ofJudging),
  ];
  return `${lines.join('\n')}\n`;
}

export function version(): string {
  return `${kit.version}\n`;
}
