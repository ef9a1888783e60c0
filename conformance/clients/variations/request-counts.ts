/**
 * Variations that count requests differently (§8) and refuse none of them. There is none for `key-scope`, whether keys see
 * each other's animals: a client has one key.
 */

import { countsSuccessOnly } from '../../sections/8-limits/limiters.ts';
import { headerNumber, readCall, type Wrap, withHeader } from '../../sections/fault.ts';
import type { Variation } from '../service-variant.ts';
import { variationOf } from './answers.ts';

const remainingHeader = 'X-RateLimit-Remaining';
/** Requests of another key for each request of the client. */
const otherRequests = 2;

/** Another key of the account uses up the same limit, but leaves one request, so that the client never has to wait. */
const sharedWithOthers: Wrap = (handle) => {
  const used = new Map<number, number>();
  return (request, now) => {
    const answer = handle(request, now);
    if (!readCall(request, now).isAuthorized || answer.status === 429) return answer;
    const reset = headerNumber(answer, 'X-RateLimit-Reset');
    const usedByOthers = (used.get(reset) ?? 0) + otherRequests;
    used.set(reset, usedByOthers);
    const remaining = headerNumber(answer, remainingHeader);
    return withHeader(answer, remainingHeader, String(Math.max(Math.min(remaining, 1), remaining - usedByOthers)));
  };
};

export const countVariations: readonly Variation[] = [
  {
    ...variationOf('limit-scope', 'shared', { wrap: () => sharedWithOthers }),
    meaning: 'Another key of the account uses up the same limit.',
  },
  variationOf('refused-requests', 'not-counted', { wrap: () => countsSuccessOnly }),
];
