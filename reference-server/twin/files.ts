/** Reads the files of the command: keys, answers to gaps, animals. Each reader throws a RangeError for the user. */

import { defined } from '../../spec/defined.ts';
import type { GapChoices } from '../../spec/gaps.ts';
import { rawJSON } from '../answer.ts';
import { type ApiKey, type NewPet, type Plan, plans, readNewPet } from '../index.ts';
import { createTwin } from './gaps.ts';

/** Reads the value of a YAML file, with integers as bigints; `what` begins the sentence of an error. */
export type ReadYaml = (path: string, what: string) => Promise<unknown>;
type Fields = Readonly<Record<string, unknown>>;

/** Reads the file of a flag; the error names the file. */
export async function readFileOf<Value>(
  flag: string,
  path: string,
  readYaml: ReadYaml,
  read: (value: unknown) => Value,
): Promise<Value> {
  const value = await readYaml(path, `The file of --${flag}`);
  try {
    return read(value);
  } catch (error) {
    const reason = (error as Error).message.replace(/\.$/, '');
    throw new RangeError(`The file ${JSON.stringify(path)} of --${flag} cannot be used: ${reason}.`);
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a list of entries with some fields; `read` says what is wrong with one, without its values, since one may be a key. */
function readList<Entry extends object>(
  list: unknown,
  known: readonly string[],
  read: (fields: Fields) => Entry | string,
): readonly Entry[] {
  if (!Array.isArray(list)) throw new RangeError('it must be a list');
  return list.map((fields: unknown, at) => {
    const hasKnown = isFields(fields) && Object.keys(fields).every((name) => known.includes(name));
    const entry = hasKnown ? read(fields) : `It has other fields than ${known.join(', ')}.`;
    if (typeof entry === 'string') throw new RangeError(`entry ${at + 1}: ${entry}`);
    return entry;
  });
}

/** The keys of a file. */
export function readKeys(list: unknown): readonly ApiKey[] {
  return readList(list, ['key', 'plan', 'perMinute', 'perDay'], ({ key, plan, perMinute, perDay }) => {
    if (typeof key !== 'string' || !/^[!-~]{1,256}$/.test(key)) return 'A key has 1 to 256 visible ASCII characters.';
    if (typeof plan !== 'string' || !Object.hasOwn(plans, plan))
      return `The plans are ${Object.keys(plans).join(', ')}.`;
    const numbers = [perMinute, perDay].map((count) => (count === undefined ? undefined : Number(count)));
    const isWrong = (count: number | undefined): boolean =>
      count === undefined ? plan === 'enterprise' : !Number.isInteger(count) || count < 1;
    if (numbers.some(isWrong)) return 'perMinute and perDay are whole numbers from 1; an enterprise key has both.';
    return defined({ key, plan: plan as Plan, perMinute: numbers[0], perDay: numbers[1] });
  });
}

/** The animals of a file. */
export function readAnimals(list: unknown): readonly NewPet[] {
  return readList(list, ['name', 'categoryId', 'status'], ({ categoryId, ...fields }) =>
    readNewPet({ ...fields, categoryId: typeof categoryId === 'bigint' ? rawJSON(String(categoryId)) : categoryId }),
  );
}

/** The answers to gaps of a file. */
export function readGaps(gaps: unknown): Partial<GapChoices> {
  if (!isFields(gaps)) throw new RangeError('it must have a line "gap: answer" for each gap');
  createTwin({ gaps });
  return gaps;
}
