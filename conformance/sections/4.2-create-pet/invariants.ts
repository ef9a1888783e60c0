/** §4.2 Judges creations: a valid body is answered 201 with the animal, an invalid one 400, and neither more is stored. */

import type { RequirementId } from '../../../spec/requirements.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue, showJson } from '../../http/json.ts';
import {
  type InvalidPet,
  isAllowed,
  pageSize,
  readListing,
  readNewPet,
  readRequestJson,
} from '../../http/read-request.ts';
import { animalsOf, bodyOf, isAnimal, pageOf, statusOf } from '../../http/read-response.ts';
import type { Check } from '../../run/scenario.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { type History, isAuthorized } from '../../verdict/history.ts';
import { ownNameIn, shapeOf } from '../../verdict/names.ts';
import type { Settings } from '../../verdict/settings.ts';
import { acceptedIn, takesAnyCategory } from './accepted.ts';
import { creations, judgeRefusals, judgeValidStatus, mayBeTransportRefusal, refusedUnread } from './refusals.ts';

/** §1 reports a body that is no JSON. */
function judgeAccepted(exchange: Exchange): Finding {
  const body = bodyOf(exchange);
  if (isAnimal(body) || body === undefined) return holds('create-answer', exchange);
  return fails(
    'create-answer',
    'not-an-animal',
    { expected: 'an animal in the 201', received: showJson(body) },
    exchange,
  );
}

/** Whether the target is known to accept the rest of an invalid body, so that only its fault can be refused. */
function isRestAccepted(history: History, { request }: Exchange): boolean {
  if (request.target.includes('?')) return false;
  const reading = readRequestJson(request);
  if (!('value' in reading) || !isJsonObject(reading.value)) return true;
  const { name, categoryId, status: _status, ...unknown } = reading.value;
  // Unknown fields may be refused, with any 4xx.
  if (Object.keys(unknown).length > 0) return false;
  const accepted = acceptedIn(history);
  const isNameAccepted = typeof name !== 'string' || accepted.shapes.has(shapeOf(name));
  const isCategoryAccepted =
    typeof categoryId !== 'bigint' || history.knownCategories.has(categoryId) || takesAnyCategory(accepted);
  return isNameAccepted && isCategoryAccepted;
}

function judgeInvalid(
  history: History,
  exchange: Exchange,
  { requirement, fault, input }: InvalidPet,
): readonly Finding[] {
  const status = statusOf(exchange) ?? 0;
  if (status === 400) return [holds(requirement, exchange)];
  if (status === 401 || mayBeTransportRefusal(exchange)) return [];
  const isRefusal = status > 400 && status < 500;
  if (isRefusal && (!isRestAccepted(history, exchange) || refusedUnread(history).has(exchange))) return [];
  const code = status === 201 ? 'accepted' : 'unexpected-status';
  return [fails(requirement, code, { expected: `400 to ${fault}`, received: `${status}`, status, input }, exchange)];
}

function judgeCreation(history: History, exchange: Exchange): readonly Finding[] {
  const reading = readNewPet(exchange);
  if (reading.kind === 'invalid') return judgeInvalid(history, exchange, reading);
  if (statusOf(exchange) === 201) return [judgeAccepted(exchange)];
  return reading.kind === 'valid' ? judgeValidStatus(exchange) : [];
}

/** Whether a category was drawn at random to mark a body without a name. */
function isDrawnCategory(categoryId: JsonValue | undefined): categoryId is bigint {
  return typeof categoryId === 'bigint' && categoryId > 2n ** 40n && categoryId < 2n ** 42n;
}

/** The mark that identifies the animal of a refused body: the tag in its name, or else its drawn category. */
function markOf(exchange: Exchange, settings: Settings): string | undefined {
  const body = exchange.request.body ?? '';
  const tag = ownNameIn(body, settings);
  if (tag !== undefined) return tag;
  const reading = readRequestJson(exchange.request);
  const categoryId = 'value' in reading && isJsonObject(reading.value) ? reading.value['categoryId'] : undefined;
  return isDrawnCategory(categoryId) ? String(categoryId) : undefined;
}

function marksOfAnimal({ name, categoryId }: JsonObject, settings: Settings): readonly string[] {
  const tag = typeof name === 'string' ? ownNameIn(name, settings) : undefined;
  return [...(tag === undefined ? [] : [tag]), ...(isDrawnCategory(categoryId) ? [String(categoryId)] : [])];
}

function lastShown(candidates: readonly Exchange[], settings: Settings): ReadonlyMap<string, Exchange> {
  const shown = new Map<string, Exchange>();
  for (const candidate of candidates) {
    for (const mark of animalsOf(candidate).flatMap((animal) => marksOfAnimal(animal, settings))) {
      if ((shown.get(mark)?.sent ?? 0) < candidate.sent) shown.set(mark, candidate);
    }
  }
  return shown;
}

