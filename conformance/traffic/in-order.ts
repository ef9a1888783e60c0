/** Orders recorded traffic by the times at which requests were sent and answered. */

import type { CapturedExchange } from './captured-exchange.ts';
import type { Place } from './evidence.ts';

/**
 * The place of each exchange. Within one millisecond all requests come before all responses: they may have overlapped, so
 * checks must not conclude anything from their order.
 */
export function placesOf(captured: readonly CapturedExchange[]): readonly Place[] {
  const events = captured.flatMap(({ startedAt, endedAt }, at) => [
    { at, kind: 'sent' as const, time: startedAt },
    { at, kind: 'answered' as const, time: endedAt },
  ]);
  const rank = { sent: 0, answered: 1 } as const;
  events.sort((one, other) => one.time - other.time || rank[one.kind] - rank[other.kind]);
  const places = captured.map((_one, at) => ({ number: at + 1, sent: 0, answered: 0 }));
  for (const [event, { at, kind }] of events.entries()) places[at]![kind] = event + 1;
  return places;
}
