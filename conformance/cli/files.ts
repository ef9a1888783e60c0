/** Reads and writes the files that a user names, and the standard output. */

import { constants, existsSync, realpathSync, statSync } from 'node:fs';
import { access, type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../run/usage-error.ts';
import { refusal } from './refusals.ts';

/** Describes a file, for the sentence that says why it cannot be read. */
export interface Expected {
  /** How the sentence begins, before the name of the file. */
  readonly what: string;
  /** Bytes. */
  readonly largest: number;
  /** A sentence that follows the reason. */
  readonly hint?: string;
  /** How long a pipe may be silent, other than usual; milliseconds. */
  readonly silenceMs?: number;
}

const chunkSize = 1024 * 1024;
/** Milliseconds after which a pipe is given up whose other end does nothing. */
const longestSilenceMs = 10_000;
const pauseMs = 20;

/** An error that is worded like those of the machine. */
function machineError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Acts once a pipe is ready. Pipes are opened so that they never block, since nothing could end a blocked thread. */
async function whenReady<Result>(act: () => Promise<Result>, silenceMs = longestSilenceMs): Promise<Result> {
  const endsAt = performance.now() + silenceMs;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      if (performance.now() > endsAt) throw machineError('ETIMEDOUT');
      await sleep(pauseMs);
    }
  }
}

async function withFile<Result>(
  file: string,
  flags: number,
  act: (handle: FileHandle) => Promise<Result>,
): Promise<Result> {
  const handle = await open(file, flags | (constants.O_NONBLOCK ?? 0), 0o666);
  try {
    return await act(handle);
  } finally {
    await handle.close();
  }
}

/** All bytes of a file or pipe, however many its size claims; undefined where there are more than `largest`. */
async function readAll(handle: FileHandle, { largest, silenceMs }: Expected): Promise<Buffer | undefined> {
  const stats = await handle.stat();
  if (stats.isDirectory()) throw machineError('EISDIR');
  if (!stats.isFile() && !stats.isFIFO()) throw machineError('ENODEV');
  const chunks: Buffer[] = [];
  for (let total = 0; total <= largest; total += chunks.at(-1)!.length) {
    const { buffer, bytesRead } = await whenReady(() => handle.read(Buffer.allocUnsafe(chunkSize)), silenceMs);
    if (bytesRead === 0) return Buffer.concat(chunks);
    chunks.push(buffer.subarray(0, bytesRead));
  }
  return undefined;
}

/** The text of a file or of a pipe; rejects with a UsageError where there is none, or too much of it. */
export async function readText(file: string, expected: Expected): Promise<string> {
  const { what, largest, hint = '' } = expected;
  const bytes = await withFile(file, constants.O_RDONLY, (handle) => readAll(handle, expected)).catch(
    (error: unknown) => {
      throw new UsageError(`${refusal(`${what} ${file}`, 'read', error)}.${hint}`);
    },
  );
  if (bytes !== undefined) return bytes.toString('utf8');
  throw new UsageError(`${file} is larger than ${largest} bytes.`);
}

const writeFlags = {
  /** Replaces the content. */
  w: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
  /** Writes behind the content. */
  a: constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND,
  /** Fails where the file exists. */
  wx: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
};

/** Makes a folder and those above it. Unlike `recursive` of mkdir it ends where none can be made, as in /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await makeFolder(dirname(folder));
  await mkdir(folder);
}

/**
 * Writes a text into a file, whose folders it makes; rejects with a UsageError where the disk is full, or the file cannot be
 * written for another reason. Nothing written behind the content only checks that it could be.
 */
export async function writeText(file: string, text: string, flag: keyof typeof writeFlags = 'w'): Promise<void> {
  try {
    await makeFolder(dirname(file));
    await withFile(file, writeFlags[flag], async (handle) => {
      let rest = Buffer.from(text);
      while (rest.length > 0) {
        const { bytesWritten } = await whenReady(() => handle.write(rest));
        rest = rest.subarray(bytesWritten);
      }
    });
  } catch (error) {
    throw cannotBeWritten(file, error);
  }
}

function cannotBeWritten(what: string, error: unknown): UsageError {
  return new UsageError(`${refusal(what, 'written', error)}.`);
}

/** Checks every file that a command will write, before it does anything else: each can be written, and no two are one. */
export async function checkOutputFiles(files: readonly (string | undefined)[]): Promise<void> {
  const seen = new Set<string>();
  for (const file of files) {
    if (file === undefined) continue;
    await writeText(file, '', 'a');
    const path = realpathSync(file);
    // A device such as /dev/null may take several texts.
    if (seen.has(path) && statSync(path).isFile()) {
      throw new UsageError(`${file} is named for two outputs, and one would replace the other: name two files.`);
    }
    seen.add(path);
  }
}

/** Makes a folder and those above it; rejects with a UsageError where it cannot be made or written. */
export async function openFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    await access(folder, constants.W_OK);
  } catch (error) {
    throw cannotBeWritten(folder, error);
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
