/** What a user gives, by option: from the configuration file, the environment and the command line, the last wins. */

import { parseArgs } from 'node:util';
import { lilconfigSync } from 'lilconfig';
import { parse } from 'yaml';
import { isSecretHeader } from '../engine/redact.ts';

/** Wrong usage or configuration: exit code 2, and the message is all that is printed. */
export class UsageError extends Error {}

/** How an option is given: those of `list` more than once, a `switch` without a value. */
export type OptionKind = 'text' | 'list' | 'switch';

/** The options of every command that talks to a target. */
export const options = {
  'api-key-env': 'text',
  'rate-limit-key-env': 'text',
  plan: 'text',
  'category-id': 'list',
  'pet-id': 'list',
  header: 'list',
  'max-requests': 'text',
  'max-creates': 'text',
  'read-only': 'switch',
  concurrency: 'text',
  timeout: 'text',
  'max-wait': 'text',
  seed: 'text',
  only: 'list',
  now: 'text',
  waivers: 'text',
  'require-all': 'switch',
  reporter: 'list',
  evidence: 'text',
  leftovers: 'text',
  deadline: 'text',
} as const satisfies Record<string, OptionKind>;

export type OptionName = keyof typeof options;
const names = Object.keys(options) as OptionName[];

/** The values of one option, and where they come from, in words. */
export interface Given {
  readonly values: readonly string[];
  readonly origin: string;
}

/** `base-url` stands on the command line without a flag. */
export type Configuration = ReadonlyMap<OptionName | 'base-url', Given>;

export const configurationFile = 'petstore-conformance.config.yaml';

/** The variable that holds an option, for example PETSTORE_MAX_REQUESTS. */
export function variableOf(name: OptionName | 'base-url'): string {
  return `PETSTORE_${name.toUpperCase().replaceAll('-', '_')}`;
}

function isKnown(name: string): name is OptionName | 'base-url' {
  return name === 'base-url' || Object.hasOwn(options, name);
}

function readFileValue(name: string, value: unknown, file: string): readonly string[] {
  const values = Array.isArray(value) ? value : [value];
  const isList = isKnown(name) && name !== 'base-url' && options[name] === 'list';
  if (Array.isArray(value) && !isList) throw new UsageError(`${name} in ${file} takes one value, not a list.`);
  return values.map((one) => {
    if (typeof one === 'string' || typeof one === 'bigint' || typeof one === 'number' || typeof one === 'boolean') {
      return String(one);
    }
    if (one instanceof Date) return one.toISOString().slice(0, 10);
    throw new UsageError(`${name} in ${file} takes a text, a number or true or false.`);
  });
}

/** The nearest configuration file, from a folder upwards. */
function readFile(folder: string): readonly (readonly [OptionName | 'base-url', Given])[] {
  const load = (file: string, text: string): unknown => {
    try {
      return parse(text, { intAsBigInt: true }) as unknown;
    } catch (error) {
      throw new UsageError(`${file} is no YAML: ${String((error as Error).message).split('\n')[0]}`);
    }
  };
  const found = lilconfigSync('petstore-conformance', {
    searchPlaces: [configurationFile],
    loaders: { '.yaml': load },
    stopDir: '/',
  }).search(folder);
  if (found === null || found.isEmpty) return [];
  const file = found.filepath;
  if (typeof found.config !== 'object' || found.config === null || Array.isArray(found.config)) {
    throw new UsageError(`${file} must hold options by name, like max-requests: 60.`);
  }
  return Object.entries(found.config as Record<string, unknown>).map(([name, value]) => {
    if (isKnown(name)) return [name, { values: readFileValue(name, value, file), origin: file }] as const;
    const hint = /key/.test(name) ? 'keys come from the environment only' : 'petstore-conformance --help lists them';
    throw new UsageError(`${file} has no option ${JSON.stringify(name)}: ${hint}.`);
  });
}

