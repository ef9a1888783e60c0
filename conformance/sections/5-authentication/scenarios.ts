/** §5 Sends wrong, missing and misplaced keys, with valid and with invalid requests. */

import { defined } from '../../../spec/defined.ts';
import type { OperationName } from '../../../spec/operations.ts';
import { credentialFor, noKey, type SentCredential } from '../../http/credentials.ts';
import { statusOf } from '../../http/read-response.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { nameTag } from '../../verdict/names.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { hardestOf } from '../4.3-get-pet/scenarios.ts';
import { cycle, shuffle } from '../orders.ts';
import { createPet, createPetFrom, drawUnknownId, getPet, knownIds, listPets, plainPet } from '../requests.ts';
import { keysInOtherCase } from './damaged-keys.ts';
import { isBlockable } from './header-forms.ts';
import { bearerElsewhere, keyAsBasic, keyElsewhere, partsOf } from './misplaced-keys.ts';
import { drawDamaged, type RefusedId, refusedCredentials, twoSpaces } from './refused-credentials.ts';

/** Builds the next request of one operation with a credential; consecutive requests differ. */
type NextRequest = (credential: SentCredential) => PlannedRequest;

/** Requests of each operation; listings replace operations that may not be sent. */
type Operations = Readonly<Record<OperationName, NextRequest>>;

/** Requests that are valid except for their credential, so that a service that accepts it succeeds. */
function validRequests(session: Session): Operations {
  // One that was read with the key: a cache that ignores keys has its copy.
  const id = hardestOf(session) ?? knownIds(session)[0] ?? 1n;
  return {
    createPet: (credential) =>
      session.settings.isReadOnly ? listPets('limit=2', credential) : createPet(plainPet(session), credential),
    listPets: (credential) => listPets('limit=1', credential),
    getPet: (credential) => (isRemoved(session) ? listPets('limit=3', credential) : getPet(id, credential)),
  };
}

/**
 * Requests that break as many other rules as possible: a service that checks one of these before the key answers 400,
 * 404, 415 or 422.
 */
function wrongRequests(session: Session): Operations {
  const json = 'application/json';
  const body = cycle<readonly [string, string]>([
    ['{"name":7,"status":"gone"', json],
    ['{"name":7,"status":"gone"}', json],
    ['name=Rex', 'text/plain'],
    ['', json],
    ['[]', json],
    ['<pet/>', 'application/xml'],
  ]);
  const query = cycle(['limit=0&status=unknown&sort=name', 'limit=abc', '', 'limit=101&page=2', 'status=sold']);
  const segment = cycle([drawUnknownId(session), 2n ** 63n - 1n, 0n]);
  return {
    createPet: (credential) => {
      if (session.settings.isReadOnly) return listPets('limit=3', credential);
      const [text, type] = body();
      return createPetFrom(text, credential, type);
    },
    listPets: (credential) => listPets(query(), credential),
    getPet: (credential) => (isRemoved(session) ? listPets('limit=5', credential) : getPet(segment(), credential)),
  };
}

/** A creation in another media type: a service that looks at that before the key answers 415 or 400. */
function inText(session: Session, credential: SentCredential): PlannedRequest {
  return session.settings.isReadOnly
    ? listPets('limit=4', credential)
    : createPetFrom('name=Rex', credential, 'text/plain');
}

/** The refused credential with an id; no key if the API key is too short for it. */
function refused(session: Session, id: RefusedId): SentCredential {
  return refusedCredentials(session.keys).find(({ shown }) => shown.id === id) ?? noKey;
}

/** Sends the parts of a combined credential one by one, up to the one that gets the same answer. */
async function sendParts(session: Session, request: PlannedRequest, status: number): Promise<void> {
  for (const credential of partsOf(request.credential?.shown.id ?? '', session.keys.api)) {
    const body = request.body?.replace(nameTag, () => session.newName());
    const part = await session.send({ ...request, ...defined({ body }), credential });
    if (statusOf(part) === status) return;
  }
}

/** Sends requests that must be refused; if a combined credential is not, finds the part that is the cause. */
async function sendRefused(session: Session, requests: readonly PlannedRequest[]): Promise<void> {
  const exchanges = await session.sendAll(requests);
  for (const [at, request] of requests.entries()) {
    const status = statusOf(exchanges[at]!);
    if (status !== undefined && status !== 401) await sendParts(session, request, status);
  }
}

