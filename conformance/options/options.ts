/** Looks up single options in the table, and derives the types of the values that a command reads. */

import { type CommandWithOptions, type Entry, options } from './option-table.ts';
import type { SwitchType, ValueType } from './value-types.ts';

export type OptionName = keyof typeof options;
export const optionNames = Object.keys(options) as OptionName[];

export interface Option extends Omit<Entry, 'kind'> {
  /** A `switch` takes no value and is turned off by `--no-…`. */
  readonly kind: 'text' | 'list' | 'switch' | 'word';
}

/** An entry of the table, as one of the general type. */
export function optionOf(name: OptionName): Option {
  const entry: Entry = options[name];
  return { ...entry, kind: entry.kind ?? (entry.type.isSwitch ? 'switch' : 'text') };
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

/** The options of a run that `judge()` takes as well. */
export const programOptions: readonly OptionName[] = optionsOf('run').filter(
  (name) => optionOf(name).type.program !== undefined,
);

/** The text that holds where a user gives none. */
export function defaultOf(name: OptionName): string | undefined {
  const { kind, otherwise, default: usual } = optionOf(name);
  return usual ?? (kind === 'switch' && otherwise === undefined ? 'false' : undefined);
}

/** One value of those that were read: a list of all, or the last; undefined where there is none. */
export function gatherValues(name: OptionName, values: readonly unknown[]): unknown {
  const { kind, gather = (all: readonly never[]) => all } = optionOf(name);
  return kind === 'list' ? gather(values as never[]) : values.at(-1);
}

/** An option in words: its help, unit, default, and whether it may be repeated. */
export function describeOption({ help, kind, type, default: usual, otherwise }: Option): string {
  const held = usual ?? otherwise;
  const remarks = [...(held === undefined ? [] : [`default: ${held}`]), ...(kind === 'list' ? ['repeatable'] : [])];
  const text = type.unit === undefined ? help : `${help}, ${type.unit}`;
  return remarks.length === 0 ? text : `${text} (${remarks.join('; ')})`;
}

type Row<Name extends OptionName> = (typeof options)[Name];
type One<Name extends OptionName> = Row<Name>['type'] extends ValueType<infer Value> ? Value : never;

/** Whether a value is there although the user gives none. */
type HasDefault<Name extends OptionName> =
  Row<Name> extends { readonly default: string }
    ? true
    : Row<Name>['type'] extends SwitchType
      ? Row<Name> extends { readonly otherwise: string }
        ? false
        : true
      : false;

type Value<Name extends OptionName> =
  Row<Name> extends { readonly kind: 'list' }
    ? Row<Name> extends { readonly gather: (values: never) => infer Gathered }
      ? Gathered
      : readonly One<Name>[]
    : HasDefault<Name> extends true
      ? One<Name>
      : One<Name> | undefined;

type NameFor<Command extends string> = {
  [Name in OptionName]: Command extends Row<Name>['commands'][number] ? Name : never;
}[OptionName];

/** The values that a command reads: options that always have one, and those that may have none. */
export type Values<Command extends string = CommandWithOptions> = {
  readonly [Name in NameFor<Command> as undefined extends Value<Name> ? never : Name]: Value<Name>;
} & {
  readonly [Name in NameFor<Command> as undefined extends Value<Name> ? Name : never]?: Exclude<Value<Name>, undefined>;
};
