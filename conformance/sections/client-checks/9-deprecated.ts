/** Judges whether a client still uses getPet, which will be removed (§9). */

import { removalDay } from '../../../spec/facts.ts';
import type { Exchange } from '../../http/exchange.ts';
import { dayMs } from '../../http/tolerances.ts';
import { isFollowed } from './4-operations.ts';
import { breaks, type ClientCheck, type ClientFinding, holds } from './check.ts';

function judgeUse(exchange: Exchange, exchanges: readonly Exchange[]): readonly ClientFinding[] {
  if (exchange.operation !== 'getPet') return [holds('client-deprecated', exchange)];
  // A client that follows the Location of a new animal goes where the service leads it, and goes nowhere after the removal.
  if (isFollowed(exchange, exchanges)) return [];
  const days = Math.max(0, Math.ceil((removalDay - exchange.startedAt) / dayMs));
  const left = `${days} ${days === 1 ? 'day is' : 'days are'} left until 5 December 2030`;
  const facts = {
    expected: 'GET /pets with the status filter, which replaces it',
    received: `GET /pets/{petId}: ${left}`,
  };
  return [breaks('client-deprecated', 'deprecated-operation', facts, exchange)];
}

export const deprecationChecks: readonly ClientCheck[] = [
  {
    verifies: ['client-deprecated'],
    judge: ({ exchanges, isAnotherDay }) =>
      isAnotherDay ? [] : exchanges.flatMap((exchange) => judgeUse(exchange, exchanges)),
  },
];
