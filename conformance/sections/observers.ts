/** The observers: for each gap that a run can show, which exchanges show its answer, and which answer each shows. */

import { removalOfGetPet } from '../../spec/facts.ts';
import type { AnswerId, OpenGapId } from '../../spec/gaps.ts';
import { isError } from '../http/documented.ts';
import { type Exchange, happenedBefore } from '../http/exchange.ts';
import { isJsonObject, writeJson } from '../http/json.ts';
import { isPetStatus, readPetId, readRequestJson } from '../http/read-request.ts';
import { animalsOf, bodyOf, dateOf, statusOf } from '../http/read-response.ts';
import type { Probe, ProbeKind } from '../run/suite.ts';
import type { Observer } from '../verdict/finding.ts';
import { sightings } from '../world/animals.ts';
import { type CreatedPet, idsOf, isAuthorized, isKnownBefore, type World } from '../world/world.ts';
import { listingObservers } from './4.1-list-pets/observers.ts';
import { type Attempt, attemptsIn, departing, isFarFromZero, unlistedIn } from './4.2-create-pet/attempts.ts';
import { mayCreate } from './4.2-create-pet/creations.ts';
import { isRemoved } from './4.3-get-pet/reads.ts';
import { limitObservers } from './8-limits/observers.ts';
import { type Observe, observationOf, observeEach, selectAnswers } from './observation.ts';
import { createPetFrom, drawUnknownId, getPet, isTakenOver, knownIds, listPets, plainPet } from './requests.ts';

/** The origin of a page that does not exist: a service that allows it allows any. */
const unknownOrigin = 'https://page.invalid';

/** The creations that depart from accepted ones in one way: those that were accepted, and those refused for that alone. */
const eachDeparting = <Id extends OpenGapId>(
  departure: Parameters<typeof departing>[1],
  accepted: (creation: Attempt, world: World) => AnswerId<Id> | undefined,
): Observe<Id> =>
  observeEach(
    (world) => departing(world, departure),
    (creation, world) => (creation.isAccepted ? accepted(creation, world) : undefined),
  );

const has = (exchange: Exchange, ...statuses: readonly number[]): boolean => statuses.includes(statusOf(exchange) ?? 0);
const responseHeaders = ({ response }: Exchange): Readonly<Record<string, string>> => response?.headers ?? {};

/** Requests on which the interface is silent, so that there is something to observe. */
const openRequests: readonly Probe['request'][] = [
  () => listPets('limit=1&colour=brown'),
  // The interface does not show this path (§4.4).
  () => ({ operation: 'other', target: '/no-such-path', headers: { origin: unknownOrigin } }),
  // On an animal that does not exist, so that it changes nothing.
  (session) =>
    session.settings.isReadOnly
      ? undefined
      : { operation: 'other', method: 'POST', target: `/pets/${drawUnknownId(session)}` },
  (session) => {
    const [known] = knownIds(session);
    return isRemoved(session) && known !== undefined ? getPet(known) : undefined;
  },
];

/** A service that knows only some categories is not likely to know one beyond this, except for those that the user names. */
const leastUnknown = 1_000_000n;
const mostOf32Bits = 2n ** 31n - 1n;
const isNearUnknown = ({ categoryId }: Attempt): boolean => categoryId >= leastUnknown && categoryId <= mostOf32Bits;

const nearCategory: Probe = {
  rank: 5,
  request(session) {
    const categoryId = leastUnknown + BigInt(Math.floor(session.random() * 1_000_000_000));
    return createPetFrom(writeJson({ ...plainPet(session), categoryId }));
  },
};

/** Where categories far from zero are refused, a nearer one shows whether the service takes a range of categories. */
const askNearerCategory: Probe['next'] = (session) => {
  const attempts = attemptsIn(session);
  const isFarRefused = attempts.some((one) => one.isRefused && isFarFromZero(one.categoryId));
  return isFarRefused && !attempts.some(isNearUnknown) && mayCreate(session) ? [nearCategory] : [];
};

export const gapProbes: ProbeKind = {
  id: 'ask-the-gaps',
  verifies: ['errors-listed', 'rate-headers-elsewhere'],
  probes: () => openRequests.map((request) => ({ rank: 5, request, next: askNearerCategory })),
};

