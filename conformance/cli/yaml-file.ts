/** Reads a YAML file of the user. */

import { type DocumentOptions, type ParseOptions, parse, type SchemaOptions, type YAMLParseError } from 'yaml';
import { readText } from './files.ts';
import { shown } from './readers.ts';
import { UsageError } from './usage-error.ts';

/** For some texts the time to parse them grows with the square of their length, bytes. */
const largestFile = 128 * 1024;

/** The value in a file, for example of "The profile"; throws a UsageError where there is none. */
export function readYaml(
  file: string,
  what: string,
  options: ParseOptions & DocumentOptions & SchemaOptions = {},
): unknown {
  const text = readText(file, { what, largest: largestFile });
  try {
    // A pretty error repeats a part of the text, and takes long to find in a text with many errors.
    return parse(text, { logLevel: 'error', prettyErrors: false, ...options }) as unknown;
  } catch (error) {
    const { message, pos } = error as Partial<YAMLParseError> & Error;
    const line = pos === undefined ? '' : ` in line ${text.slice(0, pos[0]).split('\n').length}`;
    throw new UsageError(`${what} ${file} is no YAML${line}: ${shown(message)}.`);
  }
}
