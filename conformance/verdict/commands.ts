/** The commands of the kit that show a failure of a report again, as a shell reads them. */

import { quoteForShell, quoteWord } from '../http/curl.ts';

const program = 'petstore-conformance';

/** Judges what failed in a report again, or these requirements of it; without an address the embedded server. */
export function againCommand(reportFile: string, baseUrl?: string, ids: readonly string[] = []): string {
  const address = baseUrl === undefined ? '' : ` ${quoteWord(baseUrl)}`;
  return `${program} run${address} --last-failed ${quoteWord(reportFile)}${ids.map((id) => ` --only ${id}`).join('')}`;
}

/** Runs a client under all legal services again. */
export function clientCommand(words: readonly string[]): string {
  return `${program} client -- ${words.map(quoteForShell).join(' ')}`;
}
