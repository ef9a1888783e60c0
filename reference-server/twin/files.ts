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

type Fields = Readonly<Record<string, unknown>>;
/** Field → whether a value of it is valid, and what is wrong otherwise. */
type Checks = Readonly<
  Record<string, readonly [isValid: (value: unknown, entry: Fields) => boolean, complaint: string]>
>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Checks each entry of a list. No message may show a value, which could be a key. */
function readList(list: unknown, what: string, checks: Checks): readonly Fields[] {
  if (!Array.isArray(list) || list.length === 0) throw new RangeError(`it must be a list of ${what}s`);
  return list.map((entry: unknown, at) => {
    if (!isFields(entry)) throw new RangeError(`${what} ${at + 1} is not an object`);
    const [, complaint] = Object.entries(checks).find(([name, [isValid]]) => !isValid(entry[name], entry))?.[1] ?? [];
    if (complaint !== undefined) throw new RangeError(`${what} ${at + 1} ${complaint}`);
    const unknown = Object.keys(entry).find((name) => !Object.hasOwn(checks, name));
    if (unknown === undefined) return entry;
    throw new RangeError(`${what} ${at + 1} has the unknown field ${JSON.stringify(unknown.slice(0, 50))}`);
  });
}

/** Integers are bigints in these files. */
const isInt64 = (value: unknown): value is bigint => typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
const isOneOf = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value);
const count: Checks[string] = [
  (value, { plan }) =>
    value === undefined ? plan !== 'enterprise' : isInt64(value) && value >= 1n && value <= 2n ** 53n,
  'needs perMinute and perDay as whole numbers from 1; only an enterprise key must have both',
];

/** The keys of a file. */
export function readKeys(list: unknown): readonly ApiKey[] {
  const ofKeys = readList(list, 'key', {
    key: [(value) => isOneOf(value, /^[!-~]{1,256}$/), 'needs a key of 1 to 256 visible ASCII characters'],
    plan: [(value) => Object.keys(plans).includes(value as string), `needs a plan: ${Object.keys(plans).join(', ')}`],
    perMinute: count,
    perDay: count,
  });
  const toNumber = (value: unknown): number | undefined => (value === undefined ? undefined : Number(value));
  return ofKeys.map(({ key, plan, perMinute, perDay }) =>
    defined({ key: key as string, plan: plan as Plan, perMinute: toNumber(perMinute), perDay: toNumber(perDay) }),
  );
}

/** The animals of a file. */
export function readAnimals(list: unknown): readonly NewPet[] {
  return readList(list, 'animal', {
    name: [(value) => typeof value === 'string' && value.isWellFormed(), 'needs a name, a string'],
    categoryId: [isInt64, 'needs a categoryId, an integer of 64 bits'],
    status: [
      (value) => value === undefined || isPetStatus(value),
      'has a status other than available, pending and sold',
    ],
  }) as unknown as readonly NewPet[];
}

/** The answers to gaps of a file. */
export function readGaps(gaps: unknown): Partial<GapChoices> {
  if (!isFields(gaps)) throw new RangeError('it must have a line "gap: answer" for each gap');
  createTwin({ gaps });
  return gaps;
}
