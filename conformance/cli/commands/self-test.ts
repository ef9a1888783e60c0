/** `self-test [COMBINATIONS]`: proves the kit on faults, variants, random combinations of legal choices, and clients. */

import { isClientProofSound, proveClients, showClientProof } from '../../clients/proof.ts';
import { coverOf, showCover } from '../../proof/cover.ts';
import { isProven, runSelfTest, showSelfTest } from '../../proof/self-test.ts';
import type { Invocation } from '../configuration.ts';
import { print } from '../files.ts';
import { UsageError } from '../usage-error.ts';

/** Prints the matrix of faults, variants and clients; 4 when the kit does not judge as it must. */
export async function selfTest({ values, words: [combinations = '1000'] }: Invocation<'self-test'>): Promise<number> {
  if (!/^\d{1,6}$/.test(combinations)) {
    throw new UsageError(`self-test takes one number of random combinations, not "${combinations}".`);
  }
  if (values.showsCover) {
    const result = await runSelfTest(Number(combinations));
    await print(showCover(coverOf(result.faults)));
    return isProven(result) ? 0 : 4;
  }
  // Services keep the processors busy, clients mostly wait.
  const [result, clients] = await Promise.all([runSelfTest(Number(combinations)), proveClients()]);
  await print(showSelfTest(result) + showClientProof(clients));
  return isProven(result) && isClientProofSound(clients) ? 0 : 4;
}
