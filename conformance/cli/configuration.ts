/** Reads the options of a command from the configuration file, the environment and the command line; the last wins. */

import { parseArgs } from 'node:util';
import { isSecretName } from '../http/secret-names.ts';
import { type CommandName, describe } from './commands.ts';
import { readConfigurationFile } from './configuration-file.ts';
import {
  flagOf,
  flagsOf,
  type GivenText,
  type OptionName,
  optionNames,
  optionOf,
  optionsOf,
  readOption,
  type Values,
  variableOf,
} from './options.ts';
import { shown } from './readers.ts';
import { suggest } from './suggest.ts';
import { UsageError } from './usage-error.ts';

/** The texts given for one option. They come from one source, since a later source replaces them all. */
export interface Entry {
  readonly texts: readonly string[];
  /** The option in a sentence. */
  readonly label: string;
  /** The file, the variable or the flag that it comes from. */
  readonly source: string;
}

export type Configuration = ReadonlyMap<OptionName, Entry>;
type Entries = readonly (readonly [OptionName, Entry])[];

export interface Sources {
  /** The words of the command line behind the name of the command. */
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The search for the configuration file begins here. */
  readonly folder: string;
}

/** A command line that has been read: nothing behind it looks at the words again. */
export interface Invocation<Command extends CommandName> {
  readonly values: Values<Command>;
  /** Words without a flag, the base address excepted. */
  readonly words: readonly string[];
  readonly configuration: Configuration;
}

const prefix = 'PETSTORE_';
/** A shorter name, or one with more differences, may belong to another program. */
const shortestMisspelt = `${prefix}12345`.length;
const mostDifferences = 2;

/** Refuses a variable that is nearly the name of an option, which would otherwise have no effect. */
function checkSpelling(environment: Sources['environment']): void {
  const known = optionNames.map(variableOf);
  for (const name of Object.keys(environment)) {
    const isOurs = name.startsWith(prefix) && name.length >= shortestMisspelt;
    if (!isOurs || known.includes(name) || /KEY(_?\d+)?$/.test(name)) continue;
    const near = suggest(name, known, mostDifferences);
    if (near !== '') throw new UsageError(`The variable ${shown(name)} sets no option.${near} Rename or unset it.`);
  }
}

/** Options in the environment; several values of one stand on lines of their own. */
function readEnvironment(environment: Sources['environment']): Entries {
  checkSpelling(environment);
  return optionNames.flatMap((name) => {
    const label = variableOf(name);
    const text = environment[label];
    if (text === '' && name === 'baseUrl') {
      throw new UsageError(`${label} is empty: set it to the base address of the target, or unset it.`);
    }
    const texts = (text ?? '').split('\n').filter(Boolean);
    return texts.length === 0 ? [] : [[name, { texts, label, source: label }] as const];
  });
}

interface Line {
  readonly entries: Entries;
  readonly words: readonly string[];
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];

/** Other users of a machine may read the words of a command line. */
const keyAdvice = ` Keys come from the environment alone: set ${prefix}API_KEY.`;
/** Names under which other tools take an address. */
const addressName = /^u$|url|^(address|host|target|endpoint|server|provider)$/;
const addressAdvice = ' The base address is a word of its own, without an option before it.';

/** The place of the base address among the words of a command; -1 if it takes none. */
function addressPlaceIn(command: CommandName): number {
  return describe(command).words.findIndex((word) => /^\[?BASE_URL\]?$/.test(word));
}

