/** The observers: for each gap that a run can show, which exchanges show its answer, and which answer each shows. */

import { removalOfGetPet } from '../../spec/facts.ts';
import type { AnswerId, OpenGapId } from '../../spec/gaps.ts';
import { isError } from '../http/documented.ts';
import { type Exchange, happenedBefore } from '../http/exchange.ts';
import { isJsonObject } from '../http/json.ts';
import { isPetStatus, readPetId, readRequestJson } from '../http/read-request.ts';
import { animalsOf, bodyOf, dateOf, statusOf } from '../http/read-response.ts';
import type { Observer } from '../verdict/finding.ts';
import { sightings } from '../world/ground.ts';
import { type History, isAuthorized, isKnownBefore } from '../world/history.ts';
import { listingObservers } from './4.1-list-pets/observers.ts';
import { type Attempt, attemptsIn, departing, unlistedIn } from './4.2-create-pet/attempts.ts';
import { keyScope, limitScope, refusedRequests } from './5-authentication/observers.ts';
import {
  ban,
  rateLimitWindow,
  rateLimitWithoutKey,
  retryAfterForm,
  tooManyRequestsBody,
} from './8-limits/observers.ts';
import { collectAnswers, type Observe, observationOf, refusalAnswer } from './observation.ts';

/** The origin of a page that does not exist: a service that allows it allows any. */
export const unknownOrigin = 'https://page.invalid';

/** An answer from each exchange that shows one. */
const each =
  <Answer extends AnswerId>(
    selects: (exchange: Exchange, history: History) => boolean,
    answers: (exchange: Exchange) => Answer | undefined,
  ) =>
  (history: History) =>
    collectAnswers(
      history.answered.filter((exchange) => selects(exchange, history)),
      answers,
    );

/** The statuses with which a service refuses what the interface leaves open. */
type RefusalStatus = 400 | 404 | 409 | 411 | 413 | 415 | 422;

/** An answer from each creation that departs from an accepted one in one way: accepted, or refused for that. */
const eachDeparting =
  <Accepted extends AnswerId, Status extends RefusalStatus>(
    departure: Parameters<typeof departing>[1],
    accepted: Accepted | ((creation: Attempt, history: History) => Accepted | undefined),
    ...statuses: readonly Status[]
  ) =>
  (history: History) => {
    const all = new Map(departing(history, departure).map((creation) => [creation.exchange, creation]));
    return collectAnswers<Accepted | `refused-${Status}` | 'refused-otherwise'>([...all.keys()], (exchange) => {
      const creation = all.get(exchange)!;
      if (!creation.isAccepted) return refusalAnswer(exchange, ...statuses);
      return typeof accepted === 'function' ? accepted(creation, history) : accepted;
    });
  };

const has = (exchange: Exchange, ...statuses: readonly number[]): boolean => statuses.includes(statusOf(exchange) ?? 0);
const headersOf = ({ response }: Exchange): Readonly<Record<string, string>> => response?.headers ?? {};

/** Longer than any column for names. */
const veryLong = 4_000;

const nameLimits: Observe<'name-limits'> = (history) => {
  const refused = collectAnswers(
    departing(history, 'name').map(({ exchange }) => exchange),
    // 413 says that the body is too large, whatever its name is.
    (exchange) => (has(exchange, 413) ? undefined : refusalAnswer(exchange, 400, 409, 422)),
  );
  const accepted = attemptsIn(history).filter(({ isAccepted }) => isAccepted);
  const longest = accepted.find(({ name }) => name.length >= veryLong);
  const blank = accepted.find(({ name }) => !/[^\s\p{C}]/u.test(name));
  return refused ?? observationOf(longest && blank && 'any', longest?.exchange);
};

const knownCategories: Observe<'known-categories'> = (history) => {
  const { pages, createdById, settings } = history;
  const ofOthers = pages.flatMap(({ entries }) =>
    entries.flatMap((one) => (isJsonObject(one) && !createdById.has(one['id'] as bigint) ? [one['categoryId']] : [])),
  );
  const likely = new Set([...settings.categoryIds, 1n, ...ofOthers]);
  const refused = collectAnswers(
    departing(history, 'category').map(({ exchange }) => exchange),
    (exchange) => refusalAnswer(exchange, 400, 404, 409, 422),
  );
  const taken = attemptsIn(history).find(({ categoryId, isAccepted }) => isAccepted && !likely.has(categoryId));
  return refused ?? observationOf('accepted', taken?.exchange);
};

