/** Puts recorded traffic in the order in which it was sent and answered. */

import type { CapturedExchange } from './captured-exchange.ts';
import type { Place } from './evidence.ts';

/**
 * The place of each exchange. What shares a millisecond may have been under way at the same time: nothing is concluded
 * from its order, so all that was sent then comes before all that was answered then.
 */
export function placesOf(seen: readonly CapturedExchange[]): readonly Place[] {
  const events = seen.flatMap(({ startedAt, endedAt }, at) => [
    { at, kind: 'sent' as const, time: startedAt },
    { at, kind: 'answered' as const, time: endedAt },
  ]);
  const rank = { sent: 0, answered: 1 } as const;
  events.sort((one, other) => one.time - other.time || rank[one.kind] - rank[other.kind]);
  const places = seen.map((_one, at) => ({ number: at + 1, sent: 0, answered: 0 }));
  for (const [event, { at, kind }] of events.entries()) places[at]![kind] = event + 1;
  return places;
}
