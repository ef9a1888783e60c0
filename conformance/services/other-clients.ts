/** Other clients of the same service, who add and remove animals and use the same keys. */

import type { NewPet, PetStatus } from '../../reference-server/index.ts';
import { isAllowedLimit } from '../../spec/operations.ts';
import { isInt64, isJsonObject, type JsonValue, writeJson } from '../http/json.ts';
import {
  changeAnswer,
  changeJson,
  changeRequest,
  harmless,
  readCall,
  type Wrap,
  withBody,
  withKey,
  withTarget,
} from './wraps.ts';

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
    const { operation } = readCall(request, now, keys);
    if (operation === 'listPets' && requests % 3 === 0) {
      const status = statuses[requests % 4];
      const pet = { name: `other-${requests}`, categoryId: 1n, ...(status === undefined ? {} : { status }) };
      const theirs = withKey(
        withBody({ ...request, method: 'POST', target: '/v1/pets' }, writeJson(pet)),
        keys.rateLimit,
      );
      handle({ ...theirs, headers: [...theirs.headers, ['content-type', 'application/json']] }, now);
    }
    return handle(request, now);
  };
};

/** Another client that uses the same key: remaining falls by more than one. */
export const sharedKey: Wrap = (handle, keys) => (request, now) => {
  if (readCall(request, now, keys).isAuthorized) handle(harmless(request), now);
  return handle(request, now);
};

/** Other clients have animals with ids at the limits of integer types, which no page has room for. */
export const othersAtTheEnds: Wrap = changeAnswer((answer, { operation, request }) => {
  const id = /^\/v1\/pets\/(0|-1|9007199254740993|-?92233720368547758\d\d)$/.exec(request.target)?.[1];
  if (operation !== 'getPet' || answer.status !== 404 || id === undefined || !isInt64(BigInt(id))) return undefined;
  return { ...answer, status: 200, body: writeJson({ id: BigInt(id), name: 'Rex', categoryId: 1n }) };
});

/** How many of their twelve animals other clients have removed, when there were so many requests. */
const countVanished = (requests: number): number => Math.min(12, Math.floor(requests / 10));

/** Other clients remove their twelve animals one by one, by an operation that is not shown. */
export const othersVanish: Wrap = (handle, keys) => {
  let requests = 0;
  const isGone = (id: JsonValue | undefined): boolean =>
    typeof id === 'bigint' && id <= BigInt(countVanished(requests));
  const whole = changeRequest((request, { operation, query }) => {
    if (operation === 'listPets' && isAllowedLimit(query.get('limit'))) query.set('limit', '100');
    return operation === 'listPets' ? withTarget(request, `/v1/pets?${query}`) : request;
  });
  return (request, now) => {
    requests += 1;
    const { operation, query } = readCall(request, now, keys);
    const id = /^\/v1\/pets\/(\d{1,2})$/.exec(request.target)?.[1];
    const isRead = operation === 'getPet' && id !== undefined && isGone(BigInt(id));
    const unlisted = changeJson((json, _call, { status }) =>
      status === 200 && Array.isArray(json)
        ? json.filter((entry) => isJsonObject(entry) && !isGone(entry['id'])).slice(0, Number(query.get('limit') ?? 20))
        : undefined,
    );
    return unlisted(whole(handle, keys), keys)(isRead ? withTarget(request, '/v1/pets/-1') : request, now);
  };
};
