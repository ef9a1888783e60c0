/** Reads a YAML file of the user. */

import type { DocumentOptions, ParseOptions, SchemaOptions, YAMLParseError } from 'yaml';
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
  // Most commands read no YAML, and the library takes a tenth of their start.
  const { parse } = await import('yaml');
  try {
    // A pretty error repeats a part of the text, and takes long to find in a text with many errors.
    return parse(text, { logLevel: 'error', prettyErrors: false, ...options }) as unknown;
  } catch (error) {
    const { message, pos } = error as Partial<YAMLParseError> & Error;
    const line = pos === undefined ? '' : ` in line ${text.slice(0, pos[0]).split('\n').length}`;
    throw new UsageError(`${what} ${file} is no YAML${line}: ${shown(message)}.`);
  }
}
