/** What happens when all else fails: one sentence and 2 for what the user can mend, 4 for the kit, and never 1. */

import { escapeLines } from '../reporters/escape.ts';
import { UsageError } from './usage-error.ts';

/** A full disk, a closed pipe, a folder that must not be written: nothing that the kit could do better. */
const mendableByUser: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EPIPE', 'EACCES', 'EPERM', 'EROFS']);

function say(sentence: string): void {
  process.stderr.write(`${escapeLines(sentence)}\n`);
}

/** Says on standard error what went wrong; the exit code for it. */
export function tellError(error: unknown): 2 | 4 {
  if (error instanceof UsageError) {
    say(error.message);
    return 2;
  }
  const thrown: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
  const { code, message, stack } = thrown;
  const isMendable = code !== undefined && mendableByUser.has(code);
  say(isMendable ? `The machine refused: ${message}.` : `The kit itself broke: ${stack}`);
  return isMendable ? 2 : 4;
}

/** Node ends with 1 for all that nobody catches, and 1 means that the target does not conform. */
export function installLastResort(): void {
  const end = (error: unknown): void => {
    process.exit(tellError(error));
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
  // Who wrote is told as well and says it in a sentence; here the exit code is made sure of.
  process.stdout.on('error', () => {
    process.on('exit', () => {
      if (process.exitCode !== 4) process.exitCode = 2;
    });
  });
  // Nobody reads the progress and the sentences any more: the reports and the exit code still tell all.
  process.stderr.on('error', () => undefined);
}