export const firstRefusals: Scenario = {
  id: 'first-refusals',
  rank: 1,
  canRunInParallel: true,
  verifies: ['auth-missing-key', 'auth-invalid-key', 'auth-bearer-header', 'auth-refused-stores-nothing'],
  title: 'Creates with the key in all wrong places at once, and lists with a wrong one',
  run: async (session) => {
    const { api } = session.keys;
    const [valid, wrong] = [validRequests(session), wrongRequests(session)];
    await sendRefused(session, [
      valid.createPet(keyElsewhere(api)),
      // One character away from the real key: what accepts any key accepts this one too.
      wrong.listPets(refused(session, 'last-character-changed')),
    ]);
  },
};

export const commonRefusals: Scenario = {
  id: 'common-refusals',
  rank: 1,
  canRunInParallel: true,
  verifies: ['auth-missing-key', 'auth-invalid-key', 'auth-bearer-header'],
  title: 'Reads with the key behind another scheme, and creates with a near miss of it',
  run: async (session) => {
    const wrong = wrongRequests(session);
    await sendRefused(session, [
      // As long as Bearer: a service that cuts off seven characters accepts it, too.
      wrong.getPet(refused(session, 'scheme-api-key')),
      wrong.createPet(refused(session, 'comma-after')),
    ]);
  },
};

export const moreRefusals: Scenario = {
  id: 'more-refusals',
  rank: 2,
  canRunInParallel: true,
  verifies: ['auth-missing-key', 'auth-invalid-key', 'auth-bearer-header', 'auth-refused-stores-nothing'],
  title: 'Sends wrong and misplaced keys to alternating operations, some with a request that is invalid otherwise, too',
  run: async (session) => {
    const { api } = session.keys;
    const [valid, wrong] = [validRequests(session), wrongRequests(session)];
    const { getPet: read } = valid;
    await sendRefused(session, [
      // A cache that ignores keys answers these with the copy that it gave to the key.
      listPets('', noKey),
      read(noKey),
      read(refused(session, 'last-character-missing')),
      wrong.listPets(refused(session, 'without-scheme')),
      inText(session, refused(session, 'scheme-token')),
      // A service that looks at the form of the petId before the key answers 400.
      isRemoved(session) ? listPets('limit=abc', bearerElsewhere(api)) : getPet('abc', bearerElsewhere(api)),
      valid.createPet(refused(session, 'empty-header')),
      valid.listPets(refused(session, 'bearer-without-key')),
    ]);
  },
};

/** The budget of a Free key's minute, of which no request is spent on what is only advised. */
const smallBudget = 60;

/** Sent in every run beyond the second rank, the likeliest mistakes first. */
const nearIds: readonly RefusedId[] = [
  'first-character-missing',
  'one-character-more',
  'one-character-before',
  'same-length',
  'without-dashes',
  'other-dashes',
  'quoted',
  'bearer-twice',
  'scheme-without-space',
  'scheme-with-colon',
  'word-null',
  'between-marks',
  'sql-quote',
];

/** How many changed keys come within the usual budget. A service may count a minute's sixty requests without a valid key. */
const drawnDamages = 4;

/** How many keys with a mark come within the usual budget; with a large one, all that have it behind them. */
const drawnMarks = 2;

/** The near misses that a run beyond the second rank sends. */
function nearCredentials(session: Session): readonly SentCredential[] {
  const { api } = session.keys;
  const wanted: ReadonlySet<string> = new Set(nearIds);
  const refusals = refusedCredentials(session.keys);
  const marked = refusals.filter(({ shown }) => shown.id.startsWith('mark-'));
  return [
    ...drawDamaged(api, session.random).slice(0, drawnDamages),
    ...refusals.filter(({ shown }) => wanted.has(shown.id)),
    ...shuffle(marked, session.random).slice(0, drawnMarks),
  ];
}

/** Requests with a credential to the operations that have not received it yet; `at` turns their order. */
function unsentRequests(session: Session, credential: SentCredential, at: number): readonly PlannedRequest[] {
  const builders = Object.values(validRequests(session));
  const sent = new Set(session.exchanges.map((one) => `${one.operation} ${one.credential.id}`));
  const { id } = credentialFor(credential, session.settings).shown;
  const turned = [...builders.slice(at % builders.length), ...builders.slice(0, at % builders.length)];
  return turned.map((build) => build(credential)).filter(({ operation }) => !sent.has(`${operation} ${id}`));
}

