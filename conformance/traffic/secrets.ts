/** Collects the keys in traffic, so that evidence shows none of them, wherever a service echoes it. */

import { canBeRedacted, redactor } from '../http/redact.ts';
import { secretsInHeaders, secretsInQuery } from '../http/secret-names.ts';
import type { Headers } from './captured-exchange.ts';

/** More keys than a team uses. Beyond that the key that was not seen for the longest time is forgotten. */
const mostKept = 64;

/** Collects keys in addition to those that are known from the start, which are never forgotten. */
export function createSecrets(known: readonly string[]) {
  const kept = new Set<string>();
  let redact = redactor(known);
  return {
    note(headers: Headers, target: string): void {
      const found = [...secretsInHeaders(headers), ...secretsInQuery(target)].filter(canBeRedacted);
      const isKnown = found.every((secret) => kept.has(secret));
      for (const secret of found) {
        kept.delete(secret);
        kept.add(secret);
      }
      if (isKnown) return;
      for (const secret of [...kept].slice(0, -mostKept)) kept.delete(secret);
      redact = redactor([...known, ...kept]);
    },
    redact: (text: string): string => redact(text),
  };
}