/** Longer than any column for names. */
const veryLong = 4_000;

const refusedNames = observeEach<'name-limits', Attempt>(
  // 413 says that the body is too large, whatever its name is.
  (world) => departing(world, 'name').filter(({ exchange }) => !has(exchange, 413)),
  () => undefined,
);

/** The answer that refused names give; only if there are none, the one that accepted names give. */
const nameLimits: Observe<'name-limits'> = (world, gap) => {
  const accepted = attemptsIn(world).filter(({ isAccepted }) => isAccepted);
  const longest = accepted.find(({ name }) => name.length >= veryLong);
  const blank = accepted.find(({ name }) => !/[^\s\p{C}]/u.test(name));
  return refusedNames(world, gap) ?? observationOf(longest && blank && 'any', longest?.exchange);
};

const refusedCategories = eachDeparting<'known-categories'>('category', () => undefined);

const knownCategories: Observe<'known-categories'> = (world, gap) => {
  const { categoryIds } = world.settings;
  const unlikely = attemptsIn(world).filter(({ categoryId }) => {
    const isNear = categoryId > -leastUnknown && categoryId < leastUnknown;
    return !isNear && !categoryIds.includes(categoryId);
  });
  const taken = unlikely.filter(({ isAccepted }) => isAccepted);
  const refusal = refusedCategories(world, gap);
  if (refusal === undefined) {
    const far = taken.find(({ categoryId }) => isFarFromZero(categoryId));
    return observationOf('accepted', far?.exchange);
  }
  const accepted = attemptsIn(world).filter(({ isAccepted }) => isAccepted);
  const isBetween = ({ categoryId }: Attempt): boolean =>
    accepted.some((one) => one.categoryId < categoryId) && accepted.some((one) => one.categoryId > categoryId);
  const refused = departing(world, 'category').filter(({ isRefused }) => isRefused);
  if (taken.length > 0 && !refused.some(isBetween)) return observationOf('within-range', taken[0]!.exchange);
  // A range has ends: the refusal of a number of 32 bits shows that categories have to be known.
  const isOf32Bits = ({ categoryId }: Attempt): boolean => categoryId > 0n && categoryId <= mostOf32Bits;
  return refused.some(isOf32Bits) ? refusal : observationOf('far-refused', refusal.exchange);
};

/** Whether an unknown field of a creation comes back later; a 201 may merely repeat what was sent, or leave it out. */
function keepingOf(world: World, creation: Attempt): AnswerId<'extra-body-fields'> | undefined {
  const pet = world.created.find(({ exchange }) => exchange === creation.exchange);
  const shown = pet === undefined ? [] : (sightings(world).get(pet) ?? []);
  const animals = shown.flatMap(animalsOf).filter((animal) => animal['id'] === pet?.id);
  if (animals.length === 0) return undefined;
  const unlisted = unlistedIn(creation);
  const isKept = animals.some((animal) => unlisted.some((field) => Object.hasOwn(animal, field)));
  return isKept ? 'kept' : 'ignored';
}

/** The status with which an animal was first shown; a 201 may merely echo what was sent. */
function firstStatus(world: World, pet: CreatedPet): AnswerId<'status-omitted'> | undefined {
  const [first] = sightings(world).get(pet) ?? [];
  const read = first && animalsOf(first).find((animal) => animal['id'] === pet.id);
  const { status } = read ?? pet.returned;
  if (status === undefined) return read === undefined ? undefined : 'absent';
  return isPetStatus(status) ? status : undefined;
}

/** Six random ids rise or fall by chance once in 360 times; fewer do so more often. */
const fewestIds = 6;
/** Other clients take ids in between; ids made from a time differ by more than this. */
const longestStep = 1_000n;
const nearlyMost = 2n ** 62n;
const isBeyondDouble = (id: bigint): boolean => id > 2n ** 53n || id < -(2n ** 53n);

