/** The commands of the kit that show a failure of a report again, as a shell reads them. */

import { quoteForShell, quoteWord } from '../http/curl.ts';

const program = 'petstore-conformance';

/** Sends the requests that showed a failure in a report again; without an address the user fills it in. */
export function replayCommand(reportFile: string, requirement: string, baseUrl?: string): string {
  const address = baseUrl === undefined ? 'BASE_URL' : quoteForShell(baseUrl);
  return `${program} run ${address} --last-failed ${quoteWord(reportFile)} --only ${quoteWord(requirement)}`;
}

export function runCommand(baseUrl: string, requirement: string): string {
  return `${program} run ${quoteForShell(baseUrl)} --only ${requirement}`;
}

/** Runs a client under all service variants again. */
export function clientCommand(words: readonly string[]): string {
  return `${program} client -- ${words.map(quoteForShell).join(' ')}`;
}
