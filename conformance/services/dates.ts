/** Services whose clocks and dates differ: Date, Retry-After, and the clock of the service. */

import { removalOfGetPet } from '../../spec/facts.ts';
import { hourMs, secondMs } from '../http/tolerances.ts';
import type { Service } from './service.ts';
import { changeAnswer, type Wrap, withHeader } from './wraps.ts';

/** Date by a clock that is ahead of the service's. */
function dated(aheadMs: number): Wrap {
  return changeAnswer((answer, { now }) => withHeader(answer, 'Date', new Date(now + aheadMs).toUTCString()));
}

/** A Retry-After that ends at another moment than the reset. */
export function comesBackSooner(retryAfterOf: (now: number) => string): Wrap {
  return changeAnswer((answer, { now }) =>
    answer.status === 429 ? withHeader(answer, 'Retry-After', retryAfterOf(now)) : undefined,
  );
}

/** From the earliest moment of its removal on, a router that knows getPet no more answers it. */
const removedAsAPage: Wrap = changeAnswer((answer, { operation, now }) =>
  operation === 'getPet' && now >= removalOfGetPet
    ? { ...withHeader(answer, 'Content-Type', 'text/html'), status: 404, body: '<html>Not Found</html>' }
    : undefined,
);

export const dateServices: readonly Service[] = [
  { id: 'slow', latencyMs: 900 },
  { id: 'clock-ahead', skewMs: hourMs },
  { id: 'clock-behind', skewMs: -2 * hourMs },
  { id: 'clock-a-little-behind-its-gateway', wrap: dated(9_000), skewMs: -9_000 },
  { id: 'date-of-a-gateway', wrap: dated(hourMs) },
  { id: 'no-date', hasNoDate: true },
  { id: 'may-come-back-sooner', wrap: comesBackSooner(() => '1') },
  { id: 'may-come-back-after-an-hour', wrap: comesBackSooner(() => '3600') },
  {
    id: 'get-pet-removed-during-the-run',
    wrap: removedAsAPage,
    startsAt: removalOfGetPet - 20 * secondMs,
    latencyMs: secondMs,
    observes: { 'after-removal': 'refused-otherwise' },
  },
];
