/** Reads and writes the files that a user names, and the standard output. */

import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { refusal } from './refusals.ts';
import { endingSignals } from './stop.ts';
import { UsageError } from './usage-error.ts';

/** Describes a file, for the sentence that says why it cannot be read. */
export interface Expected {
  /** How the sentence begins, before the name of the file. */
  readonly what: string;
  /** Bytes. */
  readonly largest: number;
  /** A sentence that follows the reason. */
  readonly hint?: string;
}

const chunkSize = 1024 * 1024;
/** Milliseconds after which a pipe is given up if nobody writes to it. */
const longestSilence = 10_000;
const pauseMs = 20;

/** Blocks this thread, since files are read synchronously. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
}

/**
 * Runs a function that may block this thread, in which no handler of a signal runs. A signal ends the process meanwhile, as
 * it does by default: nothing has been judged before the files are read.
 */
function withDefaultSignals<Result>(act: () => Result): Result {
  const handlers = endingSignals.flatMap((name) =>
    process.rawListeners(name).map((listener) => ({ name, listener: listener as () => void })),
  );
  for (const { name, listener } of handlers) process.off(name, listener);
  try {
    return act();
  } finally {
    for (const { name, listener } of handlers) process.on(name, listener);
  }
}

/** Reads one chunk; undefined where a pipe has no data yet. */
function readChunk(descriptor: number): Buffer | undefined {
  const chunk = Buffer.allocUnsafe(chunkSize);
  try {
    return chunk.subarray(0, readSync(descriptor, chunk));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}

/** All bytes of an open file or pipe, however many its size claims; undefined where there are more than `largest`. */
function readAll(descriptor: number, largest: number): Buffer | undefined {
  const chunks: Buffer[] = [];
  let [total, silence] = [0, 0];
  while (total <= largest) {
    const chunk = readChunk(descriptor);
    if (chunk?.length === 0) return Buffer.concat(chunks);
    if (chunk === undefined) {
      if (silence >= longestSilence) throw Object.assign(new Error('silent'), { code: 'ETIMEDOUT' });
      silence += pauseMs;
      pause();
      continue;
    }
    silence = 0;
    chunks.push(chunk);
    total += chunk.length;
  }
  return undefined;
}

/** The text of a file or of a pipe; throws a UsageError where there is none, or too much of it. */
export function readText(file: string, expected: Expected): string {
  return withDefaultSignals(() => readNow(file, expected));
}

function readNow(file: string, { what, largest, hint = '' }: Expected): string {
  let descriptor: number | undefined;
  try {
    // A pipe that nobody writes to must not block the command.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) throw Object.assign(new Error('folder'), { code: 'EISDIR' });
    if (!stats.isFile() && !stats.isFIFO()) throw Object.assign(new Error('device'), { code: 'ENODEV' });
    const bytes = readAll(descriptor, largest);
    if (bytes !== undefined) return bytes.toString('utf8');
  } catch (error) {
    throw new UsageError(`${refusal(`${what} ${file}`, 'read', error)}.${hint}`);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
  throw new UsageError(`${file} is larger than ${largest} bytes.`);
}

/** Makes a folder and those above it. Unlike mkdirSync it ends where none can be made, as in /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

function cannotBeWritten(what: string, error: unknown): UsageError {
  return new UsageError(`${refusal(what, 'written', error)}.`);
}

/** Makes the folders of a file and opens it, without changing its content; throws a UsageError where that fails. */
export function checkWritable(file: string): void {
  try {
    makeFolder(dirname(file));
    closeSync(openSync(file, 'a'));
  } catch (error) {
    throw cannotBeWritten(file, error);
  }
}

/** Checks every file that a command will write, before it does anything else: each can be written, and no two are one. */
export function checkOutputFiles(files: readonly (string | undefined)[]): void {
  const seen = new Set<string>();
  for (const file of files) {
    if (file === undefined) continue;
    checkWritable(file);
    const path = realpathSync(file);
    // A device such as /dev/null may take several texts.
    if (seen.has(path) && statSync(path).isFile()) {
      throw new UsageError(`${file} is named for two outputs, and one would replace the other: name two files.`);
    }
    seen.add(path);
  }
}

/** Makes a folder and those above it; throws a UsageError where it cannot be made or written. */
export function openFolder(folder: string): void {
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw cannotBeWritten(folder, error);
  }
}

/**
 * Writes a text into a file, behind what it holds where `flag` is "a"; throws a UsageError where the disk is full, or the
 * file cannot be written for another reason.
 */
export function writeText(file: string, text: string, flag: 'w' | 'a' = 'w'): void {
  try {
    writeFileSync(file, text, { flag });
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
