/** Reads and writes the files that a user names, and the standard output. */

import { createReadStream, existsSync, realpathSync, statSync } from 'node:fs';
import { access, constants, mkdir, stat, writeFile } from 'node:fs/promises';
import { constants as machine } from 'node:os';
import { dirname, resolve } from 'node:path';
// A named import would end Node 20 with a syntax error before the command can say that it needs a newer one.
import util from 'node:util';
import { shown } from '../options/readers.ts';
import { UsageError } from '../run/usage-error.ts';

const longestSubject = 200;

/** A sentence without its full stop, such as `x cannot be written: no space left on device (ENOSPC)`. */
export function refusal(subject: string, action: 'read' | 'written' | 'started', error: unknown): string {
  const { code = 'no code' } = error as NodeJS.ErrnoException;
  const number = (machine.errno as Readonly<Record<string, number>>)[code];
  const why = number === undefined ? code : `${util.getSystemErrorMessage(-number)} (${code})`;
  return `${shown(subject, longestSubject)} cannot be ${action}: ${why}`;
}

/** Milliseconds after which a pipe is given up. */
const longestWaitMs = 10_000;

/**
 * What is read: how a sentence on it begins, before the name of the file, and ends, behind the reason; and the most bytes
 * that it may have.
 */
interface Expected {
  readonly what: string;
  readonly hint?: string;
  readonly largest: number;
}

/** All bytes of a file or pipe, however many its size claims; undefined where there are more than `largest`. */
async function readAll(file: string, largest: number): Promise<Buffer | undefined> {
  const stats = await stat(file);
  // A device may never end.
  const code = stats.isDirectory() ? 'EISDIR' : 'ENODEV';
  if (!stats.isFile() && !stats.isFIFO()) throw Object.assign(new Error(code), { code });
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of createReadStream(file, { signal: AbortSignal.timeout(longestWaitMs) })) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > largest) return undefined;
  }
  return Buffer.concat(chunks);
}

/** The text of a file or of a pipe; rejects with a UsageError where there is none, or too much of it. */
export async function readText(file: string, { what, largest, hint = '' }: Expected): Promise<string> {
  const bytes = await readAll(file, largest).catch((error: unknown) => {
    throw new UsageError(`${refusal(`${what} ${file}`, 'read', error)}.${hint}`);
  });
  if (bytes !== undefined) return bytes.toString('utf8');
  throw new UsageError(`${file} is larger than ${largest} bytes.`);
}

/** Makes a folder and those above it. Unlike `recursive` of mkdir it ends where none can be made, as in /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await makeFolder(dirname(folder));
  await mkdir(folder);
}

/** Rejects with a UsageError where the disk is full, or nothing can be written for another reason. */
async function orRefuse(what: string, act: () => Promise<void>): Promise<void> {
  await act().catch((error: unknown) => {
    throw new UsageError(`${refusal(what, 'written', error)}.`);
  });
}

/**
 * Writes a text into a file, whose folders it makes; rejects with a UsageError where that is refused. `w` replaces the
 * content, `wx` fails where the file exists, `a` writes behind it: nothing written behind it checks that it could be.
 */
export function writeText(file: string, text: string, flag: 'w' | 'a' | 'wx' = 'w'): Promise<void> {
  return orRefuse(file, async () => {
    // A folder that is left again with .. need not exist.
    const path = resolve(file);
    await makeFolder(dirname(path));
    await writeFile(path, text, { flag });
  });
}

/** Makes a folder and those above it; rejects with a UsageError where it cannot be made or written. */
export function openFolder(folder: string): Promise<void> {
  return orRefuse(folder, async () => {
    await makeFolder(folder);
    await access(folder, constants.W_OK);
  });
}

/** Checks every file that a command will write, before it does anything else: each can be written, and no two are one. */
export async function checkOutputFiles(files: readonly (string | undefined)[]): Promise<void> {
  const seen = new Set<string>();
  for (const file of files) {
    if (file === undefined) continue;
    await writeText(file, '', 'a');
    const path = realpathSync(resolve(file));
    // A device such as /dev/null may take several texts.
    if (seen.has(path) && statSync(path).isFile()) {
      throw new UsageError(`${file} is named for two outputs, and one would replace the other: name two files.`);
    }
    seen.add(path);
  }
}

/** Writes to standard output; rejects with a UsageError where its reader has gone or the disk is full. */
export function print(text: string): Promise<void> {
  return orRefuse(
    'The standard output',
    () => new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve()))),
  );
}
