/** `self-test [COMBINATIONS]`: proves the kit on faults, legal services, and combinations of two of them. */

import { wholeNumber } from '../../options/readers.ts';
import { isProven, runSelfTest, showSelfTest } from '../../proof/self-test.ts';
import type { Command } from '../configuration.ts';
import { print } from '../files.ts';

/** Prints the outcome of each fault, and what is wrong with services; 4 if the kit does not judge correctly. */
export const selfTest: Command<'self-test'> = async ({ words: [combinations = '1000'] }, { interruption: signal }) => {
  const most = wholeNumber(0, 999_999).read(combinations, 'self-test');
  const result = await runSelfTest(most, signal);
  await print(showSelfTest(result));
  return isProven(result) ? 0 : 4;
};