function marksThatMayBeStored(history: History): ReadonlySet<string | undefined> {
  // A gateway may lose the answer of a service that has stored the animal.
  const mayStore = (exchange: Exchange): boolean => {
    const status = statusOf(exchange);
    return status === undefined || status === 201 || status >= 500;
  };
  return new Set(history.exchanges.filter(mayStore).map((exchange) => markOf(exchange, history.settings)));
}

/** What shows whether a refused request has stored an animal. */
interface Stored {
  /** The last answer that shows an animal with a mark, by mark. */
  readonly shown: ReadonlyMap<string, Exchange>;
  /** Marks that animals may carry legitimately. */
  readonly others: ReadonlySet<string | undefined>;
  /** The last page that holds the whole catalogue. */
  readonly whole: Exchange | undefined;
}

function readStored(history: History): Stored {
  const candidates = history.answered.filter(
    (candidate) => isAuthorized(candidate) && candidate.operation !== 'createPet',
  );
  const whole = candidates.findLast((candidate) => {
    const listing = candidate.operation === 'listPets' ? readListing(candidate) : undefined;
    return listing?.status === 'any' && isAllowed(listing) && isWhole(candidate, pageSize(listing));
  });
  return { shown: lastShown(candidates, history.settings), others: marksThatMayBeStored(history), whole };
}

function judgeStored(
  { settings }: History,
  { shown, others, whole }: Stored,
  requirement: RequirementId,
  refused: readonly Exchange[],
): readonly Finding[] {
  return refused.flatMap((exchange) => {
    const mark = markOf(exchange, settings);
    if (mark === undefined || others.has(mark)) return [];
    const found = shown.get(mark);
    if (found !== undefined && happenedBefore(exchange, found)) {
      const facts = { expected: `no animal from a request refused with ${statusOf(exchange)}`, received: 'one' };
      return [fails(requirement, 'refused-yet-stored', facts, exchange, found)];
    }
    return whole !== undefined && happenedBefore(exchange, whole) ? [holds(requirement, exchange, whole)] : [];
  });
}

function isWhole(exchange: Exchange, most: number): boolean {
  const entries = pageOf(exchange);
  return entries !== undefined && entries.length < most;
}

/**
 * Fails a page that has two animals for one creation. Only names with the tag of this run show that: an earlier run may
 * have left an animal called "0".
 */
function judgeTwice(history: History): readonly Finding[] {
  const sentOnce = new Map<JsonValue, Exchange | undefined>();
  for (const exchange of history.exchanges.filter((candidate) => candidate.operation === 'createPet')) {
    const reading = readNewPet(exchange);
    const name = reading.kind === 'invalid' ? undefined : reading.pet?.name;
    if (typeof name !== 'string' || ownNameIn(name, history.settings) === undefined) continue;
    sentOnce.set(name, sentOnce.has(name) ? undefined : exchange);
  }
  const created = new Map(history.created.map((pet) => [pet.exchange, pet]));
  return history.pages.flatMap(({ exchange, entries }) =>
    entries.filter(isJsonObject).flatMap(({ id, name }) => {
      const pet = created.get(sentOnce.get(name ?? null)!);
      if (pet === undefined || !isInt64(id) || id === pet.id || history.createdById.has(id)) return [];
      const listed = entries.some((entry) => isJsonObject(entry) && entry['id'] === pet.id && entry['name'] === name);
      if (!listed) return [];
      const facts = { expected: 'one animal for one request', received: `${pet.id} and ${id}` };
      return [fails('create-answer', 'created-twice', facts, pet.exchange, exchange)];
    }),
  );
}

export const createPetChecks: readonly Check[] = [
  {
    id: 'creations-answer',
    verifies: [
      'create-answer',
      'create-required-fields',
      'create-invalid-values',
      'create-malformed-body',
      'create-body-utf8',
    ],
    title: 'The service answers a valid body with 201 and the animal, and an invalid one with 400',
    judge: (history) => [
      ...creations(history).flatMap((exchange) => judgeCreation(history, exchange)),
      ...judgeRefusals(history),
    ],
  },
  {
    id: 'one-request-one-animal',
    verifies: ['create-answer'],
    title: 'A creation adds one animal',
    judge: judgeTwice,
  },
  {
    id: 'refused-stores-nothing',
    verifies: ['create-refused-stores-nothing', 'auth-refused-stores-nothing'],
    title: 'A refused request leaves no animal behind',
    judge: (history) => {
      // A 429 is a refusal, too. A request that was accepted when repeated has its mark among those that may be stored.
      const all = history.exchanges.filter((exchange) => exchange.operation === 'createPet');
      const isRefused = (exchange: Exchange): boolean => {
        const status = statusOf(exchange) ?? 0;
        return status >= 400 && status < 500;
      };
      const withKey = all.filter((exchange) => isAuthorized(exchange) && isRefused(exchange));
      const withoutKey = all.filter((exchange) => !isAuthorized(exchange) && isRefused(exchange));
      const stored = readStored(history);
      return [
        ...judgeStored(history, stored, 'create-refused-stores-nothing', withKey),
        ...judgeStored(history, stored, 'auth-refused-stores-nothing', withoutKey),
      ];
    },
  },
];
