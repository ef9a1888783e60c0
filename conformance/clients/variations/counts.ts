/**
 * Worlds in which requests are counted otherwise (§8); nobody is refused there. Whether keys see the animals of each other
 * (`key-scope`) is no world: a client has one key, and begins where there are no animals but its own.
 */

import { countsSuccessOnly } from '../../proof/variants/limits.ts';
import { headerNumber, readCall, type Wrap, withHeader } from '../../sections/fault.ts';
import type { Variation } from '../service-variant.ts';
import { variationOf } from './answers.ts';

const remainingHeader = 'X-RateLimit-Remaining';
/** What others send in the time of one request. */
const requestsOfOthers = 2;

/** Another key of the account uses the limit up as well; it leaves one request, so that nobody has to wait for it. */
const sharedWithOthers: Wrap = (handle) => {
  const used = new Map<number, number>();
  return (request, now) => {
    const answer = handle(request, now);
    if (!readCall(request, now).isAuthorized || answer.status === 429) return answer;
    const reset = headerNumber(answer, 'X-RateLimit-Reset');
    const ofOthers = (used.get(reset) ?? 0) + requestsOfOthers;
    used.set(reset, ofOthers);
    const remaining = headerNumber(answer, remainingHeader);
    return withHeader(answer, remainingHeader, String(Math.max(Math.min(remaining, 1), remaining - ofOthers)));
  };
};

export const countVariations: readonly Variation[] = [
  {
    ...variationOf('limit-scope', 'shared', { wrap: () => sharedWithOthers }),
    meaning: 'Another key of the account uses the same limit up as well.',
  },
  variationOf('refused-requests', 'not-counted', { wrap: () => countsSuccessOnly }),
];
