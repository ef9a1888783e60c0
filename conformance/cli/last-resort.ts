/** Reports errors: one sentence and exit code 2 for what the user can mend, 4 for an error of the kit, and never 1. */

import { redactor } from '../http/redact.ts';
import { hiddenValue, secretsInEnvironment } from '../http/secret-names.ts';
import { escapeLines, shorten } from '../reporters/escape.ts';
import { UsageError } from '../run/usage-error.ts';

/** A full disk, a closed pipe, a folder that must not be written: the user can mend these, and the kit cannot. */
const mendableByUser = /^(ENOSPC|EDQUOT|EPIPE|EACCES|EPERM|EROFS|ENOTDIR|EEXIST)$/;

/** A longer sentence repeats what a file or a command line holds, and hides the reason. */
const longestSentence = 300 - ' (1000000 characters)'.length;

/** The sentence for an error. */
function sentenceFor(error: unknown): { readonly text: string; readonly exitCode: 2 | 4 } {
  const thrown: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
  const { code = '', message, stack } = thrown;
  if (error instanceof UsageError) {
    return { text: message.replace(/.+/g, (line) => shorten(line, longestSentence)), exitCode: 2 };
  }
  if (mendableByUser.test(code)) return { text: `The machine refused: ${message}.`, exitCode: 2 };
  return { text: `The kit itself broke: ${stack}`, exitCode: 4 };
}

/** Hides the secrets of the environment, and a password in an address, whatever characters it has. */
function withoutSecrets(text: string): string {
  const redacted = redactor(secretsInEnvironment(process.env))(text);
  return redacted.replace(/(:\/\/)[^\s"'<>]*:[^\s"'<>]*@/g, `$1${hiddenValue}@`);
}

/** Reports an error on standard error; returns the exit code for it. */
export function reportError(error: unknown): 2 | 4 {
  const { text, exitCode } = sentenceFor(error);
  process.stderr.write(`${escapeLines(withoutSecrets(text))}\n`);
  return exitCode;
}

/** Node ends with 1 for an uncaught error, but 1 means that the target does not conform. */
export function installLastResort(): void {
  const end = (error: unknown): void => {
    process.exit(reportError(error));
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
  // The writer reports the error itself. Without a reader of the progress, the reports and the exit code say everything.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
