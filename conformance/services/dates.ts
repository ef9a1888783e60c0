/** Services whose clocks and dates differ: Date, Retry-After, and the clock of the service. */

import { removalOfGetPet } from '../../spec/facts.ts';
import { dayMs, hourMs, secondMs } from '../http/tolerances.ts';
import { withLimitHeaders } from './limiters.ts';
import type { Service } from './service.ts';
import { changeAnswer, type Wrap, withHeader } from './wraps.ts';

/** Date by a clock that is ahead of the service's. */
function dated(aheadMs: number): Wrap {
  return changeAnswer((answer, { now }) => withHeader(answer, 'Date', new Date(now + aheadMs).toUTCString()));
}

/** Every second answer comes from an instance whose clock is ahead of that of the other; they share the counter. */
const secondClock = (aheadMs: number): Wrap =>
  changeAnswer((answer, { now }, count) => {
    const reset = Number(answer.headers['X-RateLimit-Reset']) + aheadMs / secondMs;
    const dated = withHeader(answer, 'Date', new Date(now + aheadMs).toUTCString());
    return count % 2 === 0 ? withHeader(dated, 'X-RateLimit-Reset', String(reset)) : undefined;
  });

/** By turns the headers describe the limit of the day. */
const dayByTurns: Wrap = changeAnswer((answer, { now }, count) => {
  const state = { limit: 100_000, remaining: 90_000 - count, resetsAt: (Math.floor(now / dayMs) + 1) * dayMs };
  return answer.status < 400 && count % 2 === 0 ? withLimitHeaders(answer, state) : undefined;
});

/** A Retry-After that ends before the reset. */
export function comesBackSooner(retryAfterOf: (now: number) => string): Wrap {
  return changeAnswer((answer, { now }) =>
    answer.status === 429 ? withHeader(answer, 'Retry-After', retryAfterOf(now)) : undefined,
  );
}

function retryAfter(write: (date: Date) => string): Wrap {
  return changeAnswer((answer, { now }) => {
    const seconds = Number(answer.headers['Retry-After']);
    const date = new Date(now + seconds * 1_000);
    return answer.status === 429 ? withHeader(answer, 'Retry-After', write(date)) : undefined;
  });
}

function rfc850(date: Date): string {
  const [, day = '', month = '', year = '', time = ''] = date.toUTCString().split(/,? /);
  const weekday = date.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
  return `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`;
}

/** From the earliest moment of its removal on, a router that knows getPet no more answers it. */
const removedAsAPage: Wrap = changeAnswer((answer, { operation, now }) =>
  operation === 'getPet' && now >= removalOfGetPet
    ? { ...withHeader(answer, 'Content-Type', 'text/html'), status: 404, body: '<html>Not Found</html>' }
    : undefined,
);

export const dateServices: readonly Service[] = [
  { id: 'date-of-a-gateway', wrap: dated(hourMs) },
  { id: 'date-of-the-answer', wrap: dated(8_000), latencyMs: 8_000 },
  { id: 'no-date', hasNoDate: true },
  { id: 'no-date-and-dates-to-retry', hasNoDate: true, skewMs: -60_000, gaps: { 'retry-after-form': 'http-date' } },
  { id: 'clock-behind-and-no-date', hasNoDate: true, skewMs: -5 * hourMs },
  { id: 'clock-a-little-behind-its-gateway', wrap: dated(9_000), skewMs: -9_000 },
  { id: 'two-clocks-90-s-apart', wrap: secondClock(90 * secondMs) },
  { id: 'retry-after-of-rfc-850', wrap: retryAfter(rfc850), observes: { 'retry-after-form': 'http-date' } },
  { id: 'may-come-back-sooner', wrap: comesBackSooner(() => '1') },
  { id: 'may-come-back-after-an-hour', wrap: comesBackSooner(() => '3600') },
  {
    id: 'may-come-back-at-a-date-that-has-passed',
    wrap: comesBackSooner((now) => new Date(now - 20_000).toUTCString()),
    observes: { 'retry-after-form': 'http-date' },
  },
  { id: 'minute-or-day-before-midnight', wrap: dayByTurns, startsAt: Date.UTC(2026, 10, 21, 23, 59, 20) },
  {
    id: 'get-pet-removed-during-the-run',
    wrap: removedAsAPage,
    startsAt: removalOfGetPet - 20 * secondMs,
    latencyMs: secondMs,
    observes: { 'after-removal': 'refused-otherwise' },
  },
];
