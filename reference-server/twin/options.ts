/** Checks what a file or a program gives to a server, by one table of readers: all of them throw RangeErrors. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../conformance/http/json.ts';
import { suggest } from '../../conformance/options/suggest.ts';
import { rawJSON } from '../answer.ts';
import { type ApiKey, type NewPet, type Plan, plans, readNewPet } from '../index.ts';

/** Says what is wrong with a value, as the end of a sentence; undefined if nothing is. */
export type OptionCheck = (value: unknown) => string | undefined;

const longestText = 50;

/** A value in a sentence. A text is shown, since a misspelt name helps; anything else by its type. */
function shownValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, longestText));
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : `a value of the type ${typeof value}`;
}

/** A check by a predicate; `expected` follows "takes". */
function takes(expected: string, isRight: (value: unknown) => boolean): OptionCheck {
  return (value) => (isRight(value) ? undefined : `takes ${expected}, not ${shownValue(value)}`);
}

export const takesFunction = takes('a function', (value) => typeof value === 'function');
export const takesText = takes('a text', (value) => typeof value === 'string' && value !== '');
export const takesSwitch = takes('true or false', (value) => typeof value === 'boolean');
export const takesObject = takes('an object', (value) => isJsonObject(value as JsonValue));

export function takesWholeNumber(most: number): OptionCheck {
  const isWithin = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most;
  return takes(`a whole number from 0 to ${most}`, isWithin);
}

function isFault(value: unknown): boolean {
  return isJsonObject(value as JsonValue) && typeof (value as { wrap?: unknown }).wrap === 'function';
}

export const takesFault = takes("a fault, as findFault('ID') of petstore-conformance/faults", isFault);

/** Names the entry that is no fault. */
export const takesFaults: OptionCheck = (value) => {
  if (!Array.isArray(value)) return `takes a list of faults, not ${shownValue(value)}`;
  return value.map(takesFault).find((complaint) => complaint !== undefined);
};

/** The check of a list by its reader. A key is never shown. */
export function takesListOf(read: (list: JsonValue) => unknown): OptionCheck {
  return (value) => {
    try {
      read(value as JsonValue);
      return undefined;
    } catch (error) {
      if (error instanceof RangeError) return `cannot be used: ${error.message.replace(/\.$/, '')}`;
      throw error;
    }
  };
}

/** Throws a RangeError for the first option that is unknown, or whose value its check refuses; undefined is left out. */
export function checkOptions(options: object, checks: Readonly<Record<string, OptionCheck>>): void {
  if (!isJsonObject(options as JsonValue))
    throw new RangeError(`The options are an object, not ${shownValue(options)}.`);
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined) {
      throw new RangeError(`There is no option ${shownValue(name)}.${suggest(name, Object.keys(checks))}`);
    }
    const complaint = value === undefined ? undefined : check(value);
    if (complaint !== undefined) throw new RangeError(`${name} ${complaint}.`);
  }
}

/** Reads a list of entries with some fields; `read` says what is wrong with one, without its values, since one may be a key. */
function readList<Entry extends object>(
  list: JsonValue,
  known: readonly string[],
  read: (fields: JsonObject) => Entry | string,
): readonly Entry[] {
  if (!Array.isArray(list)) throw new RangeError('it must be a list');
  return list.map((fields: JsonValue, at) => {
    const hasKnown = isJsonObject(fields) && Object.keys(fields).every((name) => known.includes(name));
    const entry = hasKnown ? read(fields) : `It has other fields than ${known.join(', ')}.`;
    if (typeof entry === 'string') throw new RangeError(`entry ${at + 1}: ${entry}`);
    return entry;
  });
}

const readKey = ({ key, plan, ...numbers }: JsonObject): ApiKey | string => {
  if (typeof key !== 'string' || !/^[!-~]{1,256}$/.test(key)) return 'A key has 1 to 256 visible ASCII characters.';
  if (typeof plan !== 'string' || !Object.hasOwn(plans, plan)) return `The plans are ${Object.keys(plans).join(', ')}.`;
  const limits = Object.entries(numbers).map(([name, count]) => [name, Number(count)] as const);
  if (!limits.every(([, count]) => Number.isInteger(count) && count >= 1)) return 'Limits are whole numbers from 1.';
  return { key, plan: plan as Plan, ...Object.fromEntries(limits) };
};

const readAnimal = ({ categoryId: id, ...fields }: JsonObject): NewPet | string =>
  readNewPet({ ...fields, categoryId: typeof id === 'bigint' ? rawJSON(String(id)) : id });

export const readKeys = (list: JsonValue): readonly ApiKey[] =>
  readList(list, ['key', 'plan', 'perMinute', 'perDay'], readKey);
export const readAnimals = (list: JsonValue): readonly NewPet[] =>
  readList(list, ['name', 'categoryId', 'status'], readAnimal);
