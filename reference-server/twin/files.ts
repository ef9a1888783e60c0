/** Reads the files of the command: keys, answers to gaps, animals. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../conformance/http/json.ts';
import type { GapChoices } from '../../spec/gaps.ts';
import { rawJSON } from '../answer.ts';
import { type ApiKey, type NewPet, type Plan, plans, readNewPet } from '../index.ts';
import { createTwin } from './gaps.ts';

/** Reads the value of a YAML file, with integers as bigints; `what` begins the sentence of an error. */
export type ReadYaml = (path: string, what: string) => Promise<unknown>;

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

function readGaps(gaps: JsonValue): Partial<GapChoices> {
  if (!isJsonObject(gaps)) throw new RangeError('it must have a line "gap: answer" for each gap');
  createTwin({ gaps });
  return gaps;
}

const readers = {
  keys: (list: JsonValue) => readList(list, ['key', 'plan', 'perMinute', 'perDay'], readKey),
  gaps: readGaps,
  animals: (list: JsonValue) => readList(list, ['name', 'categoryId', 'status'], readAnimal),
};
/** The flags that take the path of a file. */
export type FileFlag = keyof typeof readers;

/** Reads the file of a flag; throws a RangeError for the user, which names the file. */
export async function readFileOf<Flag extends FileFlag>(flag: Flag, path: string, readYaml: ReadYaml) {
  const value = (await readYaml(path, `The file of --${flag}`)) as JsonValue;
  try {
    return readers[flag](value) as ReturnType<(typeof readers)[Flag]>;
  } catch (error) {
    const reason = (error as Error).message.replace(/\.$/, '');
    throw new RangeError(`The file ${JSON.stringify(path)} of --${flag} cannot be used: ${reason}.`);
  }
}
