/** `pact lint PACT…`: lints pacts against legal services in process; asks no target. */

import { lintPact, type Remark, showReason } from '../../../pacts/lint/lint-pact.ts';
import { startVerifier } from '../../../pacts/verify/verifier.ts';
import { redactor } from '../../http/redact.ts';
import { keysInEnvironment } from '../../http/secret-names.ts';
import { shown } from '../../options/readers.ts';
import type { Command } from '../configuration.ts';
import { print } from '../files.ts';
import { readPacts } from '../read-pacts.ts';

const longestRemark = 1_000;

/** What is said of a pact: a sentence for each remark, or one that there is none. */
function sentencesOn(remarks: readonly Remark[]): readonly string[] {
  if (remarks.length === 0) return ['claims only what the interface states'];
  return remarks.map((one) => `"${one.interaction}" ${showReason(one)}`);
}

/** Resolves with 0 if there is no remark, and with 1 otherwise. */
export const pactLint: Command<'pact lint'> = async ({ words }) => {
  const pacts = await readPacts(words);
  const verifier = startVerifier();
  // A pact may hold a key in any name.
  const redact = redactor(keysInEnvironment(process.env));
  const lines: string[] = [];
  let remarked = 0;
  try {
    for (const pact of pacts) {
      const remarks = await lintPact(pact, verifier);
      remarked += remarks.length;
      const sentences = sentencesOn(remarks).map((one) => shown(redact(one), longestRemark));
      lines.push(...sentences.map((one) => `${pact.origin}: ${one}\n`));
    }
  } finally {
    verifier.close();
  }
  await print(lines.join(''));
  return remarked > 0 ? 1 : 0;
};
