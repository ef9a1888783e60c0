/** `pact lint PACT…`: says what pacts claim beyond the interface; sends nothing. */

import { missingPeer } from '../../../pacts/peers.ts';
import { escapeForTerminal } from '../../reporters/escape.ts';
import type { Invocation } from '../configuration.ts';
import { print } from '../files.ts';
import { UsageError } from '../usage-error.ts';

/** 0 where pacts claim nothing beyond the interface, 1 otherwise. */
export async function pactLint({ words: places }: Invocation<'pact lint'>): Promise<number> {
  const missing = missingPeer('@pactflow/openapi-pact-comparator');
  if (missing !== undefined) throw new UsageError(missing);
  const { readPacts } = await import('../../../pacts/read-pact.ts');
  const pacts = (await Promise.all(places.map((place) => readPacts(place)))).flat();
  const { lintPact, showRemark } = await import('../../../pacts/lint/lint-pact.ts');
  let found = 0;
  for (const pact of pacts) {
    const remarks = await lintPact(pact);
    found += remarks.length;
    const lines = remarks.length === 0 ? ['claims what the interface says, and no more'] : remarks.map(showRemark);
    await print(lines.map((line) => `${escapeForTerminal(`${pact.origin}: ${line}`)}\n`).join(''));
  }
  return found === 0 ? 0 : 1;
}
