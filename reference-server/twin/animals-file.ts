/** Reads the animals of a file, JSON or YAML: a list of {name, categoryId, status}. */

import { parse as parseYaml } from 'yaml';
import { isPetStatus, type NewPet } from '../index.ts';

function isInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
}

function readAnimal(value: unknown, at: number): NewPet {
  const problem = (text: string): RangeError => new RangeError(`animal ${at + 1} ${text}`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw problem('is not an object');
  const { name, categoryId, status, ...more } = value as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || !name.isWellFormed()) throw problem('needs a name, a string');
  if (!isInt64(categoryId)) throw problem('needs a categoryId, an integer of 64 bits');
  if (status !== undefined && !isPetStatus(status))
    throw problem('has a status other than available, pending and sold');
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw problem(`has the unknown field ${JSON.stringify(unknown.slice(0, 50))}`);
  return status === undefined ? { name, categoryId } : { name, categoryId, status };
}

/** parseJson bounds what clients send; a file of the user may hold more. */
function parseJsonFile(text: string): unknown {
  const revive = (_field: string, value: unknown, { source = '' }: { source?: string } = {}): unknown =>
    typeof value === 'number' && /^-?\d+$/.test(source) ? BigInt(source) : value;
  return JSON.parse(text, revive as (field: string, value: unknown) => unknown);
}

/** A long list is written as JSON: for some YAML the time to parse it grows with the square of its length, bytes. */
const largestYaml = 1024 * 1024;

function parseYamlFile(text: string): unknown {
  if (text.length > largestYaml) throw new RangeError('YAML of more than 1 MiB takes long to read');
  // A pretty error takes long to find in a text with many errors.
  return parseYaml(text, { intAsBigInt: true, prettyErrors: false });
}

function parse(text: string): unknown {
  const plain = text.replace(/^\ufeff/, '');
  return /^\s*\[/.test(plain) ? parseJsonFile(plain) : parseYamlFile(plain);
}

/** The animals of a text; throws a RangeError that says what is wrong with it. */
export function readAnimals(text: string): readonly NewPet[] {
  let list: unknown;
  try {
    list = parse(text);
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    throw new RangeError(`it is neither JSON nor YAML (${line.slice(0, 100)})`);
  }
  if (Array.isArray(list)) return list.map(readAnimal);
  throw new RangeError('it must be a list of animals');
}
