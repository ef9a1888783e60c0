/**
 * Reads the options of a command. A command that judges reads them from the configuration file, the environment and the
 * command line, of which the last wins; any other command from the command line alone.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  flagOf,
  gatherValues,
  type OptionName,
  optionNames,
  optionOf,
  optionsOf,
  type Values,
  variableOf,
} from '../options/options.ts';
import { shown } from '../options/readers.ts';
import { suggest } from '../options/suggest.ts';
import { UsageError } from '../run/usage-error.ts';
import type { CommandName } from './commands.ts';
import { readYaml } from './files.ts';
import type { Line } from './program.ts';

/** The texts given for an option, and the option in a sentence. Those of a later source replace those of an earlier one. */
interface Entry {
  readonly texts: readonly string[];
  readonly label: string;
}

type Entries = readonly (readonly [OptionName, Entry])[];

export interface Sources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder that may hold the configuration file; no folder above it is searched. */
  readonly folder: string;
}

/** A command line that has been read: nothing behind it looks at the words again. */
export interface Invocation<Name extends CommandName> {
  readonly values: Values<Name>;
  /** Words without a flag, the base address excepted. */
  readonly words: readonly string[];
}

export const configurationFile = 'petstore-conformance.config.yaml';

function textsIn(value: unknown, name: OptionName, label: string): readonly string[] {
  if (Array.isArray(value) && optionOf(name).kind !== 'list') {
    throw new UsageError(`${label} takes one value, not a list.`);
  }
  return [value].flat().map((one: unknown) => {
    if (['string', 'bigint', 'number', 'boolean'].includes(typeof one)) return String(one);
    throw new UsageError(`${label} takes a text, a number or true or false.`);
  });
}

/** The options in a configuration file, which may hold those of any command. */
async function readFile(file: string): Promise<Entries> {
  const content = (await readYaml(file, 'The configuration', { intAsBigInt: true })) ?? {};
  if (typeof content !== 'object' || Array.isArray(content)) {
    throw new UsageError(`${file} must hold options by name, like max-requests: 60.`);
  }
  const known = optionNames.filter((name) => name !== 'configurationFile');
  return Object.entries(content).map(([flag, value]) => {
    const name = known.find((candidate) => flagOf(candidate) === flag);
    const label = `${flag} in ${file}`;
    if (name !== undefined) return [name, { texts: textsIn(value, name, label), label }] as const;
    const hint = /key/.test(flag) ? 'keys come from the environment only' : 'petstore-conformance --help lists them';
    throw new UsageError(`${file} has no option "${shown(flag)}": ${hint}.${suggest(flag, known.map(flagOf))}`);
  });
}

/** Options in the environment; several values of one stand on lines of their own. */
function readEnvironment(environment: Sources['environment']): Entries {
  if (environment['PETSTORE_BASE_URL'] === '') {
    throw new UsageError('PETSTORE_BASE_URL is empty: set it to the base address of the target, or unset it.');
  }
  return optionNames.flatMap((name) => {
    const label = variableOf(name);
    const text = environment[label] ?? '';
    const texts = (optionOf(name).kind === 'list' ? text.split('\n') : [text]).filter(Boolean);
    return texts.length === 0 ? [] : [[name, { texts, label }] as const];
  });
}

/** What is configured for the commands that judge. */
async function readConfigured({ environment, folder }: Sources, onLine: Entries): Promise<Entries> {
  const variables = readEnvironment(environment);
  const named = new Map([...variables, ...onLine]).get('configurationFile')?.texts.at(-1);
  const file = named ?? join(folder, configurationFile);
  return [...(named !== undefined || existsSync(file) ? await readFile(file) : []), ...variables];
}

/** Every value of a command, the defaults included. A file that a value names is read here. */
async function readValues<Name extends CommandName>(command: Name, given: ReadonlyMap<OptionName, Entry>) {
  const values: Record<string, unknown> = {};
  for (const name of optionsOf(command)) {
    const { default: usual, type } = optionOf(name);
    const { texts, label } = given.get(name) ?? { texts: usual === undefined ? [] : [usual], label: flagOf(name) };
    const readOne = async (text: string): Promise<unknown> =>
      type.readContent === undefined
        ? type.read(text, label)
        : type.readContent(await readYaml(text, `The ${flagOf(name)} file`), shown(text));
    const value = gatherValues(name, await Promise.all(texts.map(readOne)));
    if (value !== undefined) values[name] = value;
  }
  // Each value has the type that the table gives it; the compiler cannot follow that through this loop.
  return values as unknown as Values<Name>;
}

/** Reads everything that is given for the command of a line; rejects with a UsageError. */
export async function readInvocation<Name extends CommandName>(
  { command, words, texts }: Line<Name>,
  sources: Sources,
): Promise<Invocation<Name>> {
  const onLine = [...texts].map(
    ([name, given]) =>
      [name, { texts: given, label: name === 'baseUrl' ? 'The base address' : `--${flagOf(name)}` }] as const,
  );
  const isConfigured = optionsOf(command).includes('configurationFile');
  const configured = isConfigured ? await readConfigured(sources, onLine) : [];
  return { values: await readValues(command, new Map([...configured, ...onLine])), words };
}
