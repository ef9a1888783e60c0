/** `completion SHELL`: prints the script that completes words of the command in a shell. */

import { completions } from '../completion.ts';
import type { Invocation } from '../configuration.ts';
import { print } from '../files.ts';
import { suggest } from '../suggest.ts';
import { UsageError } from '../usage-error.ts';

export async function completion({ words: [shell = ''] }: Invocation<'completion'>): Promise<number> {
  const known = Object.keys(completions);
  const complete = known.includes(shell) ? completions[shell] : undefined;
  if (complete === undefined) {
    throw new UsageError(`completion takes one of ${known.join(', ')}, not "${shell}".${suggest(shell, known)}`);
  }
  await print(complete());
  return 0;
}
