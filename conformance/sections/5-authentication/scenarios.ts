/** §5 What is sent: wrong, missing and misplaced keys, with requests that are valid and with some that are not. */

import { noKey, type SentCredential } from '../../http/credentials.ts';
import { statusOf } from '../../http/read-response.ts';
import { nameTag } from '../../run/names.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { createPet, createPetFrom, drawUnknownId, getPet, knownIds, listPets, plainPet } from '../requests.ts';
import { keysInOtherCase } from './damaged-keys.ts';
import { isBlockable } from './header-forms.ts';
import { bearerElsewhere, keyAsBasic, keyElsewhere, partsOfPack } from './misplaced-keys.ts';
import { drawDamaged, type RefusedId, refusedCredentials } from './refused-credentials.ts';

/** Makes requests of one operation with a credential, each unlike the one before. */
type Next = (credential: SentCredential) => PlannedRequest;

/** Requests of each operation, or listings where it cannot be asked. */
interface Operations {
  readonly create: Next;
  readonly read: Next;
  readonly list: Next;
}

/** Takes one value after the other, and begins anew behind the last. */
function cycle<Value>(values: readonly [Value, ...Value[]]): () => Value {
  let taken = 0;
  return () => {
    taken += 1;
    return values[(taken - 1) % values.length]!;
  };
}

/** Requests that are valid but for their credential: what is let through succeeds. */
function validRequests(session: Session): Operations {
  const id = knownIds(session)[0] ?? 1n;
  return {
    create: (credential) =>
      session.settings.isReadOnly ? listPets('limit=2', credential) : createPet(plainPet(session), credential),
    list: (credential) => listPets('limit=1', credential),
    read: (credential) => (isRemoved(session) ? listPets('limit=3', credential) : getPet(id, credential)),
  };
}

/**
 * Requests that are wrong in another way too, by as many rules as one can be: a service that looks at those before it
 * looks at the key answers 400, 404, 415 or 422.
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
    create: (credential) => {
      if (session.settings.isReadOnly) return listPets('limit=3', credential);
      const [text, type] = body();
      return createPetFrom(text, credential, type);
    },
    list: (credential) => listPets(query(), credential),
    read: (credential) => (isRemoved(session) ? listPets('limit=5', credential) : getPet(segment(), credential)),
  };
}

/** The refused credential with an id; a key of one character has no such near miss, so then another. */
function refused(session: Session, id: RefusedId): SentCredential {
  return refusedCredentials(session.keys).find(({ shown }) => shown.id === id) ?? noKey;
}

/** Asks for what a pack is made of, one by one up to the credential that gets the same answer. */
async function sendParts(session: Session, request: PlannedRequest, status: number): Promise<void> {
  for (const credential of partsOfPack(request.credential?.shown.id ?? '', session.keys.api)) {
    const body = request.body?.replace(nameTag, () => session.newName());
    const part = await session.send({ ...request, ...(body === undefined ? {} : { body }), credential });
    if (statusOf(part) === status) return;
  }
}

/** Sends requests that must be refused, and looks for the reason where a pack of credentials is let through. */
async function sendRefused(session: Session, requests: readonly PlannedRequest[]): Promise<void> {
  const exchanges = await session.sendAll(requests);
  for (const [at, request] of requests.entries()) {
    const status = statusOf(exchanges[at]!);
    if (status !== undefined && status !== 401) await sendParts(session, request, status);
  }
}

const firstRefusals: Scenario = {
  kind: 'scenario',
  id: 'first-refusals',
  rank: 1,
  canRunInParallel: true,
  verifies: ['auth-missing-key', 'auth-invalid-key', 'auth-bearer-header', 'auth-refused-stores-nothing'],
  title: 'Creates with the key in all wrong places at once, lists with a wrong one, gets an unknown animal without one',
  run: async (session) => {
    const { api } = session.keys;
    const [valid, wrong] = [validRequests(session), wrongRequests(session)];
    await sendRefused(session, [
      valid.create(keyElsewhere(api)),
      // One character away from the real key: what accepts any key accepts this one too.
      listPets('', refused(session, 'last-character-changed')),
      wrong.read(bearerElsewhere(api)),
    ]);
  },
};

