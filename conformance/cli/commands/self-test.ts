/** `self-test [COMBINATIONS]`: proves the kit on faults, variants, random combinations of legal choices, and clients. */

import { isClientProofSound, proveClients, showClientProof } from '../../clients/proof.ts';
import { isProven, runSelfTest, showSelfTest } from '../../proof/self-test.ts';
import { UsageError } from '../../run/usage-error.ts';
import type { Invocation } from '../configuration.ts';
import { print } from '../files.ts';
import type { Host } from '../stop.ts';

/** Prints the matrix of faults, variants and clients; 4 if the kit does not judge correctly. */
export async function selfTest(
  { words: [combinations = '1000'] }: Invocation<'self-test'>,
  { interruption: signal }: Host,
): Promise<number> {
  if (!/^\d{1,6}$/.test(combinations)) {
    throw new UsageError(`self-test takes one number of random combinations, not "${combinations}".`);
  }
  // Services keep the processors busy, while clients mostly wait.
  const [result, clients] = await Promise.all([
    runSelfTest(Number(combinations), { signal }),
    proveClients({ signal }),
  ]);
  await print(showSelfTest(result) + showClientProof(clients));
  return isProven(result) && isClientProofSound(clients) ? 0 : 4;
}
