/** Reads a file that a user names. */

import { readFileSync, statSync } from 'node:fs';
import { UsageError } from './configuration.ts';

/** What the file is, for the sentence that says why it cannot be read. */
export interface Expected {
  /** How the sentence begins, before the name of the file. */
  readonly what: string;
  /** Bytes. */
  readonly largest: number;
  /** What stands behind the reason. */
  readonly hint?: string;
}

/** The text of a file; throws a UsageError where there is none, or too much of it. */
export function readText(file: string, { what, largest, hint = '' }: Expected): string {
  let size: number;
  try {
    size = statSync(file).size;
    if (size <= largest) return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${what} ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.${hint}`);
  }
  throw new UsageError(`${file} is larger than ${largest} bytes.`);
}
