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
  /** Absent where only a command line has a use for the option. */
  readonly program?: ProgramForm;
  /** Set where the flag takes no value. */
  readonly isSwitch?: true;
}

export type SwitchType = ValueType<boolean> & { readonly isSwitch: true };

function checkType(value: unknown, name: string, type: 'string' | 'number' | 'boolean' | 'object'): void {
  if (typeof value !== type || value === null) {
    throw new UsageError(`${name} takes ${type === 'object' ? 'an object' : `a ${type}`}.`);
  }
  if (typeof value !== 'number' || (Number.isSafeInteger(value) && value >= 0)) return;
  throw new UsageError(`${name} takes a whole number, not ${value}.`);
}

/** A value that a program gives as the text that a command line would have. */
function asText<Value>(read: Reader<Value>, type = 'string'): ValueType<Value> {
  const readValue = (value: unknown, name: string): Value => {
    checkType(value, name, 'string');
    return read(value as string, name);
  };
  return { read, program: { type, read: readValue } };
}

/** A text that only a command line gives, such as the name of a file or of a variable. */
export const commandLineText: ValueType<string> = { read: readText };

export function onCommandLine<Value>(read: Reader<Value>): ValueType<Value> {
  return { read };
}

export const plainText: ValueType<string> = asText(readText);

export function addressAs(read: Reader<string>): ValueType<string> {
  return asText(read);
}

export function choice<Name extends string>(names: readonly Name[]): ValueType<Name> {
  return asText(oneOf(names), names.map((name) => `'${name}'`).join(' | '));
}

export function integer(least: number, most?: number): ValueType<number> {
  const read = wholeNumber(least, most);
  const readValue = (value: unknown, name: string): number => {
    checkType(value, name, 'number');
    return read(String(value), name);
  };
  return { read, program: { type: 'number', read: readValue, showDefault: (text) => text } };
}

/** Seconds on the command line, milliseconds in a program and in the value. */
export function duration(least: number, most: number): ValueType<number> {
  const readMs = wholeNumber(0, most * 1000);
  const readValue = (value: unknown, name: string): number => {
    checkType(value, name, 'number');
    return readMs(String(value), name);
  };
  const showDefault = (text: string): string => String(Number(text) * 1000);
  return { read: seconds(least, most), unit: 'seconds', program: { type: 'number', read: readValue, showDefault } };
}

export const toggle: SwitchType = {
  read: readSwitch,
  isSwitch: true,
  program: {
    type: 'boolean',
    read: (value, name) => {
      checkType(value, name, 'boolean');
      return value;
    },
  },
};

/** A switch that says how the command line shows something. */
export const commandLineToggle: SwitchType = { read: readSwitch, isSwitch: true };

export const int64: ValueType<bigint> = {
  read: readInt64,
  program: {
    type: 'readonly (number | bigint)[]',
    read: (value, name) => {
      checkType(value, name, 'object');
      return (value as readonly (number | bigint)[]).map((id) => {
        if (typeof id !== 'number' || Number.isSafeInteger(id)) return readInt64(String(id), name);
        throw new UsageError(`${name} takes integers, and a bigint beyond 2^53, not ${id}.`);
      });
    },
  },
};

export const header: ValueType<readonly [name: string, value: string]> = {
  read: readHeader,
  program: {
    type: 'Readonly<Record<string, string>>',
    read: (value, name) => {
      checkType(value, name, 'object');
      const pairs = Object.entries(value as Readonly<Record<string, string>>);
      return Object.fromEntries(pairs.map(([field, text]) => readHeader(`${field}: ${text}`, shown(field))));
    },
  },
};

export const requirementIds: ValueType<readonly RequirementId[]> = {
  read: readRequirements,
  program: {
    type: 'readonly string[]',
    read: (value, name) => {
      checkType(value, name, 'object');
      return new Set((value as readonly string[]).flatMap((text) => readRequirements(text, name)));
    },
  },
};

export const day: ValueType<number> = {
  read: readTime,
  program: {
    type: 'Date',
    read: (value, name) => {
      checkType(value, name, 'object');
      const at = value instanceof Date ? value.getTime() : Number.NaN;
      if (Number.isNaN(at)) throw new UsageError(`${name} takes a date that exists.`);
      return at;
    },
  },
};

/** A waiver as a program gives it. */
export type ListedWaiver = Waiver & { readonly id: RequirementId };

export const waiverFile: ValueType<Waivers> = {
  read: readWaivers,
  program: { type: 'readonly ListedWaiver[]', read: (value, name) => readWaiverList(value, name) },
};
