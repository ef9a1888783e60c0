/** Finds the operation that a request asks for (§4), or why there is none. */

import { type Outcome, refuse } from './answer.ts';
import { createPet, getPet, readRemoval, type Store } from './operations.ts';
import { maxBodyBytes, readHeader, readTarget, type StoreRequest, type Unread } from './request.ts';

const unreadable: Readonly<Record<Unread['status'], string>> = {
  400: 'The request cannot be read as HTTP.',
  408: 'The request did not come to its end in time.',
  413: `The body is larger than ${maxBodyBytes} bytes.`,
  431: 'The headers are too large.',
};

/** What a path names: the collection, an animal by the segment after it, or nothing. */
type Place = { readonly name: 'pets' | 'nowhere' } | { readonly name: 'pet'; readonly segment: string };

function findPlace(path: string, collection: string): Place {
  if (path === collection) return { name: 'pets' };
  const isInside = path.startsWith(collection) && path[collection.length] === '/';
  const segment = isInside ? path.slice(collection.length + 1) : '';
  return segment === '' || segment.includes('/') ? { name: 'nowhere' } : { name: 'pet', segment };
}

/** The methods of a place; an animal has none left after the removal of getPet (§9), and then there is nothing. */
function findMethods({ name }: Place, now: number, store: Store): string | undefined {
  if (name === 'pets') return 'GET, POST';
  return name === 'pet' && readRemoval(now, store) === undefined ? 'GET' : undefined;
}

/** Answers a request that its key and its limit let through; `now` is Unix milliseconds. */
export function operate(request: StoreRequest, now: number, store: Store): Outcome {
  const { method, target, body } = request;
  const unread = body.length > maxBodyBytes ? 413 : request.unread?.status;
  if (unread !== undefined) return refuse(unread, unreadable[unread]);
  const [path, query] = readTarget(target);
  const place = findPlace(path, store.collection);
  if (place.name === 'pets' && method === 'GET') return store.listPets(query);
  if (place.name === 'pets' && method === 'POST') {
    return createPet(body, readHeader(request, 'content-type').trim(), store);
  }
  if (place.name === 'pet' && method === 'GET') return getPet(place.segment, now, store);
  const allowed = findMethods(place, now, store);
  if (allowed === undefined || store.behaviour['other-operations'] === 404) {
    return refuse(404, 'There is nothing at this address.');
  }
  return refuse(405, `This address takes ${allowed}.`, { Allow: allowed });
}
