/** Reads the files of the command: keys, answers to gaps, animals. Each reader throws a RangeError for the user. */

import { defined } from '../../spec/defined.ts';
import type { GapChoices } from '../../spec/gaps.ts';
import { type ApiKey, isPetStatus, type NewPet, type Plan, plans } from '../index.ts';
import { createTwin } from './gaps.ts';

/** Reads the value of a YAML file, with integers as bigints; `what` begins the sentence of an error. */
export type ReadYaml = (path: string, what: string) => Promise<unknown>;

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

/** The answers to gaps of a file. */
export function readGaps(gaps: unknown): Partial<GapChoices> {
  if (!isFields(gaps)) throw new RangeError('it must have a line "gap: answer" for each gap');
  createTwin({ gaps });
  return gaps;
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads each entry of a list; `read` returns what is wrong with an entry as text. */
function readList<Entry extends object>(
  list: unknown,
  what: string,
  read: (fields: Fields) => Entry | string,
): readonly Entry[] {
  if (!Array.isArray(list) || list.length === 0) throw new RangeError(`it must be a list of ${what}s`);
  return list.map((fields: unknown, at) => {
    const entry = isFields(fields) ? read(fields) : 'is not an object';
    if (typeof entry === 'object') return entry;
    throw new RangeError(`${what} ${at + 1} ${entry}`);
  });
}

function unknownField(fields: Fields): string | undefined {
  const [name] = Object.keys(fields);
  return name === undefined ? undefined : `has the unknown field ${JSON.stringify(name.slice(0, 50))}`;
}

/** Integers are bigints in these files. */
const isInt64 = (value: unknown): value is bigint => typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
const isCount = (value: unknown): boolean =>
  value === undefined || (isInt64(value) && value >= 1n && value <= 2n ** 53n);

/** The keys of a file. No message may show a piece of one. */
export function readKeys(list: unknown): readonly ApiKey[] {
  return readList(list, 'key', ({ key, plan, perMinute, perDay, ...more }) => {
    if (typeof key !== 'string' || !/^[!-~]{1,256}$/.test(key))
      return 'needs a key of 1 to 256 visible ASCII characters';
    if (typeof plan !== 'string' || !Object.hasOwn(plans, plan))
      return `needs a plan: ${Object.keys(plans).join(', ')}`;
    const isCustom = plan === 'enterprise' && (perMinute === undefined || perDay === undefined);
    if (isCustom || !isCount(perMinute) || !isCount(perDay))
      return 'needs perMinute and perDay as whole numbers from 1; only an enterprise key must have both';
    const [minute, day] = [perMinute, perDay].map((count) => (count === undefined ? undefined : Number(count)));
    return unknownField(more) ?? { key, plan: plan as Plan, ...defined({ perMinute: minute, perDay: day }) };
  });
}

/** The animals of a file. */
export function readAnimals(list: unknown): readonly NewPet[] {
  return readList(list, 'animal', ({ name, categoryId, status, ...more }) => {
    if (typeof name !== 'string' || !name.isWellFormed()) return 'needs a name, a string';
    if (!isInt64(categoryId)) return 'needs a categoryId, an integer of 64 bits';
    if (status !== undefined && !isPetStatus(status)) return 'has a status other than available, pending and sold';
    return unknownField(more) ?? { name, categoryId, status };
  });
}
