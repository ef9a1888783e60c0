/** `self-test [COMBINATIONS]`: proves the kit on faults, variants and random combinations of legal choices. */

import type { Invocation } from '../command-line/configuration.ts';
import { print } from '../command-line/files.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { coverOf, showCover } from '../faults/cover.ts';
import { isProven, runSelfTest, showSelfTest } from '../faults/self-test.ts';

/** Prints the matrix of faults and variants; 4 when the kit does not judge as it must. */
export async function selfTest({ values, words: [combinations = '1000'] }: Invocation<'self-test'>): Promise<number> {
  if (!/^\d{1,6}$/.test(combinations)) {
    throw new UsageError(`self-test takes one number of random combinations, not "${combinations}".`);
  }
  const result = await runSelfTest(Number(combinations));
  await print(values.showsCover ? showCover(coverOf(result.faults)) : showSelfTest(result));
  return isProven(result) ? 0 : 4;
}
