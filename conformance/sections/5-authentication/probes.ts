/** §5 One queue of credentials and operations, the likeliest mistakes first; and requests that a service may answer to anybody. */

import type { OperationName } from '../../../spec/operations.ts';
import { type Keys, noKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { statusOf } from '../../http/read-response.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Session } from '../../run/session.ts';
import type { Probe, ProbeKind } from '../../run/suite.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { createPet, createPetFrom, drawUnknownId, getPet, knownIds, listPets, plainPet } from '../requests.ts';
import { credentialIds, findCredential, isUnusualCredential, type SentId } from './credentials.ts';

/** A credential for one operation. `wrong`: the rest of the request breaks as many other rules as possible. */
type QueuedCredential = readonly [rank: number, credential: SentId, operation: OperationName, rest: 'valid' | 'wrong'];

const operationOrder = ['listPets', 'createPet', 'getPet'] as const satisfies readonly OperationName[];

/**
 * Credentials that a service may accept or is only advised to refuse. They are sent with valid listings alone: the rest of the
 * request could be the reason for a refusal, and a creation would leave an animal behind.
 */
const openForms: readonly SentId[] = ['case-exchanged', 'lower-case', 'lower-case-bearer'];

const first: readonly QueuedCredential[] = [
  // A service that needs no key at all accepts this request as well, so it stands for the request without a key.
  [1, 'elsewhere', 'createPet', 'valid'],
  // A service that accepts any key, or compares a part of it, accepts a key with another last character.
  [1, 'last-character-changed', 'listPets', 'wrong'],
  [1, 'scheme-api-key', 'getPet', 'wrong'],
  [1, 'one-character-more', 'createPet', 'valid'],
  // Right after the first read and the first listings with the key: a cache that ignores keys answers with their copy.
  [0.95, 'none', 'getPet', 'valid'],
  [1.6, 'none', 'listPets', 'valid'],
  [2.4, 'last-character-missing', 'getPet', 'valid'],
  [2.4, 'basic-user-and-password', 'listPets', 'wrong'],
  [2, 'scheme-token', 'createPet', 'wrong'],
  [2.4, 'without-scheme', 'listPets', 'wrong'],
  [2.4, 'empty-header', 'createPet', 'wrong'],
  [2, 'bearer-without-key', 'listPets', 'valid'],
  [2.4, 'word-constructor', 'listPets', 'valid'],
  [3.4, 'case-exchanged', 'listPets', 'valid'],
  [5, 'one-character-before', 'getPet', 'valid'],
  [5, 'none', 'createPet', 'wrong'],
  [5, 'none', 'listPets', 'wrong'],
];

/** One operation alone may accept a credential. Every operation gets so many credentials, the commonest, within 300 requests. */
const everywhere = 6;
/** So many more credentials are sent to one operation each within 300 requests. */
const withinUsual = 27;

/** Every credential for every operation, one operation after the other, by rank. */
export const credentialQueue: readonly QueuedCredential[] = [
  ...first,
  ...openForms.filter((id) => id !== 'case-exchanged').map((id): QueuedCredential => [5, id, 'listPets', 'valid']),
  ...[5, 7, 9].flatMap((ofRound, round) =>
    credentialIds
      .filter((id) => !openForms.includes(id))
      .flatMap((id, at): readonly QueuedCredential[] => {
        const operation = operationOrder[(at + round) % operationOrder.length]!;
        if (first.some(([, known, sentTo]) => known === id && sentTo === operation)) return [];
        const isWrong = (at + round) % 2 === 0 && !isUnusualCredential(id);
        const rank = at < everywhere ? 5 : Math.max(ofRound, at < withinUsual ? 5 : 7);
        return [[rank, id, operation, isWrong ? 'wrong' : 'valid']];
      }),
  ),
];

type BuildRequest = (session: Session) => PlannedRequest;

/** Requests that a service which checks them before the key answers with 400, 404, 415 or 422, in turn. */
const wrongRequests: Readonly<Record<OperationName, readonly BuildRequest[]>> = {
  listPets: ['limit=abc', 'limit=0&status=unknown&sort=name'].map((query) => () => listPets(query)),
  // A service that looks at the form of the petId before the key answers 400, and a router that does so may answer 404.
  getPet: [(session) => getPet(drawUnknownId(session)), () => getPet('abc')],
  createPet: [
    () => createPetFrom('{"name":7,"status":"gone"'),
    () => createPetFrom('{"name":7,"status":"gone"}'),
    () => createPetFrom('name=Rex', 'text/plain'),
    () => createPetFrom(''),
  ],
};

const validRequests: Readonly<Record<OperationName, BuildRequest>> = {
  listPets: () => listPets(),
  getPet: (session) => getPet(knownIds(session)[0] ?? 1n),
  createPet: (session) => createPet(plainPet(session)),
};

/** Whether the run may not send requests of an operation. */
function isBarred(session: Session, operation: OperationName): boolean {
  if (operation === 'createPet') return session.settings.isReadOnly;
  return operation === 'getPet' && isRemoved(session);
}

/** The target that was served last with the key, of which a cache that ignores keys has a copy; or else that of the request. */
function lastServedTarget({ exchanges }: Session, { operation, target }: PlannedRequest): string {
  const isServed = (one: Exchange): boolean => one.credential.kind === 'valid' && statusOf(one) === 200;
  return exchanges.findLast((one) => one.operation === operation && isServed(one))?.request.target ?? target;
}

/** Sends the credential of a row of the queue, which has the number `at`; undefined if these keys do not give it. */
function probeOfRow([rank, id, operation, rest]: QueuedCredential, at: number, keys: Keys): Probe | undefined {
  const credential = findCredential(id, keys);
  if (credential === undefined) return undefined;
  const wrong = wrongRequests[operation];
  const ask = rest === 'valid' ? validRequests[operation] : wrong[at % wrong.length]!;
  // A listing replaces what may not be sent.
  const build = (session: Session) => (isBarred(session, operation) ? listPets('limit=2') : ask(session));
  return {
    rank,
    request: (session) => {
      const request = build(session);
      const isPlainWithoutKey = id === 'none' && rest === 'valid';
      const target = isPlainWithoutKey ? lastServedTarget(session, request) : request.target;
      return { ...request, target, credential };
    },
    next: (_session, exchange) => {
      // A service that accepts the key elsewhere may need none.
      if (id !== 'elsewhere' || statusOf(exchange) === 401) return [];
      return [{ rank, request: (session) => ({ ...build(session), credential: noKey }) }];
    },
  };
}

export const authenticationProbes: readonly ProbeKind[] = [
  {
    id: 'keys',
    verifies: [
      'auth-missing-key',
      'auth-invalid-key',
      'auth-bearer-header',
      'auth-refused-stores-nothing',
      'auth-key-case',
    ],
    probes: ({ keys }) => credentialQueue.flatMap((row, at) => probeOfRow(row, at, keys) ?? []),
  },
];
