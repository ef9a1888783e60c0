/** `pact lint PACT…`: lints pacts against legal services in process; asks no target. */

import { missingPeer } from '../../../pacts/peers.ts';
import { UsageError } from '../../run/usage-error.ts';
import type { Invocation } from '../configuration.ts';
import { checkOutputFiles } from '../files.ts';
import type { LintedPact } from '../lint-reporters.ts';
import { chosenReporters, writeTexts } from '../outputs.ts';

/** Resolves with 0 if there is no remark, with 1 otherwise, and with 2 if a pact cannot be read. */
export async function pactLint(invocation: Invocation<'pact lint'>): Promise<number> {
  const missing = missingPeer('@pact-foundation/pact-core');
  if (missing !== undefined) throw new UsageError(missing);
  const { showLintAs } = await import('../lint-reporters.ts');
  const formats = chosenReporters('pact lint', invocation, showLintAs);
  await checkOutputFiles(formats.map(({ file }) => file));
  const { readPacts, showLeftOut } = await import('../read-pacts.ts');
  const read = await readPacts(invocation.words);
  showLeftOut(read);
  const { pacts, unreadable } = read;
  const { lintPact } = await import('../../../pacts/lint/lint-pact.ts');
  const { startVerifier } = await import('../../../pacts/verify/verifier.ts');
  const linted: LintedPact[] = [];
  const verifier = startVerifier();
  try {
    for (const pact of pacts) {
      linted.push({ origin: pact.origin, consumer: pact.consumer, remarks: await lintPact(pact, verifier) });
    }
  } finally {
    verifier.close();
  }
  if (linted.length === 0) throw new UsageError(unreadable.map(({ message }) => message).join('\n'));
  const result = { pacts: linted, unreadable };
  await writeTexts(formats.map(({ name, file }) => ({ file, render: () => showLintAs[name](result) })));
  if (unreadable.length > 0) return 2;
  return linted.some(({ remarks }) => remarks.length > 0) ? 1 : 0;
}
