/** The requirement about getPet, which is to be removed (§9). */

import type { Exchange } from '../../http/exchange.ts';
import { breaks, type ClientCheck, type ClientFinding, holds } from '../finding.ts';

/** getPet is to be removed on 5 December 2030. */
const removal = Date.UTC(2030, 11, 5);
const dayMs = 86_400_000;

function judgeUse(exchange: Exchange): ClientFinding {
  if (exchange.operation !== 'getPet') return holds('client-deprecated', exchange);
  const days = Math.max(0, Math.ceil((removal - exchange.startedAt) / dayMs));
  const left = `${days} ${days === 1 ? 'day is' : 'days are'} left until 5 December 2030`;
  const message = `expected GET /pets with the status filter, which replaces it, received GET /pets/{petId}: ${left}`;
  return breaks('client-deprecated', 'deprecated-operation', message, exchange);
}

export const deprecationChecks: readonly ClientCheck[] = [
  {
    verifies: ['client-deprecated'],
    // What is asked of another day is another matter.
    judge: ({ exchanges, variant: world }) =>
      world.variations.some(({ startsAt }) => startsAt !== undefined) ? [] : exchanges.map(judgeUse),
  },
];
