/** Reads and writes the files that a user names, and the standard output, with a bound on size. */

import { createReadStream, existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { shown } from '../options/readers.ts';
import { UsageError } from '../run/usage-error.ts';

const longestSubject = 200;

/** The sentence of an error, without its full stop, such as `x cannot be written: ENOSPC: no space left on device`. */
export function errorSentence(subject: string, action: 'read' | 'written' | 'started', error: unknown): string {
  // After a comma, node repeats the name of the file.
  const why = (error as Error).message.replace(/, .*/s, '');
  return `${shown(subject, longestSubject)} cannot be ${action}: ${why}`;
}

/**
 * The text of a file or of a pipe; rejects with a UsageError if it cannot be read or has more than `largest` bytes. `what`
 * names the file in sentences, for example "The profile".
 */
export async function readText(file: string, what: string, largest: number): Promise<string> {
  const refuse = (error: unknown): never => {
    throw new UsageError(`${errorSentence(`${what} ${file}`, 'read', error)}.`);
  };
  // Reads one byte more than allowed, whatever the size of the file is said to be.
  const bytes = await buffer(createReadStream(file, { end: largest })).catch(refuse);
  if (bytes.length > largest) throw new UsageError(`${file} is larger than ${largest} bytes.`);
  // Unlike the text of a buffer, this has no byte order mark of an editor in front.
  return new TextDecoder().decode(bytes);
}

/** Bytes. For some texts, the time to parse them grows with the square of their length. */
const largestYaml = 128 * 1024;

/** The value in a YAML or JSON file, with integers as bigints; `what` names the file in sentences. Rejects with a UsageError. */
export async function readYaml(file: string, what: string): Promise<unknown> {
  const text = await readText(file, what, largestYaml);
  const refuse = (why: string): never => {
    throw new UsageError(`${what} ${file} ${why}.`);
  };
  // Most commands read no YAML, and the library takes a tenth of their start. It is CommonJS: a bundle that loads it late
  // has it as its default export alone.
  const library = await import('yaml');
  const { parseDocument } = 'default' in library ? (library.default as typeof library) : library;
  // Pretty errors quote the text, and are slow to compute in a text with many errors.
  const document = parseDocument(text, { logLevel: 'error', prettyErrors: false, intAsBigInt: true });
  const [error] = document.errors;
  if (error !== undefined) {
    refuse(`is no YAML in line ${text.slice(0, error.pos[0]).split('\n').length}: ${shown(error.message)}`);
  }
  try {
    // An alias throws: its value stands elsewhere in the file, where a review easily overlooks it.
    return document.toJS({ maxAliasCount: 0 }) as unknown;
  } catch {
    return refuse('uses a YAML alias: write each value where it belongs');
  }
}

/** Rejects with a UsageError if `act` cannot write to `what`, for example because the disk is full. */
async function orRefuse(what: string, act: () => Promise<void>): Promise<void> {
  await act().catch((error: unknown) => {
    throw new UsageError(`${errorSentence(what, 'written', error)}.`);
  });
}

/**
 * Makes each missing folder of a path. `recursive` of mkdir would never end below a folder such as /proc, which says of a new
 * one what Node takes for a missing parent.
 */
async function makeEach(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await makeEach(dirname(folder));
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    // Another process was faster.
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Makes a folder, with those above it; rejects with a UsageError if that fails. */
export function makeFolder(folder: string): Promise<void> {
  return orRefuse(folder, () => makeEach(folder));
}

/**
 * Writes a text into a file and creates missing folders; rejects with a UsageError if that fails. `w` replaces the
 * content, `a` appends to it: appending an empty text checks that the file can be written.
 */
export function writeText(file: string, text: string, flag: 'w' | 'a' = 'w'): Promise<void> {
  return orRefuse(file, async () => {
    await makeEach(dirname(file));
    await writeFile(file, text, { flag });
  });
}

/** Writes to standard output; rejects with a UsageError if its reader has gone or the disk is full. */
export function print(text: string): Promise<void> {
  return orRefuse(
    'The standard output',
    () => new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve()))),
  );
}