/** The form of ids in the order of their creation, given all ids that were seen. */
function idFormOf(ids: readonly bigint[], seen: ReadonlySet<bigint>): AnswerId<'id-form'> {
  const first = ids[0]!;
  const steps = ids.slice(1).map((id, at) => id - ids[at]!);
  if (steps.every((step) => step > 0n)) {
    if (first <= 0n || steps.some((step) => step > longestStep)) return 'rising';
    return seen.has(1n) ? 'sequential' : 'sequential-from-elsewhere';
  }
  if (steps.some((step) => step > 0n)) return ids.some(isBeyondDouble) ? 'random' : 'unordered';
  if (first < 0n) return 'negative';
  return first > nearlyMost ? 'large' : 'falling';
}

const idForm: Observe<'id-form'> = ({ created, pages }) => {
  const inSequence = created.filter(
    ({ exchange }, at) => at === 0 || happenedBefore(created[at - 1]!.exchange, exchange),
  );
  if (inSequence.length < fewestIds) return undefined;
  const seen = new Set([...created.map(({ id }) => id), ...pages.flatMap(idsOf)]);
  const ids = inSequence.map(({ id }) => id);
  return observationOf(idFormOf(ids, seen), inSequence[0]!.exchange);
};

const extraResponseFields: Observe<'extra-response-fields'> = ({ exchanges, answered }) => {
  // Whether the service keeps the fields that the run itself sent is another gap.
  const sent = exchanges.flatMap(({ request }) => {
    const reading = readRequestJson(request);
    return 'value' in reading && isJsonObject(reading.value) ? Object.keys(reading.value) : [];
  });
  const known = new Set([...sent, 'id', 'name', 'categoryId', 'status', 'code', 'message']);
  const hasMore = (body: object): boolean => Object.keys(body).some((field) => !known.has(field));
  const animals = answered.filter((exchange) => isAuthorized(exchange) && animalsOf(exchange).length > 0);
  const errors = answered.filter((exchange) => exchange.operation !== 'other' && isError(exchange));
  const more =
    animals.find((exchange) => animalsOf(exchange).some(hasMore)) ??
    errors.find((exchange) => hasMore(bodyOf(exchange) as object));
  if (more !== undefined) return observationOf('extra', more);
  return errors.length === 0 ? undefined : observationOf('none', animals[0]);
};

