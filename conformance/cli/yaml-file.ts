/** Reads a YAML file of the user. */

import type { DocumentOptions, ParseOptions, SchemaOptions } from 'yaml';
import { shown } from '../options/readers.ts';
import { UsageError } from '../run/usage-error.ts';
import { readText } from './files.ts';

/** For some texts the time to parse them grows with the square of their length, bytes. */
const largestFile = 128 * 1024;

/** The value in a file, for example of "The profile"; rejects with a UsageError where there is none. */
export async function readYaml(
  file: string,
  what: string,
  options: ParseOptions & DocumentOptions & SchemaOptions = {},
): Promise<unknown> {
  const text = await readText(file, { what, largest: largestFile });
  const refuse = (why: string): never => {
    throw new UsageError(`${what} ${file} ${why}.`);
  };
  // Most commands read no YAML, and the library takes a tenth of their start. It is CommonJS: a bundle that loads it late
  // has it as its default export alone.
  const library = await import('yaml');
  const { parseDocument } = 'default' in library ? (library.default as typeof library) : library;
  // A pretty error repeats a part of the text, and takes long to find in a text with many errors.
  const document = parseDocument(text, { logLevel: 'error', prettyErrors: false, ...options });
  const [error] = document.errors;
  if (error !== undefined) {
    refuse(`is no YAML in line ${text.slice(0, error.pos[0]).split('\n').length}: ${shown(error.message)}`);
  }
  try {
    // A value that stands elsewhere is easily overlooked in a review.
    return document.toJS({ maxAliasCount: 0 }) as unknown;
  } catch {
    return refuse('uses a YAML alias: write each value where it belongs');
  }
}
