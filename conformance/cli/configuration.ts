/** What a user gives, by option: from the configuration file, the environment and the command line, the last wins. */

import { parseArgs } from 'node:util';
import { lilconfigSync } from 'lilconfig';
import { parse } from 'yaml';
import { type CommandName, describe } from './commands.ts';
import {
  flagOf,
  flagsOf,
  type GivenText,
  isOptionOf,
  type OptionName,
  optionNames,
  optionOf,
  type Values,
  variableOf,
} from './options.ts';
import { suggest } from './suggest.ts';
import { UsageError } from './usage-error.ts';

/** What is given for one option: by one source alone, since the last wins whole. */
export interface Entry {
  readonly texts: readonly string[];
  /** The option in a sentence. */
  readonly label: string;
  /** The file, the variable or the flag that it comes from. */
  readonly source: string;
}

export type Configuration = ReadonlyMap<OptionName, Entry>;
type Entries = readonly (readonly [OptionName, Entry])[];

/** Where a command looks for its options. */
export interface Sources {
  /** What stands on the command line behind the name of the command. */
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** From here upwards the configuration file is searched. */
  readonly folder: string;
}

/** A command line that has been read: nothing behind it looks at the words again. */
export interface Invocation<Command extends CommandName> {
  readonly values: Values<Command>;
  /** Words without a flag, the base address excepted. */
  readonly words: readonly string[];
  readonly configuration: Configuration;
}

export const configurationFile = 'petstore-conformance.config.yaml';

function readFileValue(name: OptionName, value: unknown, file: string): readonly string[] {
  const flag = flagOf(name);
  if (Array.isArray(value) && optionOf(name).kind !== 'list') {
    throw new UsageError(`${flag} in ${file} takes one value, not a list.`);
  }
  return (Array.isArray(value) ? value : [value]).map((one: unknown) => {
    if (['string', 'bigint', 'number', 'boolean'].includes(typeof one)) return String(one);
    throw new UsageError(`${flag} in ${file} takes a text, a number or true or false.`);
  });
}

function parseYaml(file: string, text: string): unknown {
  try {
    return parse(text, { intAsBigInt: true }) as unknown;
  } catch (error) {
    throw new UsageError(`${file} is no YAML: ${String((error as Error).message).split('\n')[0]}`);
  }
}

/** The nearest configuration file, from a folder upwards. It may hold options of any command. */
function readFile(folder: string): Entries {
  const found = lilconfigSync('petstore-conformance', {
    searchPlaces: [configurationFile],
    loaders: { '.yaml': parseYaml },
    stopDir: '/',
  }).search(folder);
  if (found === null || found.isEmpty) return [];
  const { filepath: file, config } = found as { filepath: string; config: unknown };
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new UsageError(`${file} must hold options by name, like max-requests: 60.`);
  }
  return Object.entries(config).flatMap(([flag, value]) => {
    // Two commands may read the same flag in their own way.
    const names = optionNames.filter((candidate) => flagOf(candidate) === flag);
    if (names.length > 0) {
      return names.map((name) => {
        const texts = readFileValue(name, value, file);
        return [name, { texts, label: `${flag} in ${file}`, source: file }] as const;
      });
    }
    const hint = /key/.test(flag) ? 'keys come from the environment only' : 'petstore-conformance --help lists them';
    throw new UsageError(`${file} has no option ${JSON.stringify(flag)}: ${hint}.`);
  });
}

/** Options in the environment; several values of one stand on lines of their own. */
function readEnvironment(environment: Sources['environment']): Entries {
  return optionNames.flatMap((name) => {
    const label = variableOf(name);
    const texts = (environment[label] ?? '').split('\n').filter(Boolean);
    return texts.length === 0 ? [] : [[name, { texts, label, source: label }] as const];
  });
}

interface Line {
  readonly entries: Entries;
  readonly words: readonly string[];
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];

