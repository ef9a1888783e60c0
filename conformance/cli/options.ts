/** Looks up single options in the table, and derives the types of the values that a command reads. */

import { type CommandName, describe } from './commands.ts';
import { type Entry, options } from './option-table.ts';
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

export function optionsOf(command: CommandName): readonly OptionName[] {
  return optionNames.filter((name) => optionOf(name).commands.includes(command));
}

export const programOptions: readonly OptionName[] = optionsOf('run').filter(
  (name) => optionOf(name).type.program !== undefined,
);

/** The options of a command that stand on the line with their flags. */
export function flagsOf(command: CommandName): readonly OptionName[] {
  const isWord = describe(command).words.some((word) => /^\[?BASE_URL\]?$/.test(word));
  return optionsOf(command).filter((name) => !(isWord && optionOf(name).kind === 'word'));
}

/** A text that a user gave, and how a sentence names the option, for example PETSTORE_PLAN. */
export interface GivenText {
  readonly text: string;
  readonly label: string;
}

/** The value of an option: a list of all values, or the last one; undefined where nothing is given and there is no default. */
export function readOption(name: OptionName, given: readonly GivenText[]): unknown {
  const { kind, type, gather = (values: readonly never[]) => values } = optionOf(name);
  const values = given.map(({ text, label }) => type.read(text, label));
  return kind === 'list' ? gather(values as never[]) : values.at(-1);
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

type NameFor<Command extends CommandName> = {
  [Name in OptionName]: Command extends Row<Name>['commands'][number] ? Name : never;
}[OptionName];

/** The values that a command reads: options that always have one, and those that may have none. */
export type Values<Command extends CommandName> = {
  readonly [Name in NameFor<Command> as undefined extends Value<Name> ? never : Name]: Value<Name>;
} & {
  readonly [Name in NameFor<Command> as undefined extends Value<Name> ? Name : never]?: Exclude<Value<Name>, undefined>;
};
