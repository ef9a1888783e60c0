/** Whether an answer may be an old copy: a cache may answer with what it stored before the run added an animal. */

import type { Exchange } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { longestCopyMs, refreshMs, secondMs } from '../../http/tolerances.ts';
import type { History } from '../../verdict/history.ts';

/** The seconds that an answer names in Age, and in max-age and s-maxage of Cache-Control. */
function shownAges({ response }: Exchange): readonly number[] {
  const { age = '', 'cache-control': control = '' } = response?.headers ?? {};
  const lifetimes = [...control.matchAll(/\b(?:max-age|s-maxage)\s*=\s*"?(\d{1,9})/gi)].map(([, seconds]) => seconds);
  return [/^\s*(\d{1,9})\s*$/.exec(age)?.[1], ...lifetimes].flatMap((text) =>
    text === undefined ? [] : [Number(text)],
  );
}

/** How long after a creation an answer may still be an older copy, milliseconds; Age and max-age lengthen it. */
export const patienceOf = memoize((history: History): number => {
  const { settleMs } = history.settings;
  const ages = history.answered
    .filter(({ request }) => request.method === 'GET')
    .reduce((longest, exchange) => Math.max(longest, ...shownAges(exchange)), 0);
  return Math.max(settleMs, longestCopyMs, ages * secondMs + settleMs);
});

/** Whether an exchange began so long after a moment that no cache answers it with a copy from before that moment. */
export function isBeyondCopies(history: History, { startedAt }: Pick<Exchange, 'startedAt'>, sinceMs: number): boolean {
  return startedAt - sinceMs >= patienceOf(history);
}

/**
 * Whether two of these exchanges, which ask for the same, show what is true since a moment: a cache may answer the first
 * with an old copy of any age, but refreshes it for the second.
 */
export function areConfirmed(history: History, exchanges: readonly Exchange[], sinceMs: number): boolean {
  const late = exchanges.filter((exchange) => isBeyondCopies(history, exchange, sinceMs));
  const [first] = late.toSorted((one, other) => one.endedAt - other.endedAt);
  return first !== undefined && late.some(({ startedAt }) => startedAt - first.endedAt >= refreshMs);
}
