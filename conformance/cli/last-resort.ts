/** Reports errors: one sentence and exit code 2 for what the user can mend, 4 for an error of the kit, and never 1. */

import { escapeLines, shorten } from '../reporters/escape.ts';
import { UsageError } from '../run/usage-error.ts';
import { ownRedactor } from './own-secrets.ts';

/** A full disk, a closed pipe, a folder that must not be written: the user can mend these, and the kit cannot. */
const mendableByUser: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EPIPE', 'EACCES', 'EPERM', 'EROFS']);

/** A longer sentence repeats what a file or a command line holds, and hides the reason. */
const longestSentence = 300;

function write(text: string): void {
  process.stderr.write(`${escapeLines(ownRedactor(process.env)(text))}\n`);
}

/** Reports an error on standard error; returns the exit code for it. */
export function reportError(error: unknown): 2 | 4 {
  if (error instanceof UsageError) {
    const lines = error.message.split('\n');
    write(lines.map((line) => shorten(line, longestSentence - ' (1000000 characters)'.length)).join('\n'));
    return 2;
  }
  const thrown: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
  const { code, message, stack } = thrown;
  const isMendable = code !== undefined && mendableByUser.has(code);
  write(isMendable ? `The machine refused: ${message}.` : `The kit itself broke: ${stack}`);
  return isMendable ? 2 : 4;
}

/** Node ends with 1 for an uncaught error, but 1 means that the target does not conform. */
export function installLastResort(): void {
  const end = (error: unknown): void => {
    process.exit(reportError(error));
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
  // The writer reports the error itself; this handler only sets the exit code.
  process.stdout.on('error', () => {
    process.on('exit', () => {
      if (process.exitCode !== 4) process.exitCode = 2;
    });
  });
  // Without a reader of the progress, the reports and the exit code still say everything.
  process.stderr.on('error', () => undefined);
}
