/** Looks up single options in the table, and derives the types of the values that a command reads. */

import type { Defined } from '../../spec/defined.ts';
import { UsageError } from '../run/usage-error.ts';
import { type OptionRow, optionTable } from './option-table.ts';

export type OptionName = keyof typeof optionTable;
export const optionNames = Object.keys(optionTable) as OptionName[];

/** The commands that read options, and `judge()`. */
export type OptionReader = (typeof optionTable)[OptionName]['readers'][number];

/** A row of the table, as one of the general type. */
export function optionOf(name: OptionName): OptionRow {
  return optionTable[name];
}

/** The option without the name of its value, for example max-requests. */
export function flagOf(name: OptionName): string {
  return optionTable[name].flag.split(' ')[0]!;
}

/** The variable that holds an option, for example PETSTORE_MAX_REQUESTS. */
export function variableOf(name: OptionName): string {
  return `PETSTORE_${flagOf(name).toUpperCase().replaceAll('-', '_')}`;
}

export function optionsOf(reading: string): readonly OptionName[] {
  return optionNames.filter((name) => optionOf(name).readers.some((one) => one === reading));
}

/** The texts of an option that a user would write for a value that a file or a program gives. */
export function textsOf(name: OptionName, value: unknown, label: string): readonly string[] {
  if (Array.isArray(value) && optionOf(name).gather === undefined) {
    throw new UsageError(`${label} takes one value, not a list.`);
  }
  if (Array.isArray(value)) return value.flatMap((one) => textsOf(name, one, label));
  if (value instanceof Date) return [String(value.toJSON())];
  if (typeof value === 'object' && value !== null) return Object.entries(value).map((pair) => pair.join(': '));
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return [String(value)];
  throw new UsageError(`${label} has lost digits of ${value}: give a bigint.`);
}

/** The value of an option: all of its texts, gathered, or the last one; without a text its default, if it has one. */
export function readValue(name: OptionName, texts: readonly string[], read: (text: string) => unknown): unknown {
  const { default: usual, gather } = optionOf(name);
  const values = (texts.length === 0 && usual !== undefined ? [usual] : texts).map(read);
  return gather === undefined ? values.at(-1) : gather(values as never[]);
}

/** An option in words: its help, its default, and whether it may be repeated. */
export function describeOption({ help, gather, type, default: usual }: OptionRow): string {
  const remarks: string[] = [];
  if (usual !== undefined && type.isSwitch === undefined) remarks.push(`default: ${usual}`);
  if (gather !== undefined) remarks.push('repeatable');
  return remarks.length === 0 ? help : `${help} (${remarks.join('; ')})`;
}

type ValueOf<Name extends OptionName> = (typeof optionTable)[Name] extends { readonly value?: infer Value }
  ? Value
  : never;

type NameFor<Command extends string> = {
  [Name in OptionName]: Command extends (typeof optionTable)[Name]['readers'][number] ? Name : never;
}[OptionName];

/** The values that a command reads; those of options that may have none are optional. */
export type Values<Command extends string = OptionReader> = Readonly<
  Defined<{ [Name in NameFor<Command>]: ValueOf<Name> }>
>;
