/** §5 Authentication: a valid bearer key is accepted everywhere, everything else is refused everywhere. */

import type { RequirementId } from '../../spec/requirements.ts';
import { type Check, type Finding, fails, holds, type Invariant, type Scenario } from '../engine/check.ts';
import { noKey, type SentCredential } from '../engine/credentials.ts';
import type { CredentialKind, Exchange } from '../engine/exchange.ts';
import type { History } from '../engine/history.ts';
import type { JsonObject } from '../engine/json.ts';
import { statusOf } from '../engine/read-response.ts';
import type { PlannedRequest, Session } from '../engine/session.ts';
import { isRemoved } from './4.3-get-pet.ts';
import { keyAsBasic, keyElsewhere, type RefusedId, refusedCredentials } from './refused-credentials.ts';
import { createPet, createPetFrom, drawUnknownId, getPet, knownIds, listPets, plainPet } from './requests.ts';

const requirementOfKind: Readonly<Partial<Record<CredentialKind, RequirementId>>> = {
  missing: 'auth-missing-key',
  invalid: 'auth-invalid-key',
  misplaced: 'auth-bearer-header',
};

function judgeCredential(history: History, exchange: Exchange): readonly Finding[] {
  const { kind, title } = exchange.credential;
  const status = statusOf(exchange);
  if (exchange.operation === 'other' || (exchange.operation === 'getPet' && isRemoved(history))) return [];
  if (kind === 'valid') {
    if (status !== 401) return [holds('auth-valid-key', exchange)];
    return [fails('auth-valid-key', 'valid-refused', 'expected the API key to be accepted, received 401', exchange)];
  }
  const requirement = requirementOfKind[kind];
  if (requirement === undefined) return [];
  if (status === 401) return [holds(requirement, exchange)];
  const code = status !== undefined && status < 300 ? 'accepted' : 'unexpected-status';
  return [fails(requirement, code, `expected 401 for ${title}, received ${status}`, exchange)];
}

const keysAreRequired: Invariant = {
  kind: 'invariant',
  id: 'keys-are-required',
  verifies: ['auth-valid-key', 'auth-missing-key', 'auth-invalid-key', 'auth-bearer-header'],
  title: 'Requests without a valid bearer key answer 401, those with one do not',
  judge: (history) => history.answered.flatMap((exchange) => judgeCredential(history, exchange)),
};

/** One request for each operation, valid but for its credential. */
function validRequests(session: Session, credential: SentCredential): readonly PlannedRequest[] {
  const id = knownIds(session)[0] ?? 1n;
  return [
    createPetUnlessReadOnly(session, plainPet(session), credential) ?? listPets('limit=2', credential),
    listPets('limit=1', credential),
    ...(isRemoved(session) ? [] : [getPet(id, credential)]),
  ];
}

function createPetUnlessReadOnly(
  session: Session,
  body: JsonObject,
  credential: SentCredential,
): PlannedRequest | undefined {
  return session.settings.isReadOnly ? undefined : createPet(body, credential);
}

const firstRefusals: Scenario = {
  kind: 'scenario',
  id: 'first-refusals',
  rank: 1,
  verifies: ['auth-missing-key', 'auth-invalid-key', 'auth-refused-stores-nothing'],
  title: 'Creates without a key, lists with a wrong one, gets an unknown animal without one',
  run: async (session) => {
    // One character away from the real key: what accepts any key accepts this one too.
    const wrong = refusedCredential(session, 'last-character-changed');
    const body = plainPet(session);
    await session.sendAll([
      createPetUnlessReadOnly(session, body, noKey) ?? listPets('limit=2', noKey),
      listPets('', wrong),
      ...(isRemoved(session) ? [] : [getPet(drawUnknownId(session), noKey)]),
    ]);
  },
};

/** What is wrong beside the credential: a service that looks at it first answers 400, 404 or 415. */
const wrongBodies: readonly (readonly [string, string])[] = [
  ['{"name":7,"status":"gone"}', 'application/json'],
  ['{"name":', 'application/json'],
  ['', 'application/json'],
  ['name=Rex', 'text/plain'],
  ['[]', 'application/json'],
];
const queries = ['status=sold', 'limit=0&status=unknown', '', 'limit=1'];

