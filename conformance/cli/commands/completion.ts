/** `completion SHELL`: prints the completion script for a shell. */

import { completions, type Shell } from '../completion.ts';
import type { Invocation } from '../configuration.ts';
import { print } from '../files.ts';
import { oneOf } from '../readers.ts';

export async function completion({ words: [shell = ''] }: Invocation<'completion'>): Promise<number> {
  const known = oneOf(Object.keys(completions) as Shell[])(shell, 'completion');
  await print(completions[known]());
  return 0;
}
