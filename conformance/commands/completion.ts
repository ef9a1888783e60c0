/** `completion SHELL`: prints the script that completes words of the command in a shell. */

import { completions } from '../command-line/completion.ts';
import type { Invocation } from '../command-line/configuration.ts';
import { print } from '../command-line/files.ts';
import { suggest } from '../command-line/suggest.ts';
import { UsageError } from '../command-line/usage-error.ts';

export async function completion({ words: [shell = ''] }: Invocation<'completion'>): Promise<number> {
  const known = Object.keys(completions);
  const complete = known.includes(shell) ? completions[shell] : undefined;
  if (complete === undefined) {
    throw new UsageError(`completion takes one of ${known.join(', ')}, not "${shell}".${suggest(shell, known)}`);
  }
  await print(complete());
  return 0;
}
