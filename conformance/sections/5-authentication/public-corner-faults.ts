/** Faults of §5: services and caches that answer some requests to anybody. */

import type { StoreResponse } from '../../../reference-server/index.ts';
import type { OperationName } from '../../../spec/operations.ts';
import { breaking, breakingEach, changeAnswer, type Fault, ordinary, rare, type Wrap, withKey } from '../fault.ts';

/** Serves some listings whatever their key is. */
function servedToAnybody(isPublic: (query: URLSearchParams) => boolean): Wrap {
  return (handle) =>
    changeAnswer((answer, { operation, query, request, now }) =>
      answer.status === 401 && operation === 'listPets' && isPublic(query) ? handle(withKey(request), now) : undefined,
    )(handle);
}

/** A cache in front of the service that stores what it serves to the key and answers everybody with it. */
function cacheForAnybody(only: OperationName): Wrap {
  return (handle) => {
    const copies = new Map<string, { readonly answer: StoreResponse; readonly at: number }>();
    return changeAnswer((answer, call) => {
      if (call.operation !== only) return undefined;
      const { target } = call.request;
      if (answer.status === 200) copies.set(target, { answer, at: call.now });
      const copy = copies.get(target);
      return answer.status === 401 && copy !== undefined && call.now - copy.at < 2_000 ? copy.answer : undefined;
    })(handle);
  };
}

export const publicCornerFaults: readonly Fault[] = [
  ...rare(
    ...breaking('auth-missing-key', {
      'listing-of-one-public': servedToAnybody((query) => query.get('limit') === '1'),
      'listing-by-status-public': servedToAnybody((query) => query.has('status')),
      'plain-listing-public': servedToAnybody((query) => query.size === 0),
    }),
  ),
  ...ordinary(
    ...breakingEach('auth-missing-key', 'cache-of-*-serves-anybody', ['listPets', 'getPet'] as const, cacheForAnybody),
  ),
];
