/** Other clients of the same service, who add and remove animals and use the same keys. */

import type { NewPet, PetStatus } from '../../reference-server/index.ts';
import { writeJson } from '../http/json.ts';
import { harmless, readCall, type Wrap, withBody, withKey } from './wraps.ts';

const statuses: readonly (PetStatus | undefined)[] = ['available', 'pending', 'sold', undefined];

/** A catalogue that others have filled. */
export function manyAnimals(count: number): readonly NewPet[] {
  return Array.from({ length: count }, (_nothing, at) => {
    const status = statuses[at % 4];
    return { name: `old-${at}`, categoryId: BigInt((at % 10) + 1), ...(status === undefined ? {} : { status }) };
  });
}

/** Another client that adds an animal before every third listing. */
export const busy: Wrap = (handle, keys) => {
  let requests = 0;
  return (request, now) => {
    requests += 1;
    if (readCall(request, now, keys).operation === 'listPets' && requests % 3 === 0) {
      const status = statuses[requests % 4];
      const pet = { name: `other-${requests}`, categoryId: 1n, ...(status === undefined ? {} : { status }) };
      const creation = withBody({ ...request, method: 'POST', target: '/v1/pets' }, writeJson(pet));
      const headers = [...creation.headers, ['content-type', 'application/json']] as const;
      handle(withKey({ ...creation, headers }, keys.rateLimit), now);
    }
    return handle(request, now);
  };
};

/** Another client that uses the same key: remaining falls by more than one. */
export const sharedKey: Wrap = (handle, keys) => (request, now) => {
  if (readCall(request, now, keys).isAuthorized) handle(harmless(request), now);
  return handle(request, now);
};
