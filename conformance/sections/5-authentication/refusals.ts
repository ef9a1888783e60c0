/** §5 Which credential goes to which operation, the likeliest mistakes first, and the scenarios that send them. */

import { defined } from '../../../spec/defined.ts';
import type { OperationName } from '../../../spec/operations.ts';
import { noKey, type SentCredential } from '../../http/credentials.ts';
import { statusOf } from '../../http/read-response.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { nameTag } from '../../verdict/names.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import {
  createPet,
  createPetFrom,
  drawUnknownId,
  getPet,
  hardestOf,
  idsIn,
  knownIds,
  listPets,
  plainPet,
} from '../requests.ts';
import { credentialIds, findCredential, isOddCredential, partsOf, type SentId } from './credentials.ts';

/** A credential for one operation. `wrong`: the rest of the request breaks as many other rules as possible. */
interface CredentialRow {
  readonly credential: SentId;
  readonly operation: OperationName;
  readonly rest: 'valid' | 'wrong';
  readonly rank: 1 | 2 | 5 | 7 | 9;
}

const operations = ['listPets', 'createPet', 'getPet'] as const satisfies readonly OperationName[];

type First = readonly [CredentialRow['rank'], SentId, OperationName, CredentialRow['rest']];

const first: readonly First[] = [
  // Without a key, too: what needs none accepts this one.
  [1, 'elsewhere', 'createPet', 'valid'],
  // One character away from the key: what accepts any key accepts this one, too.
  [1, 'last-character-changed', 'listPets', 'wrong'],
  [1, 'scheme-api-key', 'getPet', 'wrong'],
  [1, 'one-character-more', 'createPet', 'wrong'],
  // A cache that ignores keys answers these with the copy that it gave to the key.
  [2, 'none', 'listPets', 'valid'],
  [2, 'none', 'getPet', 'valid'],
  [2, 'last-character-missing', 'getPet', 'valid'],
  [2, 'basic-user-and-password', 'listPets', 'wrong'],
  [2, 'scheme-token', 'createPet', 'wrong'],
  [2, 'elsewhere-with-bearer', 'getPet', 'wrong'],
  [2, 'without-scheme', 'listPets', 'wrong'],
  [2, 'empty-header', 'createPet', 'valid'],
  [2, 'bearer-without-key', 'listPets', 'valid'],
  [5, 'word-null', 'listPets', 'valid'],
  [5, 'none', 'createPet', 'wrong'],
  [5, 'none', 'listPets', 'wrong'],
];

/** Credentials that one operation alone may accept: each operation receives them within the usual budget. */
const likely: readonly SentId[] = [
  'none',
  'elsewhere',
  'elsewhere-with-bearer',
  'basic-user-and-password',
  'without-scheme',
  'last-character-missing',
  // Three times in all: a service may keep what it has once refused as if it were known.
  'last-character-changed',
];

/** A refusal of these shows something only if the request is valid otherwise; an acceptance is no mistake of a creation. */
const onlyListed: readonly SentId[] = ['case-exchanged', 'lower-case', 'two-spaces', 'lower-case-bearer'];

/** So many of the likeliest come within the usual budget. */
const withinUsual = 28;

function readQueue(): readonly CredentialRow[] {
  const rounds = ([5, 7, 9] as const).flatMap((ofRound, round) =>
    credentialIds.flatMap((credential, at): readonly CredentialRow[] => {
      const isListed = onlyListed.includes(credential);
      const operation = isListed ? 'listPets' : operations[(at + round) % 3]!;
      const isSent = first.some(([, id, sentTo]) => id === credential && sentTo === operation);
      if (isSent || (isListed && round > 0)) return [];
      const isWrong = (at + round) % 2 === 0 && !isListed && !isOddCredential(credential);
      const isLikely = isListed || likely.includes(credential);
      const rank = isLikely ? 5 : round === 0 && at >= withinUsual ? 7 : ofRound;
      return [{ credential, operation, rest: isWrong ? 'wrong' : 'valid', rank }];
    }),
  );
  const before = first.map(([rank, credential, operation, rest]) => ({ credential, operation, rest, rank }));
  return [...before, ...rounds.toSorted((one, other) => one.rank - other.rank)];
}

/** Every credential for every operation, the likeliest mistakes first. */
export const credentialQueue = readQueue();

