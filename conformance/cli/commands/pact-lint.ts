/** `pact lint PACT…`: lints pacts; sends no request. */

import { missingPeer } from '../../../pacts/peers.ts';
import { escapeForTerminal } from '../../reporters/escape.ts';
import type { Invocation } from '../configuration.ts';
import { print } from '../files.ts';
import { UsageError } from '../usage-error.ts';

/** Resolves with 0 if there is no remark, and with 1 otherwise. */
export async function pactLint({ words: places }: Invocation<'pact lint'>): Promise<number> {
  const missing = missingPeer('@pactflow/openapi-pact-comparator');
  if (missing !== undefined) throw new UsageError(missing);
  const { readPacts } = await import('../read-pacts.ts');
  const pacts = (await Promise.all(places.map((place) => readPacts(place)))).flat();
  const { lintPact, showRemark } = await import('../../../pacts/lint/lint-pact.ts');
  let found = 0;
  for (const pact of pacts) {
    const remarks = await lintPact(pact);
    found += remarks.length;
    const lines = remarks.length === 0 ? ['claims only what the interface states'] : remarks.map(showRemark);
    await print(lines.map((line) => `${escapeForTerminal(`${pact.origin}: ${line}`)}\n`).join(''));
  }
  return found === 0 ? 0 : 1;
}