/** The forms of codes, the narrower ones first; the service has a form where all its codes match it. */
const codeForms = [
  ['snake-case', /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/],
  ['upper-case', /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/],
  ['numeric', /^\d+$/],
  ['kebab-case', /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/],
  ['camel-case', /^[A-Za-z][A-Za-z0-9]*$/],
  ['words', /^[A-Za-z][A-Za-z0-9' -]*$/],
] as const satisfies readonly (readonly [AnswerId<'error-codes'>, RegExp])[];

const errorCodes: Observe<'error-codes'> = ({ answered }) => {
  const errors = answered.filter((exchange) => exchange.operation !== 'other' && isError(exchange));
  // The answers to one status may all have the same code, whatever form other codes have.
  if (new Set(errors.map(statusOf)).size < 2) return undefined;
  const codes = [...new Set(errors.map((exchange) => String((bodyOf(exchange) as { code?: unknown }).code)))];
  const form = codeForms.find(([, pattern]) => codes.every((code) => pattern.test(code)));
  return observationOf(codes.length === 1 ? 'generic' : (form?.[0] ?? 'mixed'), errors[0]);
};

/** The reads with a valid key and without escapes in the path: a gateway may answer these by itself. */
const plainReads = (selects: (exchange: Exchange, world: World) => boolean) =>
  selectAnswers((exchange, world) => {
    const isPlain = exchange.operation === 'getPet' && !exchange.request.target.includes('%');
    return isPlain && isAuthorized(exchange) && selects(exchange, world);
  });

/** Whether the target answered before the removal of getPet, by its own clock. */
const isBeforeRemoval = ({ response, endedAt }: Exchange): boolean =>
  response !== undefined && dateOf(response, endedAt) < removalOfGetPet;

/** The observer of each gap; the compiler rejects answers that a gap does not have. */
const observerByGap: { readonly [Id in OpenGapId]: Observe<Id> } = {
  cors: observeEach(
    selectAnswers(() => true),
    ({ exchange }) => {
      const origin = responseHeaders(exchange)['access-control-allow-origin'];
      if (origin !== undefined) return ['*', unknownOrigin].includes(origin.trim()) ? 'any-origin' : 'some-origins';
      // Many services allow an origin only where a request names one.
      return exchange.request.headers['origin'] === undefined ? undefined : 'none';
    },
  ),
  'known-categories': knownCategories,
  'name-limits': nameLimits,
  'duplicate-names': eachDeparting('namesake', () => 'accepted'),
  'status-omitted': observeEach(
    ({ created }) => created.filter(({ sent }) => sent !== undefined && sent.status === undefined),
    (pet, world) => firstStatus(world, pet),
  ),
  'id-form': idForm,
  'extra-response-fields': extraResponseFields,
  ...listingObservers,
  'extra-body-fields': eachDeparting('fields', (creation, world) => keepingOf(world, creation)),
  // An id of another type could not become the animal's, so ignoring it tells nothing.
  'client-sent-id': eachDeparting('id', ({ exchange, fields: { id } }) =>
    typeof id !== 'bigint' || isTakenOver(id, animalsOf(exchange)[0]?.['id']) ? undefined : 'ignored',
  ),
  'integer-written-as-decimal': eachDeparting('decimal', () => 'accepted'),
  'other-media-type': eachDeparting('media-type', () => 'accepted'),
  'chunked-bodies': eachDeparting('chunked', () => 'accepted'),
  'location-header': observeEach(
    ({ created }) => created,
    ({ id, exchange }) => {
      const { location } = responseHeaders(exchange);
      if (location === undefined) return 'none';
      return location.endsWith(`/pets/${id}`) ? 'sent' : 'another-address';
    },
  ),
  'pet-id-not-int64': observeEach(
    plainReads((exchange) => readPetId(exchange) === 'not-int64' && isBeforeRemoval(exchange)),
    ({ exchange }) => (has(exchange, 404) && isError(exchange) ? 'not-found-404' : undefined),
  ),
  'other-operations': observeEach(
    // The question is about methods, so a GET of an unknown path shows nothing. After the removal of getPet its path is unknown
    // as well. A 403 may come from a firewall that has banned the client.
    selectAnswers((exchange, { settings }) => {
      const { operation, request } = exchange;
      const isUnshown = operation === 'other' && request.method !== 'GET' && settings.today < removalOfGetPet;
      return isUnshown && !has(exchange, 403);
    }),
    ({ exchange }) => ((statusOf(exchange) ?? 0) < 300 ? 'answered' : undefined),
  ),
  'bearer-case': observeEach(
    selectAnswers(({ credential }) => credential.id === 'lower-case-bearer'),
    ({ exchange }) => {
      if (has(exchange, 200)) return 'accepted';
      return has(exchange, 401) && isError(exchange) ? 'refused-401' : undefined;
    },
  ),
  'www-authenticate': observeEach(
    selectAnswers((exchange) => has(exchange, 401)),
    ({ exchange }) => (responseHeaders(exchange)['www-authenticate'] === undefined ? 'none' : 'sent'),
  ),
  'error-codes': errorCodes,
  ...limitObservers,
  'after-removal': observeEach(
    plainReads((exchange, world) => isKnownBefore(world, exchange, readPetId(exchange)) && !isBeforeRemoval(exchange)),
    ({ exchange }) => {
      if (has(exchange, 200)) return 'continues';
      if (has(exchange, 404, 410) && isError(exchange)) return has(exchange, 404) ? 'not-found-404' : 'gone-410';
      return /^3/.test(String(statusOf(exchange))) ? 'redirected' : undefined;
    },
  ),
  'deprecation-headers': observeEach(
    plainReads((exchange) => has(exchange, 200, 404)),
    ({ exchange }) => {
      const { deprecation, sunset, warning, link = '' } = responseHeaders(exchange);
      const isLinked = /rel="?[^",]*(successor-version|deprecation|sunset)/i.test(link);
      if (deprecation !== undefined) return 'deprecation';
      if (sunset !== undefined) return isLinked ? 'sunset' : 'sunset-only';
      return isLinked || warning !== undefined ? 'other-header' : 'none';
    },
  ),
};

export const observers = Object.entries(observerByGap).map(([gap, observe]) => ({ gap, observe }) as Observer);