/** Whether an unknown field of a creation comes back, at once or later. */
function isKept(history: History, creation: Attempt): boolean {
  const { exchange } = creation;
  const [created] = animalsOf(exchange);
  return history.answered
    .filter((later) => later === exchange || happenedBefore(exchange, later))
    .flatMap(animalsOf)
    .some(
      (animal) =>
        animal['id'] === created?.['id'] && unlistedIn(creation).some((field) => Object.hasOwn(animal, field)),
    );
}

const statusOmitted: Observe<'status-omitted'> = (history) => {
  const omitted = new Map(
    history.created
      .filter(({ sent }) => sent !== undefined && sent.status === undefined)
      .map((pet) => [pet.exchange, pet]),
  );
  return collectAnswers([...omitted.keys()], (exchange) => {
    const pet = omitted.get(exchange)!;
    const { id, returned } = pet;
    const [first] = sightings(history).get(pet) ?? [];
    const read = first && animalsOf(first).find((animal) => animal['id'] === id);
    const { status } = read ?? returned;
    // A 201 may merely echo what was sent.
    if (status === undefined) return read === undefined ? undefined : 'absent';
    return isPetStatus(status) ? status : undefined;
  });
};

/** Six random ids rise or fall by chance once in 360 times; fewer do so more often. */
const fewestIds = 6;
/** Other clients take ids in between; ids made from a time differ by more than this. */
const longestStep = 1_000n;