/** The option that a token of the line names, and the text that is given for it. */
function readFlag(token: Token & { kind: 'option' }, command: CommandName): readonly [OptionName, string] {
  const { name: flag, rawName, value, inlineValue } = token;
  const find = (wanted: string): OptionName | undefined => flagsOf(command).find((one) => flagOf(one) === wanted);
  const negated = flag.startsWith('no-') ? find(flag.slice('no-'.length)) : undefined;
  if (negated !== undefined && optionOf(negated).kind === 'switch' && !inlineValue) return [negated, 'false'];
  const name = find(flag);
  if (name === undefined) {
    const known = flagsOf(command).map((one) => `--${flagOf(one)}`);
    const isAddress = addressName.test(flag) && addressPlaceIn(command) !== -1;
    const advice = isAddress ? addressAdvice : isSecretName(flag) && find('timeout') !== undefined ? keyAdvice : '';
    throw new UsageError(
      `${shown(rawName)} is no option of ${command}; see petstore-conformance ${command} --help.${suggest(rawName, known)}${advice}`,
    );
  }
  if (optionOf(name).kind === 'switch') return [name, value ?? 'true'];
  const { bare } = optionOf(name);
  if (value === undefined && bare !== undefined) return [name, bare];
  if (value === undefined) throw new UsageError(`${rawName} needs a value.`);
  // A value may begin with a dash, as -1 does. Two dashes begin the next flag, so the value was forgotten.
  if (!inlineValue && value.startsWith('--')) {
    throw new UsageError(`${rawName} needs a value, and ${shown(value)} is none.`);
  }
  return [name, value];
}

function readLine(command: CommandName, words: readonly string[]): Line {
  const flags = optionNames.map((name) => {
    const type = optionOf(name).kind === 'switch' ? ('boolean' as const) : ('string' as const);
    return [flagOf(name), { type, multiple: true }] as const;
  });
  // Not strict, since Node's own sentences name neither the command nor what to do.
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

/** Checks the number of words without a flag, and finds the base address among them. */
function sortWords(command: CommandName, given: readonly string[]): Line {
  const { words } = describe(command);
  const least = words.filter((word) => !word.startsWith('[')).length;
  const most = words.some((word) => word.includes('…')) ? Number.POSITIVE_INFINITY : words.length;
  if (given.length < least || given.length > most) {
    throw new UsageError(`${command} takes ${words.join(' ') || 'no words'}; ${count(given)}.`);
  }
  const at = addressPlaceIn(command);
  const baseUrl = at === -1 ? undefined : given[at];
  if (baseUrl === undefined) return { entries: [], words: given };
  const entry = { texts: [baseUrl], label: 'The base address', source: 'command line' };
  return { entries: [['baseUrl', entry]], words: given.toSpliced(at, 1) };
}

/** The texts that hold for an option, its default included. */
export function textsFor(name: OptionName, configuration: Configuration): readonly GivenText[] {
  const entry = configuration.get(name);
  if (entry !== undefined) return entry.texts.map((text) => ({ text, label: entry.label }));
  const {
    kind,
    otherwise,
    default: usual = kind === 'switch' && otherwise === undefined ? 'false' : undefined,
  } = optionOf(name);
  return usual === undefined ? [] : [{ text: usual, label: 'default' }];
}

/** Every value of a command, the defaults included; throws a UsageError. */
export function readValues<Command extends CommandName>(
  command: Command,
  configuration: Configuration,
): Values<Command> {
  const pairs = optionsOf(command).map((name) => [name, readOption(name, textsFor(name, configuration))] as const);
  // Each value has the type that the table gives it; the compiler cannot follow that through this loop.
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined)) as unknown as Values<Command>;
}

/** Reads everything that is given for a command; throws a UsageError. */
export function readInvocation<Command extends CommandName>(command: Command, sources: Sources): Invocation<Command> {
  // `explain --max-wait` names an option, and does not set one.
  const given = command === 'explain' ? sources.words.map((word) => word.replace(/^--/, '')) : sources.words;
  const line = readLine(command, given);
  const { entries, words } = sortWords(command, line.words);
  const { folder, environment } = sources;
  // A command without options does not fail because of a file that it has no use for.
  const hasOptions = optionsOf(command).length > 0;
  const elsewhere = hasOptions
    ? [...readConfigurationFile(folder, environment['HOME']), ...readEnvironment(environment)]
    : [];
  const configuration = new Map([...elsewhere, ...line.entries, ...entries]);
  return { values: readValues(command, configuration), words, configuration };
}
