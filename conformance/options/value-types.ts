/** The types of option values: how each is read from a text, and how a program gives it to `judge()`. */

import type { RequirementId } from '../../spec/requirements.ts';
import { isSecretName } from '../http/secret-names.ts';
import { UsageError } from '../run/usage-error.ts';
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
  wholeNumber,
} from './readers.ts';
import { readWaiverList } from './waivers.ts';

/** How a program gives a value. */
export interface ProgramForm {
  /** Its type in TypeScript. */
  readonly type: string;
  /** The texts that a user would write for it; undefined for a value of another type. */
  readonly toTexts: (value: unknown) => readonly string[] | undefined;
  /** Reads such a text, where a program counts in another unit. */
  readonly read?: Reader<unknown>;
}

export interface ValueType<Value> {
  /** Reads the text of a command line, a variable or a configuration file. */
  readonly read: Reader<Value>;
  /** Reads the content of the YAML file that the text names, or of the same form what a program gives. */
  readonly readContent?: (content: unknown, place: string) => Value;
  /** The unit of the text, for the help. */
  readonly unit?: string;
  /** Absent where only a command line has a use for the option. */
  readonly program?: ProgramForm;
  /** The part of a text that --print-config shows; all of it where undefined. */
  readonly show?: (text: string) => string;
  /** Set where the flag takes no value. */
  readonly isSwitch?: true;
}

export type SwitchType = ValueType<boolean> & { readonly isSwitch: true };

/** The form of a value that is one string, number or boolean. */
function plain(expected: 'string' | 'number' | 'boolean', type: string = expected): ProgramForm {
  return { type, toTexts: (value) => (typeof value === expected ? [String(value)] : undefined) };
}

/** A value that only a command line gives. */
export function onLine<Value>(read: Reader<Value>): ValueType<Value> {
  return { read };
}

/** A value that a program gives as the text that a command line would have. */
export function textual<Value>(read: Reader<Value>, type = 'string'): ValueType<Value> {
  return { read, program: plain('string', type) };
}

/** A text that only a command line gives, such as the name of a file. */
export const lineText: ValueType<string> = { read: readText };

export const text: ValueType<string> = textual(readText);

export function choice<Name extends string>(names: readonly Name[]): ValueType<Name> {
  return textual(oneOf(names), names.map((name) => `'${name}'`).join(' | '));
}

export function integer(least: number, most?: number): ValueType<number> {
  return { read: wholeNumber(least, most), program: plain('number') };
}

/** Seconds on the command line, milliseconds in a program and in the value. */
export function duration(least: number, most: number): ValueType<number> {
  const readSeconds = wholeNumber(least, most);
  return {
    read: (text, label) => readSeconds(text, label) * 1000,
    unit: 'seconds',
    program: { ...plain('number'), read: wholeNumber(0, most * 1000) },
  };
}

export const toggle: SwitchType = { read: readSwitch, isSwitch: true, program: plain('boolean') };

export const int64: ValueType<bigint> = {
  read: readInt64,
  program: {
    type: 'readonly (number | bigint)[]',
    // A number beyond 2^53 has lost digits already.
    toTexts: (value) =>
      Array.isArray(value) && value.every((id) => typeof id === 'bigint' || Number.isSafeInteger(id))
        ? value.map(String)
        : undefined,
  },
};

export const header: ValueType<readonly [name: string, value: string]> = {
  read: readHeader,
  show: (given) => (isSecretName(given.split(':')[0]!) ? given.replace(/:.*/s, ': (not shown)') : given),
  program: {
    type: 'Readonly<Record<string, string>>',
    toTexts: (value) =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).map(([name, text]) => `${name}: ${text}`)
        : undefined,
  },
};

export const requirementIds: ValueType<readonly RequirementId[]> = {
  read: readRequirements,
  program: {
    type: 'readonly string[]',
    toTexts: (value) => (Array.isArray(value) ? value.map(String) : undefined),
  },
};

export const day: ValueType<number> = {
  read: readTime,
  program: {
    type: 'Date',
    toTexts: (value) => (value instanceof Date && !Number.isNaN(value.getTime()) ? [value.toISOString()] : undefined),
  },
};

/** A waiver as a program gives it. */
export type ListedWaiver = Waiver & { readonly id: RequirementId };

function readContentInstead(): never {
  throw new Error('The content of the file is read, not its name.');
}

export const waiverFile: ValueType<Waivers> = {
  read: readContentInstead,
  readContent: readWaiverList,
  program: { type: 'readonly ListedWaiver[]', toTexts: () => undefined },
};

/** Reads what a program gives for an option; `gather` makes one value of several. Throws a UsageError. */
export function readFromProgram(type: ValueType<unknown>, name: string, value: unknown): readonly unknown[] {
  if (type.readContent !== undefined) return [type.readContent(value, name)];
  const { program } = type;
  const texts = program?.toTexts(value);
  if (texts === undefined) throw new UsageError(`${name} must be of the type ${program?.type}.`);
  return texts.map((text) => (program?.read ?? type.read)(text, name));
}
