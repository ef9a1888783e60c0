/** The command that comes next: it judges again what failed, as the run that made the report was started. */

import { quoteForShell, quoteWord } from '../http/curl.ts';
import { kit, type Report } from '../verdict/report.ts';

/** What the next command repeats of the one that made a report. A report says none of it: a stranger may have written it. */
export interface NextRun {
  /** The file with the report as JSON; undefined where none was written, so that a user has to write one first. */
  readonly reportFile?: string | undefined;
  /** Options as words of a command line, such as --start and its command. */
  readonly options: readonly string[];
}

/** Nothing is known of how the report was made. */
export const usualNext: NextRun = { options: [] };

/** The command that judges again what failed in a report, or these requirements of it; without an address, embedded. */
export function againCommand(
  { reportFile = 'report.json', options }: NextRun,
  baseUrl: string | undefined,
  ids: readonly string[],
): string {
  const only = ids.flatMap((id) => ['--only', id]);
  const address = baseUrl === undefined ? '--embedded' : quoteWord(baseUrl);
  return [kit.name, 'run', address, ...options.map(quoteWord), '--last-failed', quoteWord(reportFile), ...only].join(
    ' ',
  );
}

/** The command that runs a client under all legal services again. */
export function clientCommand(words: readonly string[]): string {
  return `${kit.name} client -- ${words.map(quoteForShell).join(' ')}`;
}

/** The command that judges these requirements again, or all that failed; undefined where nothing would be sent. */
export function nextStepOf({ client, target, settings }: Report, next: NextRun, ids: readonly string[] = []) {
  if (client !== undefined) return clientCommand(client.command);
  if (settings.maxRequests === 0) return undefined;
  return againCommand(next, target.isEmbedded ? undefined : target.baseUrl, ids);
}
