/** Faults of §5: services and caches that answer some requests to anybody. */

import type { StoreResponse } from '../../../reference-server/index.ts';
import { type Call, changeAnswer, type Fault, type FaultDraft, ordinaryExcept, type Wrap, withKey } from '../fault.ts';

/** Serves some requests whatever their key is. */
function servedToAnybody(id: string, isPublic: (call: Call) => boolean): FaultDraft {
  const wrap: Wrap = (handle) => (request, now) =>
    changeAnswer((answer, call) =>
      answer.status === 401 && isPublic(call) ? handle(withKey(request), now) : undefined,
    )(handle)(request, now);
  return { id, breaks: ['auth-missing-key'], wrap };
}

/** A cache in front of the service that stores what it serves to the key and answers everybody with it. */
function cacheForAnybody(isCached: (call: Call) => boolean): Wrap {
  return (handle) => {
    const copies = new Map<string, { readonly answer: StoreResponse; readonly at: number }>();
    return changeAnswer((answer, call) => {
      if (!isCached(call)) return undefined;
      const { target } = call.request;
      if (answer.status === 200) copies.set(target, { answer, at: call.now });
      const copy = copies.get(target);
      return answer.status === 401 && copy !== undefined && call.now - copy.at < 2_000 ? copy.answer : undefined;
    })(handle);
  };
}

const corners: readonly FaultDraft[] = [
  servedToAnybody(
    'listing-of-one-public',
    ({ operation, query }) => operation === 'listPets' && query.get('limit') === '1',
  ),
  servedToAnybody(
    'listing-by-status-public',
    ({ operation, query }) => operation === 'listPets' && query.has('status'),
  ),
  servedToAnybody('plain-listing-public', ({ operation, query }) => operation === 'listPets' && query.size === 0),
  ...(['listPets', 'getPet'] as const).map((operation) => ({
    id: `cache-of-${operation}-serves-anybody`,
    breaks: ['auth-missing-key'] as const,
    wrap: cacheForAnybody((call) => call.operation === operation),
  })),
];

export const publicCornerFaults: readonly Fault[] = ordinaryExcept(
  ['listing-of-one-public', 'listing-by-status-public', 'plain-listing-public'],
  ...corners,
);