/** The refused credential with an id; a short key has no case or no prefix, so then another. */
function refusedCredential(session: Session, id: RefusedId): SentCredential {
  const credentials = refusedCredentials(session.keys.api);
  return credentials.find(({ shown }) => shown.id === id) ?? credentials[1] ?? noKey;
}

/** A request to an operation that is wrong in another way too: its credential is what must be told. */
function wrongRequests(
  session: Session,
): Readonly<Record<'create' | 'read' | 'list', (credential: SentCredential) => PlannedRequest>> {
  let asked = 0;
  const next = <Value>(values: readonly Value[]): Value => {
    asked += 1;
    return values[asked % values.length]!;
  };
  const isReadOnly = session.settings.isReadOnly;
  return {
    create: (credential) => {
      const [body, type] = next(wrongBodies);
      return isReadOnly ? listPets('limit=3', credential) : createPetFrom(body, credential, type);
    },
    read: (credential) =>
      isRemoved(session) ? listPets('limit=5', credential) : getPet(drawUnknownId(session), credential),
    list: (credential) => listPets(next(queries), credential),
  };
}

const moreRefusals: Scenario = {
  kind: 'scenario',
  id: 'more-refusals',
  rank: 2,
  verifies: ['auth-missing-key', 'auth-invalid-key', 'auth-bearer-header', 'auth-refused-stores-nothing'],
  title: 'Sends wrong and misplaced keys to operations in turn, some with a request that is wrong in another way too',
  run: async (session) => {
    const { api } = session.keys;
    const { create, read, list } = wrongRequests(session);
    const [createValid] = validRequests(session, refusedCredential(session, 'case-exchanged'));
    const [, , readValid] = validRequests(session, refusedCredential(session, 'last-character-missing'));
    await session.sendAll([
      list(noKey),
      createValid!,
      readValid ?? list(refusedCredential(session, 'last-character-missing')),
      create(keyElsewhere(api)),
      read(refusedCredential(session, 'without-scheme')),
      listPets('limit=1', keyAsBasic(api)),
    ]);
  },
};

/** Each credential once, on operations in turn. */
const nearRefusals: Scenario = {
  kind: 'scenario',
  id: 'near-refusals',
  rank: 4,
  verifies: ['auth-missing-key', 'auth-invalid-key', 'auth-bearer-header'],
  title: 'Sends every credential that must be refused, to operations in turn',
  run: async (session) => {
    const { create, read, list } = wrongRequests(session);
    const { api } = session.keys;
    const inTurn = [list, create, read];
    // What these say is said by one request for all places of a key.
    const placed = [keyElsewhere(api), keyAsBasic(api)];
    const saidByThose = [...placed.map(({ shown }) => shown.id), 'in-query', 'in-x-api-key'];
    const isPlaced = ({ shown }: SentCredential): boolean => saidByThose.includes(shown.id);
    const others = refusedCredentials(api)
      .slice(3)
      .filter((credential) => !isPlaced(credential));
    await session.sendAll([
      list(keyElsewhere(api)),
      read(keyElsewhere(api)),
      create(keyAsBasic(api)),
      read(keyAsBasic(api)),
      ...others.map((credential, at) => inTurn[at % 3]!(credential)),
    ]);
  },
};

function isSent(session: Session, { operation, credential }: PlannedRequest): boolean {
  return session.exchanges.some(
    (exchange) => exchange.operation === operation && exchange.credential.id === credential?.shown.id,
  );
}

const everyRefusal: Scenario = {
  kind: 'scenario',
  id: 'every-refusal',
  rank: 8,
  verifies: ['auth-missing-key', 'auth-invalid-key', 'auth-bearer-header', 'auth-refused-stores-nothing'],
  title: 'Sends every credential that must be refused to every operation that has not seen it yet',
  run: async (session) => {
    for (const credential of refusedCredentials(session.keys.api)) {
      await session.sendAll(validRequests(session, credential).filter((request) => !isSent(session, request)));
    }
  },
};

export const authenticationChecks: readonly Check[] = [
  keysAreRequired,
  firstRefusals,
  moreRefusals,
  nearRefusals,
  everyRefusal,
];
