/** `completion SHELL`: prints the completion script for a shell. */

import { completions, nextWords, wordsAfter } from '../completion.ts';
import type { Invocation } from '../configuration.ts';
import { print } from '../files.ts';
import { oneOf } from '../readers.ts';

export async function completion({ words: [shell = ''] }: Invocation<'completion'>): Promise<number> {
  if (shell === nextWords) {
    const words = wordsAfter(process.env['COMP_LINE'] ?? '');
    await print(words.map(([text, help]) => `${text}\t${help}\n`).join(''));
  } else {
    const known = oneOf(Object.keys(completions) as (keyof typeof completions)[])(shell, 'completion');
    await print(completions[known]);
  }
  return 0;
}