/** Options in the environment; several values of one stand on lines of their own. */
function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): readonly (readonly [OptionName | 'base-url', Given])[] {
  return (['base-url', ...names] as const).flatMap((name) => {
    const text = environment[variableOf(name)];
    if (text === undefined || text === '') return [];
    return [[name, { values: text.split('\n').filter(Boolean), origin: variableOf(name) }] as const];
  });
}

/** Options of one command, as the command line has them. */
export type OwnOptions<Name extends string> = Readonly<Partial<Record<Name, readonly string[]>>>;

interface CommandLine<Own extends string> {
  readonly given: readonly (readonly [OptionName, Given])[];
  readonly own: OwnOptions<Own>;
  readonly positionals: readonly string[];
}

function readCommandLine<Own extends string>(
  args: readonly string[],
  ownKinds: Readonly<Record<Own, OptionKind>>,
): CommandLine<Own> {
  const kinds: readonly (readonly [string, OptionKind])[] = Object.entries({ ...options, ...ownKinds });
  const flags = Object.fromEntries(
    kinds.map(([name, kind]) => [
      name,
      { type: kind === 'switch' ? ('boolean' as const) : ('string' as const), multiple: true },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: flags,
      allowPositionals: true,
      strict: true,
    });
    const given = names.flatMap((name) => {
      const found = values[name] as readonly (string | boolean)[] | undefined;
      return found === undefined ? [] : [[name, { values: found.map(String), origin: `--${name}` }] as const];
    });
    const own = Object.entries(values).filter(([name]) => Object.hasOwn(ownKinds, name));
    return {
      given,
      own: Object.fromEntries(
        own.map(([name, found]) => [name, (found as unknown[]).map(String)]),
      ) as unknown as OwnOptions<Own>,
      positionals,
    };
  } catch (error) {
    const [sentence = 'The command line cannot be read'] = String((error as Error).message).split('. ');
    throw new UsageError(`${sentence.replace(/\.$/, '')}; see petstore-conformance --help.`);
  }
}

/** Where a command looks beside its arguments. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder from which the configuration file is searched upwards; undefined: none is read. */
  readonly folder?: string;
}

/** Those of this process. */
export function surroundings(): Surroundings {
  return { environment: process.env, folder: process.cwd() };
}

/** All that is given to a command: `own` are the options that it has beside those of all, from the command line only. */
export function readConfiguration<Own extends string = never>(
  args: readonly string[],
  { environment, folder }: Surroundings,
  ownKinds: Readonly<Record<Own, OptionKind>> = {} as Readonly<Record<Own, OptionKind>>,
): {
  readonly configuration: Configuration;
  readonly own: OwnOptions<Own>;
  readonly positionals: readonly string[];
} {
  const { given, own, positionals } = readCommandLine(args, ownKinds);
  const fromFile = folder === undefined ? [] : readFile(folder);
  return { configuration: new Map([...fromFile, ...readEnvironment(environment), ...given]), own, positionals };
}

function showValue(name: string, value: string): string {
  if (name !== 'header') return value;
  const [header = ''] = value.split(':');
  return isSecretHeader(header) ? `${header}: (not shown)` : value;
}

/** Every option that is given, with its origin; keys are told by their variable only. */
export function showConfiguration(
  configuration: Configuration,
  usual: Readonly<Record<string, string>>,
  environment: Surroundings['environment'],
): string {
  const lines = (['base-url', ...names] as const).map((name): readonly [string, string, string] => {
    const given = configuration.get(name);
    if (given === undefined) return [name, usual[name] ?? '(none)', 'default'];
    return [name, given.values.map((value) => showValue(name, value)).join(', '), given.origin];
  });
  const keys = (['api-key-env', 'rate-limit-key-env'] as const).map((name): readonly [string, string, string] => {
    const variable = configuration.get(name)?.values.at(-1) ?? usual[name] ?? '';
    return [name.replace('-env', ''), environment[variable] ? '(set, not shown)' : '(not set)', variable];
  });
  const rows = [...lines, ...keys];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map(([name, value, origin]) => `${name.padEnd(widths[0]!)}  ${value.padEnd(widths[1]!)}  ${origin}\n`)
    .join('');
}
