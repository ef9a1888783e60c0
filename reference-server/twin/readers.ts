/** Reads the values of the command's flags; each reader throws a RangeError with one sentence for the user. */

import { readFileSync, statSync } from 'node:fs';
import type { GapChoices } from '../../spec/gaps.ts';
import { type ApiKey, createPetStore, type NewPet } from '../index.ts';
import { readGapFile } from './gap-choices.ts';
import type { Latency } from './network-conditions.ts';

const decimal = /^\d+(\.\d+)?$/;

/** A value of the user in quotes, cut so that the sentence stays short. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

export function readNumber(flag: string, text: string, least: number, most: number): number {
  const number = decimal.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new RangeError(`--${flag} takes a number from ${least} to ${most}, not ${quote(text)}.`);
}

export function readWhole(flag: string, text: string, most: number): number {
  if (Number.isInteger(Number(text))) return readNumber(flag, text, 0, most);
  throw new RangeError(`--${flag} takes a whole number, not ${quote(text)}.`);
}

/** Milliseconds as `80` or `80±40`; a keyboard without ± writes `+-`. */
export function readLatency(text: string): Latency {
  const [, ms = '', jitterMs = '0'] = /^(\d{1,6})(?:(?:±|\+-|\+\/-)(\d{1,6}))?$/.exec(text) ?? [];
  if (ms !== '') return { ms: Number(ms), jitterMs: Number(jitterMs) };
  throw new RangeError(`--latency takes milliseconds like 80 or 80±40, not ${quote(text)}.`);
}

/** An instant in Unix milliseconds. It needs a zone, since without one each reader would understand another instant. */
export function readInstant(text: string): number {
  const at = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new RangeError(`--clock takes an instant like 2030-12-04T23:59:50Z, not ${quote(text)}.`);
}

/** The largest file that is read, in bytes: a file of 100,000 keys fits. */
const mostBytes = 64 * 2 ** 20;

/** The origin of a page, such as http://localhost:5173. */
export function readOrigin(text: string): string {
  if (text === '*' || (URL.canParse(text) && new URL(text).origin === text)) return text;
  throw new RangeError(`--cors takes an origin like http://localhost:5173, or *, not ${quote(text)}.`);
}

function readFile(flag: string, path: string): string {
  let size: number;
  try {
    const stats = statSync(path);
    size = stats.isFile() ? stats.size : Number.NaN;
    if (size <= mostBytes) return readFileSync(path, 'utf8');
  } catch (error) {
    throw new RangeError(
      `The file ${quote(path)} of --${flag} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
  const reason = Number.isNaN(size) ? 'is not a file' : `is larger than ${mostBytes / 2 ** 20} MiB`;
  throw new RangeError(`The file ${quote(path)} of --${flag} ${reason}.`);
}

function isKey(entry: unknown): boolean {
  return (
    typeof entry === 'object' && entry !== null && 'key' in entry && typeof entry.key === 'string' && 'plan' in entry
  );
}

/** Reads the text of a file; a RangeError of the reader becomes a sentence that names the file. */
function readFileWith<Value>(flag: string, path: string, read: (text: string) => Value): Value {
  const text = readFile(flag, path);
  try {
    return read(text);
  } catch (error) {
    const reason = (error as Error).message.replace(/\.$/, '');
    throw new RangeError(`The file ${quote(path)} of --${flag} cannot be used: ${reason}.`);
  }
}

/** Reads a JSON file of keys. No message may show a piece of it. */
export function readKeysFile(path: string): readonly ApiKey[] {
  return readFileWith('keys', path, (text) => {
    let list: unknown;
    try {
      list = JSON.parse(text);
    } catch {
      throw new RangeError('it is not JSON');
    }
    if (!Array.isArray(list) || list.length === 0 || !list.every(isKey)) {
      throw new RangeError('it must be a JSON array of {"key": "…", "plan": "…"}');
    }
    createPetStore({ keys: list });
    return list;
  });
}

export function readGapsFile(path: string): Partial<GapChoices> {
  return readFileWith('gaps', path, (text) => {
    const gaps = readGapFile(text);
    createPetStore({ gaps });
    return gaps;
  });
}

/** Loads the reader on demand, since it brings a library for YAML. */
export async function readAnimalsFile(path: string): Promise<readonly NewPet[]> {
  const { readAnimals } = await import('./animals-file.ts');
  return readFileWith('animals', path, readAnimals);
}
