/** §8 The requests that use up a key: every operation, valid and invalid requests mixed, in an order by the seed. */

import { type OperationName, petStatuses } from '../../../spec/operations.ts';
import { rateLimitKey, type SentCredential } from '../../http/credentials.ts';
import { statusOf } from '../../http/read-response.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Session } from '../../run/session.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { shuffle } from '../orders.ts';
import { createPet, drawUnknownId, getPet, idsIn, listPets, plainPet } from '../requests.ts';
import { countedErrors } from './probes.ts';

/** Whether the rate-limit key may be used to create an animal. */
export function mayCreateWith(session: Session): boolean {
  return !session.settings.isReadOnly && session.budget.creationsLeft() > 0;
}

/** The animals that the rate-limit key has seen, the newest first. Another key may see others. */
function idsOfKey({ exchanges }: Session): readonly bigint[] {
  const ofKey = exchanges.filter(({ credential }) => credential.kind === 'rate-limit');
  return [...new Set(ofKey.toReversed().flatMap(idsIn))];
}

/** A creation without categoryId. */
function invalidCreation(session: Session, credential: SentCredential): PlannedRequest {
  return createPet({ name: session.newName() }, credential);
}

/**
 * One request of each operation, since all share one limit; none of an operation that may not be sent. Where the service
 * has counted the errors of an operation, its request is one that a service may look at before the limit.
 */
export function beyondTheLimit(session: Session, key: string): readonly PlannedRequest[] {
  const credential = rateLimitKey(key);
  const isCounted = countedErrors(session);
  const id = (isCounted('getPet') ? undefined : idsOfKey(session)[0]) ?? drawUnknownId(session);
  const requests: Readonly<Record<OperationName, PlannedRequest | undefined>> = {
    getPet: isRemoved(session) ? undefined : getPet(id, credential),
    createPet: mayCreateWith(session) ? createPet(plainPet(session), credential) : undefined,
    listPets: listPets(`limit=${isCounted('listPets') ? 0 : 1}&status=sold`, credential),
  };
  return Object.values(requests).filter((request) => request !== undefined);
}

/** An invalid creation beside the valid one, which alone shows whether a refused creation is stored. */
export function invalidBeyondTheLimit(session: Session, key: string): readonly PlannedRequest[] {
  return countedErrors(session)('createPet') ? [invalidCreation(session, rateLimitKey(key))] : [];
}

/** Whether creations are worth trying: a key without the right for them is refused with 403. */
function isCreating(session: Session): boolean {
  const isForbidden = session.exchanges.some(
    (one) => one.credential.kind === 'rate-limit' && one.operation === 'createPet' && statusOf(one) === 403,
  );
  return mayCreateWith(session) && !isForbidden;
}

/** Nothing can be deleted, so a window creates two animals: one at first, and one when so few requests are left. */
const leftForLastCreation = 2;
/** A service may count errors or not. A few show what it does, and none comes where it could be the last request. */
const mostErrors = 4;
const leftForErrors = 3;

/** The next request for a key that has so many requests left. */
export type NextRequest = (left: number) => PlannedRequest;

/** The largest limit of the listings, which use one limit after another: equal requests could meet a cache. */
export const largestLimit = 20;

/**
 * First requests that are served, then errors: an error that gives the whole limit back shows once some of it is used.
 * Then each kind of request in every round; `served-only` leaves out the errors.
 */
export function createMix(session: Session, key: string, kinds: 'all' | 'served-only' = 'all'): NextRequest {
  const credential = rateLimitKey(key);
  let [listings, reads, creations, errors] = [0, 0, 0, 0];
  const list = (filter = ''): PlannedRequest => {
    listings += 1;
    return listPets(`limit=${1 + ((listings - 1) % largestLimit)}${filter}`, credential);
  };
  /** Returns undefined where it is not the turn of its kind. */
  type Kind = (left: number) => PlannedRequest | undefined;
  const filtered: Kind = () => list(`&status=${petStatuses[Math.floor(session.random() * petStatuses.length)]}`);
  const known: Kind = () => {
    const ids = isRemoved(session) ? [] : idsOfKey(session);
    reads += 1;
    return ids.length === 0 ? undefined : getPet(ids[(reads - 1) % ids.length]!, credential);
  };
  const creation: Kind = (left) => {
    const isDue = creations === 0 || (creations === 1 && left === leftForLastCreation);
    if (!isDue || !isCreating(session)) return undefined;
    creations += 1;
    return createPet(plainPet(session), credential);
  };
  const error =
    (request: () => PlannedRequest | undefined): Kind =>
    (left) => {
      if (left < leftForErrors || errors >= mostErrors) return undefined;
      errors += 1;
      return request();
    };
  const invalid = error(() => (isCreating(session) ? invalidCreation(session, credential) : undefined));
  const unknown = error(() => (isRemoved(session) ? undefined : getPet(drawUnknownId(session), credential)));
  const outOfRange = error(() => listPets('limit=0&status=sold', credential));
  const draw = (all: readonly Kind[]): readonly Kind[] => shuffle(all, session.random);
  const refused = kinds === 'all' ? [invalid, unknown, outOfRange] : [];
  // After the recovery an animal has been created already.
  const queue: Kind[] = [() => list(), ...draw(kinds === 'all' ? [known, creation] : [known]), ...draw(refused)];
  return (left) => {
    if (queue.length === 0) queue.push(...draw([filtered, known, ...refused]));
    return (creations === 1 ? creation(left) : undefined) ?? queue.shift()!(left) ?? list();
  };
}