const moreRefusals: Scenario = {
  kind: 'scenario',
  id: 'more-refusals',
  rank: 2,
  canRunInParallel: true,
  verifies: ['auth-missing-key', 'auth-invalid-key', 'auth-bearer-header', 'auth-refused-stores-nothing'],
  title: 'Sends wrong and misplaced keys to operations in turn, some with a request that is wrong in another way too',
  run: async (session) => {
    const { api } = session.keys;
    const [valid, wrong] = [validRequests(session), wrongRequests(session)];
    await sendRefused(session, [
      wrong.list(keyElsewhere(api)),
      valid.create(refused(session, 'comma-after')),
      valid.read(refused(session, 'last-character-missing')),
      wrong.create(refused(session, 'scheme-x-bearer')),
      wrong.read(refused(session, 'without-scheme')),
      valid.list(keyAsBasic(api)),
    ]);
  },
};

/** So many requests are a minute of a Free key; what is only advised is not worth one of them. */
const smallBudget = 60;

/** Asked in every run beyond the second rank, the likeliest mistakes first. */
const nearIds: readonly RefusedId[] = [
  'first-character-missing',
  'one-character-more',
  'one-character-before',
  'same-length',
  'without-dashes',
  'without-dots',
  'first-of-two',
  'second-of-two',
  'quoted',
  'bearer-twice',
  'semicolon-and-more',
  'key-twice',
  'one-escape',
  'scheme-token',
  'scheme-without-space',
  'scheme-with-colon',
  'bearer-without-key',
  'empty-header',
  'word-null',
  'sql-quote',
  'star',
];

/** Of each of these lists one or two are drawn: a service that lets one through is likely to let the others. */
const drawnIds: readonly (readonly RefusedId[])[] = [
  [
    'scheme-api-key',
    'scheme-digest',
    'scheme-key',
    'scheme-oauth',
    'scheme-jwt',
    'scheme-bearer-x',
    'scheme-basic',
    'scheme-with-equals',
  ],
  ['in-single-quotes', 'in-angles', 'in-brackets', 'in-braces', 'in-parentheses', 'as-parameter', 'second-of-three'],
  [
    'dot-and-more',
    'colon-and-more',
    'word-after',
    'word-and-colon-before',
    'escaped-space-after',
    'escaped-end-after',
    'all-escapes',
  ],
  ['in-base64', 'in-hexadecimal', 'reversed', 'in-sha256', 'in-md5'],
  ['word-undefined', 'word-true', 'word-constructor', 'word-proto', 'word-bearer', 'unsigned-token'],
  ['percent', 'dot-star', 'sql-comment', 'ldap-filter', 'no-sql'],
];

/** The credentials that a run beyond the second rank sends. */
function nearCredentials(session: Session): readonly SentCredential[] {
  const { api } = session.keys;
  const drawn = drawnIds.map((ids) => ids[Math.floor(session.random() * ids.length)]!);
  const wanted: ReadonlySet<string> = new Set([...nearIds, ...drawn]);
  return [
    ...drawDamaged(api, session.random),
    ...refusedCredentials(session.keys).filter(({ shown }) => wanted.has(shown.id)),
  ];
}

const nearRefusals: Scenario = {
  kind: 'scenario',
  id: 'near-refusals',
  rank: 5,
  canRunInParallel: true,
  verifies: ['auth-missing-key', 'auth-invalid-key', 'auth-key-case', 'auth-bearer-header'],
  title: 'Sends keys damaged, wrapped and misplaced in every way, some drawn, to operations in turn',
  run: async (session, { note }) => {
    const { api } = session.keys;
    const { create, read, list } = wrongRequests(session);
    const valid = validRequests(session);
    const inTurn = cycle([list, create, read]);
    const near = nearCredentials(session);
    const inOtherCase = session.settings.maxRequests > smallBudget ? keysInOtherCase(api) : [];
    note(
      'auth-key-case',
      `keys in other letters are sent with more than ${smallBudget} requests, if the key has letters`,
    );
    await sendRefused(session, [
      create(bearerElsewhere(api)),
      // A service that reads the petId first answers 400; 404 may be that of a router.
      isRemoved(session) ? list(keyElsewhere(api)) : getPet('abc', keyElsewhere(api)),
      // What may be kept from the service says something only where it would succeed; so does what had better be refused.
      ...inOtherCase.map(valid.list),
      ...near.map((credential) => (isBlockable(credential.shown.id) ? valid.list : inTurn())(credential)),
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
    const { create, read, list } = validRequests(session);
    const requests = refusedCredentials(session.keys).flatMap((credential) =>
      [create, list, read].map((next) => next(credential)),
    );
    await sendRefused(
      session,
      requests.filter((request) => !isSent(session, request)),
    );
  },
};

/** In the order in which they run within their ranks. */
export const credentialScenarios: readonly Scenario[] = [firstRefusals, moreRefusals, nearRefusals, everyRefusal];
