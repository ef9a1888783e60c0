/** Reads and writes what a user names: files, and the standard output. */

import {
  accessSync,
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { refusal } from './refusals.ts';
import { UsageError } from './usage-error.ts';

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
    throw new UsageError(`${refusal(`${what} ${file}`, 'read', error)}.${hint}`);
  }
  throw new UsageError(`${file} is larger than ${largest} bytes.`);
}

/** As mkdirSync makes folders, which never returns where none can be made within another, such as in /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

function cannotBeWritten(what: string, error: unknown): UsageError {
  return new UsageError(`${refusal(what, 'written', error)}.`);
}

/** Makes the folders of a file and opens it, leaving what it holds; throws a UsageError where that fails. */
export function checkWritable(file: string): void {
  try {
    makeFolder(dirname(file));
    closeSync(openSync(file, 'a'));
  } catch (error) {
    throw cannotBeWritten(file, error);
  }
}

/** Makes a folder with those that it lies in; throws a UsageError where it cannot be made. */
export function openFolder(folder: string): void {
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw cannotBeWritten(folder, error);
  }
}

/** Throws a UsageError where the disk is full, or the file cannot be written for another reason. */
export function writeText(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw cannotBeWritten(file, error);
  }
}

/** The same behind what the file holds already. */
export function appendText(file: string, text: string): void {
  try {
    appendFileSync(file, text);
  } catch (error) {
    throw cannotBeWritten(file, error);
  }
}

/** Writes to standard output; rejects with a UsageError where its reader has gone or the disk is full. */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (error) reject(cannotBeWritten('The standard output', error));
      else resolve();
    });
  });
}
