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
  // Most commands read no YAML, and the library takes a tenth of their start. It is CommonJS: a bundle that loads it late
  // has it as its default export alone.
  const library = await import('yaml');
  const { isAlias, isNode, parseDocument, visit } =
    'default' in library ? (library.default as typeof library) : library;
  const lineAt = (offset: number): string => ` in line ${text.slice(0, offset).split('\n').length}`;
  // A pretty error repeats a part of the text, and takes long to find in a text with many errors.
  const document = parseDocument(text, { logLevel: 'error', prettyErrors: false, ...options });
  const [error] = document.errors;
  if (error !== undefined) {
    throw new UsageError(`${what} ${file} is no YAML${lineAt(error.pos[0])}: ${shown(error.message)}.`);
  }
  // A value that stands elsewhere is easily overlooked in a review.
  visit(document, (_key, node) => {
    if (!isNode(node)) return;
    const name = isAlias(node) ? `*${node.source}` : 'anchor' in node && node.anchor ? `&${node.anchor}` : undefined;
    if (name === undefined) return;
    throw new UsageError(
      `${what} ${file} uses the YAML anchor ${shown(name)}${lineAt(node.range?.[0] ?? 0)}: write each value where it belongs.`,
    );
  });
  return document.toJS() as unknown;
}