/** The option that stands on the line, and what is given for it. */
function readFlag(token: Token & { kind: 'option' }, command: CommandName): readonly [OptionName, string] {
  const { name: flag, rawName, value, inlineValue } = token;
  const name = flagsOf(command).find((one) => flagOf(one) === flag);
  if (name === undefined) {
    const known = flagsOf(command).map((one) => `--${flagOf(one)}`);
    throw new UsageError(
      `${rawName} is no option of ${command}; see petstore-conformance ${command} --help.${suggest(rawName, known)}`,
    );
  }
  if (optionOf(name).kind === 'switch') return [name, value ?? 'true'];
  if (value === undefined) throw new UsageError(`${rawName} needs a value.`);
  // A value may begin with a dash, as -1 does; where a flag follows, it was forgotten.
  if (!inlineValue && value.startsWith('--')) throw new UsageError(`${rawName} needs a value, and ${value} is none.`);
  return [name, value];
}

function readLine(command: CommandName, words: readonly string[]): Line {
  const flags = optionNames.map((name) => {
    const type = optionOf(name).kind === 'switch' ? ('boolean' as const) : ('string' as const);
    return [flagOf(name), { type, multiple: true }] as const;
  });
  // Not strict: the sentences of node name neither the command nor what to do.
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(flags),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const given = tokens.flatMap((token) => (token.kind === 'option' ? [readFlag(token, command)] : []));
  const texts = Map.groupBy(given, ([name]) => name);
  return {
    entries: [...texts].map(([name, all]) => {
      const label = `--${flagOf(name)}`;
      return [name, { texts: all.map(([, text]) => text), label, source: label }] as const;
    }),
    words: tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : [])),
  };
}

function count(words: readonly string[]): string {
  if (words.length === 0) return 'nothing was given';
  return words.length === 1 ? 'one word was given' : `${words.length} words were given`;
}

/** Holds the words without a flag against those that the command takes, and finds the base address among them. */
function sortWords(command: CommandName, given: readonly string[]): Line {
  const { words, takes } = describe(command);
  const least = words.filter((word) => !word.startsWith('[')).length;
  const most = words.some((word) => word.endsWith('…')) ? Number.POSITIVE_INFINITY : words.length;
  if (given.length < least || given.length > most) {
    throw new UsageError(`${command} ${given.length < least ? 'needs' : 'takes'} ${takes}; ${count(given)}.`);
  }
  const at = words.findIndex((word) => /^\[?BASE_URL\]?$/.test(word));
  const baseUrl = at === -1 ? undefined : given[at];
  if (baseUrl === undefined) return { entries: [], words: given };
  const entry = { texts: [baseUrl], label: 'The base address', source: 'command line' };
  return { entries: [['baseUrl', entry]], words: given.toSpliced(at, 1) };
}

/** The texts that hold for an option, its default included. */
export function textsFor(name: OptionName, configuration: Configuration): readonly GivenText[] {
  const entry = configuration.get(name);
  const { default: usual } = optionOf(name);
  if (entry !== undefined) return entry.texts.map((text) => ({ text, label: entry.label }));
  return usual === undefined ? [] : [{ text: usual, label: 'default' }];
}

/** Every value of a command, the defaults included; throws a UsageError. */
export function readValues<Command extends CommandName>(
  command: Command,
  configuration: Configuration,
): Values<Command> {
  const pairs = optionNames
    .filter((name) => isOptionOf(name, command))
    .map((name) => [name, optionOf(name).read(textsFor(name, configuration))] as const);
  // The table gives each value its type; its rows are no longer told apart here.
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined)) as unknown as Values<Command>;
}

/** Reads all that is given for a command; throws a UsageError. */
export function readInvocation<Command extends CommandName>(command: Command, sources: Sources): Invocation<Command> {
  const line = readLine(command, sources.words);
  const { entries, words } = sortWords(command, line.words);
  // What takes no option has no use for a file, and does not fail for a wrong one.
  const hasOptions = optionNames.some((name) => isOptionOf(name, command));
  const elsewhere = hasOptions ? [...readFile(sources.folder), ...readEnvironment(sources.environment)] : [];
  const configuration = new Map([...elsewhere, ...line.entries, ...entries]);
  return { values: readValues(command, configuration), words, configuration };
}
