/** Looks up single options in the table, and derives the types of the values that a command reads. */

import { UsageError } from '../run/usage-error.ts';
import { onlyOnLine, options, type Reading, type Row } from './option-table.ts';

export type OptionName = keyof typeof options;
export const optionNames = Object.keys(options) as OptionName[];

/** A row of the table, as one of the general type. */
export function optionOf(name: OptionName): Row {
  return options[name];
}

/** The option without the name of its value, for example max-requests. */
export function flagOf(name: OptionName): string {
  return options[name].flag.split(' ')[0]!;
}

/** The variable that holds an option, for example PETSTORE_MAX_REQUESTS. */
export function variableOf(name: OptionName): string {
  return `PETSTORE_${flagOf(name).toUpperCase().replaceAll('-', '_')}`;
}

export function optionsOf(command: string): readonly OptionName[] {
  return optionNames.filter((name) => optionOf(name).commands.some((one) => one === command));
}

/** The options of a run that a program gives to judge(). */
export const programOptions = optionsOf('run').filter((name) => !(onlyOnLine as readonly string[]).includes(name));

/** One value of those that were read: a list of all, or the last; undefined where there is none. */
export function gatherValues(name: OptionName, values: readonly unknown[]): unknown {
  const { kind, gather = (all: readonly never[]) => all } = optionOf(name);
  return kind === 'list' ? gather(values as never[]) : values.at(-1);
}

/** The texts that a user would write for what a program gives. */
function textsOf(name: OptionName, value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => textsOf(name, one));
  if (value instanceof Date) return [String(value.toJSON())];
  if (typeof value === 'object' && value !== null) return Object.entries(value).map((pair) => pair.join(': '));
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return [String(value)];
  throw new UsageError(`${name} has lost digits of ${value}: give a bigint.`);
}

/** Reads what a program gives for an option, undefined for its default. Throws a UsageError. */
export function readGiven(name: OptionName, value: unknown): unknown {
  const { type, default: usual } = optionOf(name);
  if (value !== undefined && type.readContent !== undefined) return type.readContent(value, name);
  const read = value === undefined ? type.read : (type.readGiven ?? type.read);
  const texts = value === undefined ? [usual].filter((one) => one !== undefined) : textsOf(name, value);
  return gatherValues(
    name,
    texts.map((text) => read(text, name)),
  );
}

/** An option in words: its help, unit, default, and whether it may be repeated. */
export function describeOption({ help, kind, type, default: usual, otherwise }: Row): string {
  const held = kind === 'switch' ? otherwise : (usual ?? otherwise);
  const remarks = [...(held === undefined ? [] : [`default: ${held}`]), ...(kind === 'list' ? ['repeatable'] : [])];
  const text = type.unit === undefined ? help : `${help}, ${type.unit}`;
  return remarks.length === 0 ? text : `${text} (${remarks.join('; ')})`;
}

type ValueOf<Name extends OptionName> = (typeof options)[Name] extends { readonly value?: infer Value } ? Value : never;

type NameFor<Command extends string> = {
  [Name in OptionName]: Command extends (typeof options)[Name]['commands'][number] ? Name : never;
}[OptionName];

/** The values that a command reads: options that always have one, and those that may have none. */
export type Values<Command extends string = Reading> = {
  readonly [Name in NameFor<Command> as undefined extends ValueOf<Name> ? never : Name]: ValueOf<Name>;
} & {
  readonly [Name in NameFor<Command> as undefined extends ValueOf<Name> ? Name : never]?: Exclude<
    ValueOf<Name>,
    undefined
  >;
};

type GivenFor<Name extends OptionName> = (typeof options)[Name] extends { readonly given?: infer Given }
  ? Given
  : never;

/** The options of a run as a program gives them to judge(); OPTIONS.md says what each means. */
export type RunSettings = {
  readonly [Name in Exclude<NameFor<'run'>, (typeof onlyOnLine)[number]>]?: Exclude<GivenFor<Name>, undefined>;
};
