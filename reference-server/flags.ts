/** Reads what the flags of petstore-server hold; each reader throws a RangeError with a sentence for a user. */

import { readFileSync } from 'node:fs';
import type { GapChoices } from '../spec/gaps.ts';
import { readGapFile } from './gap-file.ts';
import type { ApiKey } from './keys.ts';
import type { Latency } from './weather.ts';

const decimal = /^\d+(\.\d+)?$/;

export function readNumber(flag: string, text: string, least: number, most: number): number {
  const number = decimal.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new RangeError(`--${flag} takes a number from ${least} to ${most}, not "${text}".`);
}

export function readWhole(flag: string, text: string, most: number): number {
  if (Number.isInteger(Number(text))) return readNumber(flag, text, 0, most);
  throw new RangeError(`--${flag} takes a whole number, not "${text}".`);
}

/** Milliseconds, `80` or `80±40`; `+-` is the same sign on a keyboard that lacks it. */
export function readLatency(text: string): Latency {
  const [, ms = '', jitterMs = '0'] = /^(\d{1,6})(?:(?:±|\+-|\+\/-)(\d{1,6}))?$/.exec(text) ?? [];
  if (ms !== '') return { ms: Number(ms), jitterMs: Number(jitterMs) };
  throw new RangeError(`--latency takes milliseconds like 80 or 80±40, not "${text}".`);
}

/** An instant as Unix milliseconds; one without a zone would be another for each reader. */
export function readInstant(text: string): number {
  const at = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new RangeError(`--clock takes an instant like 2030-12-04T23:59:50Z, not "${text}".`);
}

function readFile(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new RangeError(`The file "${path}" of --${flag} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** What a JSON file with keys in it holds: no message may show a piece of it. */
function readKeyList(path: string): unknown {
  const text = readFile('keys', path);
  try {
    return JSON.parse(text);
  } catch {
    throw new RangeError(`The file "${path}" of --keys is not JSON.`);
  }
}

export function readKeysFile(path: string): readonly ApiKey[] {
  const list = readKeyList(path);
  const isKey = (entry: unknown): boolean =>
    typeof entry === 'object' && entry !== null && 'key' in entry && typeof entry.key === 'string' && 'plan' in entry;
  if (Array.isArray(list) && list.length > 0 && list.every(isKey)) return list as ApiKey[];
  throw new RangeError(`The file "${path}" of --keys must be a JSON array of {"key": "…", "plan": "…"}.`);
}

export function readGaps(path: string): Partial<GapChoices> {
  const text = readFile('gaps', path);
  try {
    return readGapFile(text);
  } catch (error) {
    throw new RangeError(`The file "${path}" of --gaps cannot be used: ${(error as Error).message}.`);
  }
}
