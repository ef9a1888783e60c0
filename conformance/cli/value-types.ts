/** The types of option values: how each is read from a text, and how a program gives it to `judge()`. */

import type { RequirementId } from '../../spec/requirements.ts';
import type { Waiver, Waivers } from '../verdict/waivers.ts';
import {
  oneOf,
  type Reader,
  readHeader,
  readInt64,
  readRequirements,
  readSwitch,
  readText,
  readTime,
  seconds,
  shown,
  wholeNumber,
} from './readers.ts';
import { UsageError } from './usage-error.ts';
import { readWaiverList, readWaivers } from './waivers.ts';

/** How a program gives a value; `list` types are given as one array or record. */
export interface ProgramForm {
  /** The TypeScript type of the member of JudgeOptions. */
  readonly type: string;
  /** Reads what `judge()` was given; throws a UsageError. */
  readonly read: (value: unknown, name: string) => unknown;
  /** The default as a program writes it, from the text of the command line. */
  readonly showDefault?: (text: string) => string;
}

export interface ValueType<Value> {
  readonly read: Reader<Value>;
  /** The unit of the text, for the help. */
  readonly unit?: string;
  /** The values that a shell offers. */
  readonly choices?: readonly string[];
  /** Absent where only a command line has a use for the option. */
  readonly program?: ProgramForm;
  /** Set where the flag takes no value. */
  readonly isSwitch?: true;
}

export type SwitchType = ValueType<boolean> & { readonly isSwitch: true };

/** The types that `typeof` tells, by their names. */
interface Types {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly object: object;
}

/** A value of one type, which is then read further. */
function given<Type extends keyof Types>(
  type: string,
  expected: Type,
  read: (value: Types[Type], name: string) => unknown,
): ProgramForm {
  return {
    type,
    read: (value, name) => {
      if (typeof value === expected && value !== null) return read(value as Types[Type], name);
      throw new UsageError(`${name} takes ${expected === 'object' ? 'an object' : `a ${expected}`}.`);
    },
  };
}

/** A number of a program, which a reader of texts then bounds. */
function givenNumber(read: Reader<number>, showDefault: (text: string) => string): ProgramForm {
  const form = given('number', 'number', (value, name) => {
    if (Number.isSafeInteger(value) && value >= 0) return read(String(value), name);
    throw new UsageError(`${name} takes a whole number, not ${value}.`);
  });
  return { ...form, showDefault };
}

/** A value that a program gives as the text that a command line would have. */
export function textual<Value>(read: Reader<Value>, type = 'string'): ValueType<Value> {
  return { read, program: given(type, 'string', read) };
}

export function onCommandLine<Value>(read: Reader<Value>, choices: readonly string[] = []): ValueType<Value> {
  return { read, choices };
}

/** A text that only a command line gives, such as the name of a file or of a variable. */
export const commandLineText: ValueType<string> = onCommandLine(readText);

export const plainText: ValueType<string> = textual(readText);

export function choice<Name extends string>(names: readonly Name[]): ValueType<Name> {
  return { ...textual(oneOf(names), names.map((name) => `'${name}'`).join(' | ')), choices: names };
}

export function integer(least: number, most?: number): ValueType<number> {
  const read = wholeNumber(least, most);
  return { read, program: givenNumber(read, (text) => text) };
}

/** Seconds on the command line, milliseconds in a program and in the value. */
export function duration(least: number, most: number): ValueType<number> {
  const program = givenNumber(wholeNumber(0, most * 1000), (text) => String(Number(text) * 1000));
  return { read: seconds(least, most), unit: 'seconds', program };
}

/** A switch that says how the command line shows something. */
export const commandLineToggle: SwitchType = { read: readSwitch, isSwitch: true };

export const toggle: SwitchType = { ...commandLineToggle, program: given('boolean', 'boolean', (value) => value) };

export const int64: ValueType<bigint> = {
  read: readInt64,
  program: given('readonly (number | bigint)[]', 'object', (value, name) =>
    (value as readonly (number | bigint)[]).map((id) => {
      if (typeof id !== 'number' || Number.isSafeInteger(id)) return readInt64(String(id), name);
      throw new UsageError(`${name} takes integers, and a bigint beyond 2^53, not ${id}.`);
    }),
  ),
};

export const header: ValueType<readonly [name: string, value: string]> = {
  read: readHeader,
  program: given('Readonly<Record<string, string>>', 'object', (value) => {
    const pairs = Object.entries(value as Readonly<Record<string, string>>);
    return Object.fromEntries(pairs.map(([field, text]) => readHeader(`${field}: ${text}`, shown(field))));
  }),
};

export const requirementIds: ValueType<readonly RequirementId[]> = {
  read: readRequirements,
  program: given(
    'readonly string[]',
    'object',
    (value, name) => new Set((value as readonly string[]).flatMap((text) => readRequirements(text, name))),
  ),
};

export const day: ValueType<number> = {
  read: readTime,
  program: given('Date', 'object', (value, name) => {
    const at = value instanceof Date ? value.getTime() : Number.NaN;
    if (Number.isNaN(at)) throw new UsageError(`${name} takes a date that exists.`);
    return at;
  }),
};

/** A waiver as a program gives it. */
export type ListedWaiver = Waiver & { readonly id: RequirementId };

export const waiverFile: ValueType<Waivers> = {
  read: readWaivers,
  program: { type: 'readonly ListedWaiver[]', read: (value, name) => readWaiverList(value, name) },
};