/** Credentials that one operation alone may accept: each operation receives them within the usual budget. */
const likelyIds: ReadonlySet<string> = new Set<RefusedId>([
  'elsewhere',
  'elsewhere-with-bearer',
  'basic-user-and-password',
  'without-scheme',
  'last-character-missing',
  // Three times in all: a service may keep what it has once refused as if it were known.
  'last-character-changed',
]);

/** The requests of every credential that must be refused, to the operations that have not received it yet. */
function unsentRefusals(session: Session): readonly (readonly PlannedRequest[])[] {
  // Fewer services cut off what stands in front of the key: a drawn mark is enough.
  const refusals = refusedCredentials(session.keys).filter(({ shown }) => !shown.id.startsWith('mark-before-'));
  const further = drawDamaged(session.keys.api, session.random).slice(drawnDamages);
  return [...refusals, ...further].map((credential, at) => unsentRequests(session, credential, at));
}

/** In the order in which they run within a rank. */
export const credentialScenarios: readonly Scenario[] = [
  {
    id: 'near-refusals',
    rank: 5,
    canRunInParallel: true,
    verifies: ['auth-missing-key', 'auth-invalid-key', 'auth-key-case', 'auth-bearer-header'],
    title: 'Sends changed, wrapped and misplaced keys, some of them drawn, to alternating operations',
    run: async (session, { note }) => {
      const { api } = session.keys;
      const { createPet: create, getPet: read, listPets: list } = wrongRequests(session);
      const valid = validRequests(session);
      const next = cycle([list, create, read]);
      const near = nearCredentials(session);
      const inOtherCase = session.settings.maxRequests > smallBudget ? keysInOtherCase(api) : [];
      if (inOtherCase.length === 0) {
        note(
          'auth-key-case',
          `keys in other letters are sent with more than ${smallBudget} requests, if the key has letters`,
        );
      }
      await sendRefused(session, [
        create(bearerElsewhere(api)),
        list(keyElsewhere(api)),
        valid.listPets(keyAsBasic(api)),
        create(refused(session, 'scheme-x-bearer')),
        // A refusal of these credentials shows something only if the request is valid otherwise.
        ...inOtherCase.map(valid.listPets),
        // More than one space is allowed by HTTP (RFC 9110, 11.4); §5 shows one.
        valid.listPets(twoSpaces(api)),
        inText(session, refused(session, 'bearer-without-key')),
        ...near.map((credential) => (isBlockable(credential.shown.id) ? valid.listPets : next())(credential)),
      ]);
    },
  },
  {
    id: 'likely-refusals',
    rank: 5,
    canRunInParallel: true,
    verifies: ['auth-invalid-key', 'auth-bearer-header', 'auth-refused-stores-nothing'],
    title: 'Sends the likeliest wrong and misplaced keys to the operations that have not received them yet',
    run: (session) => {
      const likely = refusedCredentials(session.keys).filter(({ shown }) => likelyIds.has(shown.id));
      return sendRefused(
        session,
        likely.flatMap((credential) => unsentRequests(session, credential, 0)),
      );
    },
  },
  {
    id: 'every-refusal',
    rank: 7,
    verifies: ['auth-missing-key', 'auth-invalid-key', 'auth-bearer-header', 'auth-refused-stores-nothing'],
    title:
      'Sends every credential that must be refused to one operation, and some of those that were sent before to one more',
    run: (session) => {
      const unsent = unsentRefusals(session);
      const most = Math.max(...unsent.map((requests) => requests.length));
      // A wrong key that one operation refuses is mostly refused by the others as well.
      const isDue = ([first, ...others]: readonly PlannedRequest[]): boolean =>
        others.length + 1 === most || first?.credential?.shown.kind !== 'invalid' || session.random() < 0.5;
      return sendRefused(
        session,
        unsent.filter(isDue).flatMap((requests) => requests.slice(0, 1)),
      );
    },
  },
  {
    id: 'refusals-of-every-operation',
    rank: 9,
    verifies: ['auth-missing-key', 'auth-invalid-key', 'auth-bearer-header', 'auth-refused-stores-nothing'],
    title: 'Sends every credential that must be refused to every operation that has not received it yet',
    // The sequences that follow get as many requests.
    run: async (session) => {
      const most = session.budget.requestsLeft() >> 1;
      if (most === 0) return;
      await sendRefused(session, shuffle(unsentRefusals(session).flat(), session.random).slice(0, most));
    },
  },
];