/** Bodies and queries that a service which checks them before the key answers with 400, 404, 415 or 422. */
const wrongBodies = [
  ['{"name":7,"status":"gone"', 'application/json'],
  ['name=Rex', 'text/plain'],
  ['{"name":7,"status":"gone"}', 'application/json'],
  ['', 'application/json'],
  ['[]', 'application/json'],
] as const;
const wrongQueries = ['limit=0&status=unknown&sort=name', 'limit=abc', 'limit=101&page=2'] as const;

function wrongRequest(session: Session, operation: OperationName, turn: number): PlannedRequest {
  if (operation === 'listPets') return listPets(wrongQueries[turn % wrongQueries.length]);
  // A service that looks at the form of the petId before the key answers 400, and a router that does so may answer 404.
  if (operation === 'getPet') return getPet(turn === 1 ? 'abc' : drawUnknownId(session));
  const [body, type] = wrongBodies[turn % wrongBodies.length]!;
  return createPetFrom(body, undefined, type);
}

function validRequest(session: Session, operation: OperationName, credential: SentCredential): PlannedRequest {
  if (operation === 'listPets') return listPets(credential === noKey ? '' : 'limit=1');
  // One that was read with the key: a cache that ignores keys has its copy.
  if (operation === 'getPet') return getPet(hardestOf(session) ?? knownIds(session)[0] ?? 1n);
  return createPet(plainPet(session));
}

/** The request of a row; undefined where the key has no such credential. A listing replaces what may not be sent. */
export function requestFor(session: Session, row: CredentialRow): PlannedRequest | undefined {
  const { credential: id, rest } = row;
  const credential = findCredential(id, session.keys);
  const isBarred = { listPets: false, createPet: session.settings.isReadOnly, getPet: isRemoved(session) };
  const operation = isBarred[row.operation] ? 'listPets' : row.operation;
  if (credential === undefined) return undefined;
  const before = credentialQueue.slice(0, credentialQueue.indexOf(row));
  const turn = before.filter((one) => one.operation === row.operation && one.rest === 'wrong').length;
  const request =
    rest === 'valid' ? validRequest(session, operation, credential) : wrongRequest(session, operation, turn);
  return { ...request, credential };
}

/** Sends requests that must be refused; if a combined credential is not, its parts up to the one with the same answer. */
async function sendRefused(session: Session, requests: readonly PlannedRequest[]): Promise<void> {
  const exchanges = await session.sendAll(requests);
  for (const [at, { body, ...request }] of requests.entries()) {
    const status = statusOf(exchanges[at]!) ?? 401;
    for (const credential of status === 401 ? [] : partsOf(request.credential!.shown.id, session.keys.api)) {
      const renamed = defined({ body: body?.replace(nameTag, () => session.newName()) });
      if (statusOf(await session.send({ ...request, ...renamed, credential })) === status) break;
    }
  }
}

const verifies = [
  'auth-missing-key',
  'auth-invalid-key',
  'auth-bearer-header',
  'auth-key-case',
  'auth-refused-stores-nothing',
] as const;

/** Sends the rows of a rank. */
export const refusals = (rank: CredentialRow['rank']): Scenario => ({
  id: `refusals-${rank}`,
  rank,
  canRunInParallel: true,
  verifies: rank < 5 ? verifies.filter((id) => id !== 'auth-key-case') : verifies,
  title: 'Sends missing, wrong and misplaced keys, some with a request that is wrong otherwise, too',
  run: (session) => {
    const rows = credentialQueue.filter((row) => row.rank === rank);
    return sendRefused(
      session,
      rows.flatMap((row) => requestFor(session, row) ?? []),
    );
  },
});

/** Requests that a service may answer to anybody, or a cache with what it has just answered to the key. */
export const publicCorners: Scenario = {
  id: 'public-corners',
  rank: 5,
  verifies: ['auth-missing-key'],
  title: 'Repeats short, filtered and plain listings and the read of a new animal without the key',
  run: async (session) => {
    const sendTwice = async (request: PlannedRequest): Promise<void> => {
      await session.send(request);
      await session.send({ ...request, credential: noKey });
    };
    for (const query of ['limit=1', 'status=available&limit=2', 'status=sold', '']) await sendTwice(listPets(query));
    if (session.settings.isReadOnly || isRemoved(session)) return;
    const [id] = idsIn(await session.send(createPet(plainPet(session))));
    if (id !== undefined) await sendTwice(getPet(id));
  },
};