const idForm: Observe<'id-form'> = ({ created }) => {
  const inSequence = created.filter(
    ({ exchange }, at) => at === 0 || happenedBefore(created[at - 1]!.exchange, exchange),
  );
  const [first, ...others] = inSequence;
  const steps = others.map(({ id }, at) => id - inSequence[at]!.id);
  const answer = (): AnswerId<'id-form'> => {
    if (steps.every((step) => step > 0n)) {
      return first!.id > 0n && steps.every((step) => step <= longestStep) ? 'sequential' : 'rising';
    }
    if (steps.some((step) => step > 0n)) return 'random';
    return first!.id < 0n ? 'negative' : 'large';
  };
  return inSequence.length < fewestIds ? undefined : observationOf(answer(), first!.exchange);
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
const forms = [
  ['snake-case', /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/],
  ['upper-case', /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/],
  ['numeric', /^\d+$/],
  ['kebab-case', /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/],
  ['camel-case', /^[A-Za-z][A-Za-z0-9]*$/],
  ['words', /^[A-Za-z][A-Za-z0-9' -]*$/],
] as const satisfies readonly (readonly [AnswerId<'error-codes'>, RegExp])[];

const errorCodes: Observe<'error-codes'> = ({ answered }) => {
  const errors = answered.filter((exchange) => exchange.operation !== 'other' && isError(exchange));
  // One status may have one code of many.
  if (new Set(errors.map(statusOf)).size < 2) return undefined;
  const codes = [...new Set(errors.map((exchange) => String((bodyOf(exchange) as { code?: unknown }).code)))];
  const form = forms.find(([, pattern]) => codes.every((code) => pattern.test(code)));
  return observationOf(codes.length === 1 ? 'generic' : (form?.[0] ?? 'mixed'), errors[0]);
};

/** A read with a valid key and without escapes: a gateway may answer an escape itself. */
const isPlainRead = (exchange: Exchange): boolean =>
  exchange.operation === 'getPet' && isAuthorized(exchange) && !exchange.request.target.includes('%');

/** Whether the target answered before the removal of getPet, by its own clock. */
const isBeforeRemoval = ({ response, endedAt }: Exchange): boolean =>
  response !== undefined && dateOf(response, endedAt) < removalOfGetPet;

function isKnownRead(exchange: Exchange, history: History): boolean {
  return isPlainRead(exchange) && isKnownBefore(history, exchange, readPetId(exchange) as bigint);
}

/** An answer that a gap does not have does not compile. */
const observerByGap: { readonly [Id in OpenGapId]: Observe<Id> } = {
  cors: each(
    () => true,
    (exchange) => {
      const origin = headersOf(exchange)['access-control-allow-origin'];
      if (origin !== undefined) return ['*', unknownOrigin].includes(origin.trim()) ? 'any-origin' : 'some-origins';
      // Many services allow an origin only where a request names one.
      return exchange.request.headers['origin'] === undefined ? undefined : 'none';
    },
  ),
  'known-categories': knownCategories,
  'name-limits': nameLimits,
  'duplicate-names': eachDeparting('namesake', 'accepted', 400, 409, 422),
  'status-omitted': statusOmitted,
  'id-form': idForm,
  'extra-response-fields': extraResponseFields,
  ...listingObservers,
  'extra-body-fields': eachDeparting(
    'fields',
    (creation, history) => (isKept(history, creation) ? 'kept' : 'ignored'),
    400,
    422,
  ),
  'client-sent-id': eachDeparting(
    'id',
    ({ exchange, fields: { id } }) =>
      // An id of another type could not become the animal's, so ignoring it tells nothing.
      typeof id !== 'bigint' || animalsOf(exchange)[0]?.['id'] === id ? undefined : 'ignored',
    400,
    409,
    422,
  ),
  'integer-written-as-decimal': eachDeparting('decimal', 'accepted', 400, 422),
  'other-media-type': eachDeparting('media-type', 'accepted', 400, 415, 422),
  'chunked-bodies': eachDeparting('chunked', 'accepted', 400, 411, 413),
  'location-header': each(
    (exchange, { created }) => created.some((pet) => pet.exchange === exchange),
    (exchange) => {
      const { location } = headersOf(exchange);
      if (location === undefined) return 'none';
      return location.endsWith(`/pets/${animalsOf(exchange)[0]?.['id']}`) ? 'sent' : 'another-address';
    },
  ),
  'pet-id-not-int64': each(
    (exchange) => isPlainRead(exchange) && readPetId(exchange) === 'not-int64' && isBeforeRemoval(exchange),
    (exchange) => (has(exchange, 404) && isError(exchange) ? 'not-found-404' : refusalAnswer(exchange, 400, 422)),
  ),
  'other-operations': each(
    // GET of an unknown path answers another question; after its removal so does getPet.
    ({ operation, request }, { settings }) =>
      operation === 'other' && request.method !== 'GET' && settings.today < removalOfGetPet,
    (exchange) => {
      // A firewall may ban the client.
      if (has(exchange, 403)) return undefined;
      return (statusOf(exchange) ?? 0) < 300 ? 'answered' : refusalAnswer(exchange, 404, 405, 501);
    },
  ),
  'key-scope': keyScope,
  'bearer-case': each(
    ({ credential }) => credential.id === 'lower-case-bearer',
    (exchange) => {
      if (has(exchange, 200)) return 'accepted';
      return has(exchange, 401) && isError(exchange) ? 'refused-401' : refusalAnswer(exchange);
    },
  ),
  'www-authenticate': each(
    (exchange) => has(exchange, 401),
    (exchange) => (headersOf(exchange)['www-authenticate'] === undefined ? 'none' : 'sent'),
  ),
  'error-codes': errorCodes,
  'too-many-requests-body': tooManyRequestsBody,
  'rate-limit-window': rateLimitWindow,
  'rate-limit-without-key': rateLimitWithoutKey,
  'limit-scope': limitScope,
  'refused-requests': refusedRequests,
  'retry-after-form': retryAfterForm,
  ban,
  'after-removal': each(
    (exchange, history) => isKnownRead(exchange, history) && !isBeforeRemoval(exchange),
    (exchange) => {
      if (has(exchange, 200)) return 'continues';
      if (has(exchange, 404, 410) && isError(exchange)) return has(exchange, 404) ? 'not-found-404' : 'gone-410';
      return /^3/.test(String(statusOf(exchange))) ? 'redirected' : refusalAnswer(exchange);
    },
  ),
  'deprecation-headers': each(
    (exchange) => isPlainRead(exchange) && has(exchange, 200, 404),
    (exchange) => {
      const { deprecation, sunset, warning, link = '' } = headersOf(exchange);
      const isLinked = /rel="?[^",]*(successor-version|deprecation|sunset)/i.test(link);
      if (deprecation !== undefined) return 'deprecation';
      if (sunset !== undefined) return isLinked ? 'sunset' : 'sunset-only';
      return isLinked || warning !== undefined ? 'other-header' : 'none';
    },
  ),
};

export const observers: readonly Observer[] = Object.entries(observerByGap).map(
  ([gap, observe]): Observer => ({ gap: gap as OpenGapId, observe }),
);
