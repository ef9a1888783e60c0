/** What the target does where the interface is silent: one observer for each gap that a run can show. */

import { removalOfGetPet } from '../../spec/facts.ts';
import type { GapId } from '../../spec/gaps.ts';
import type { Check, Observer, Scenario } from '../engine/check.ts';
import type { Exchange } from '../engine/exchange.ts';
import { type History, isAuthorized } from '../engine/history.ts';
import { isJsonObject, type JsonObject, type JsonValue, showJson } from '../engine/json.ts';
import { type Listing, readListing, readNewPet, readPetId, readSent } from '../engine/read-request.ts';
import { animalsOf, bodyOf, statusOf } from '../engine/read-response.ts';
import { lowerCaseBearer } from './refused-credentials.ts';
import { listPets } from './requests.ts';

/** The distinct values in their order, as one text; undefined where there is none. */
function distinct(values: readonly (string | number | undefined)[]): string | undefined {
  const shown = [...new Set(values.filter((value) => value !== undefined))];
  if (shown.length === 0) return undefined;
  return shown.length <= 6 ? shown.join(', ') : `${shown.slice(0, 6).join(', ')} and ${shown.length - 6} more`;
}

/** How requests of one kind are answered. */
function answersTo(matches: (exchange: Exchange, history: History) => boolean): Observer['observe'] {
  return (history) => distinct(history.answered.filter((exchange) => matches(exchange, history)).map(statusOf));
}

function isListing(matches: (listing: Listing, query: URLSearchParams) => boolean): Observer['observe'] {
  return answersTo((exchange) => {
    if (exchange.operation !== 'listPets' || !isAuthorized(exchange)) return false;
    return matches(readListing(exchange), new URLSearchParams(exchange.request.target.split('?')[1] ?? ''));
  });
}

function sentFields(exchange: Exchange): JsonObject | undefined {
  const reading = readSent(exchange.request);
  const value: JsonValue | undefined = 'value' in reading ? reading.value : undefined;
  return exchange.operation === 'createPet' && isAuthorized(exchange) && isJsonObject(value) ? value : undefined;
}

function isCreation(
  matches: (fields: JsonObject, exchange: Exchange, history: History) => boolean,
): Observer['observe'] {
  return answersTo((exchange, history) => {
    const fields = sentFields(exchange);
    return fields !== undefined && matches(fields, exchange, history);
  });
}

/** Whether answers of one kind carry a header. */
function headerOn(name: string, matches: (exchange: Exchange) => boolean): Observer['observe'] {
  return (history) =>
    distinct(history.answered.filter(matches).map((exchange) => (exchange.response?.headers[name] ? 'sent' : 'none')));
}

function listOrder(history: History): string | undefined {
  const ours = new Map(history.created.map((pet, at) => [pet.id, at]));
  const orders = history.pages.flatMap(({ entries }) => {
    const places = entries.flatMap((entry) => {
      const place = isJsonObject(entry) ? ours.get(entry['id'] as bigint) : undefined;
      return place === undefined ? [] : [place];
    });
    if (places.length < 3) return [];
    const rising = places.every((place, at) => at === 0 || place > places[at - 1]!);
    const falling = places.every((place, at) => at === 0 || place < places[at - 1]!);
    return [rising ? 'oldest-first' : falling ? 'newest-first' : 'another'];
  });
  return distinct(orders);
}

function extraFields(history: History): string | undefined {
  const known = new Set(['id', 'name', 'categoryId', 'status']);
  const fields = history.answered.flatMap((exchange) => animalsOf(exchange).flatMap((animal) => Object.keys(animal)));
  if (fields.length === 0) return undefined;
  return distinct(fields.filter((field) => !known.has(field)).map((field) => field.slice(0, 40))) ?? 'none';
}

function errorCodes(history: History): string | undefined {
  return distinct(
    history.answered.map((exchange) => {
      const body = (statusOf(exchange) ?? 0) >= 400 ? bodyOf(exchange) : undefined;
      const code = isJsonObject(body) ? body['code'] : undefined;
      return typeof code === 'string' ? code.slice(0, 60) : undefined;
    }),
  );
}

function refusals(read: (exchange: Exchange) => string | undefined): Observer['observe'] {
  return (history) => distinct(history.exchanges.filter((exchange) => statusOf(exchange) === 429).map(read));
}

function limitsShown(kinds: readonly string[]): Observer['observe'] {
  return (history) =>
    distinct(
      history.exchanges
        .filter((exchange) => kinds.includes(exchange.credential.kind))
        .map((exchange) => exchange.response?.headers['x-ratelimit-limit']),
    );
}

function isPlain(exchange: Exchange): boolean {
  const reading = readNewPet(exchange);
  return reading.kind === 'valid' && reading.isPlainName;
}

const known = new Set(['limit', 'status']);

const observers: Partial<Record<GapId, Observer['observe']>> = {
  'known-categories': isCreation((_fields, exchange) => isPlain(exchange)),
  'name-limits': isCreation((_fields, exchange) => readNewPet(exchange).kind === 'valid' && !isPlain(exchange)),
  'duplicate-names': isCreation((fields, exchange, history) =>
    history.created.some((pet) => pet.exchange.answered < exchange.sent && pet.sent?.name === fields['name']),
  ),
  'status-omitted': (history) =>
    distinct(
      history.created
        .filter((pet) => pet.sent !== undefined && pet.sent.status === undefined)
        .map((pet) => (pet.returned['status'] === undefined ? 'absent' : showJson(pet.returned['status']))),
    ),
  'id-form': (history) => distinct(history.created.slice(0, 4).map((pet) => String(pet.id))),
  'extra-response-fields': extraFields,
  // Where two things are strange, the answer tells of neither.
  'limit-out-of-range': isListing(
    ({ limit, status }, query) =>
      limit === 'invalid' && status !== 'invalid' && /^-?\d+$/.test(query.get('limit') ?? ''),
  ),
  'limit-not-integer': isListing(
    ({ limit, status }, query) =>
      limit === 'invalid' && status !== 'invalid' && !/^-?\d+$/.test(query.get('limit') ?? ''),
  ),
  'status-filter-unknown': isListing(({ limit, status }) => status === 'invalid' && limit !== 'invalid'),
  'unknown-query-parameters': isListing((_listing, query) => [...query.keys()].some((name) => !known.has(name))),
  'list-order': listOrder,
  'later-pages': headerOn('link', (exchange) => exchange.operation === 'listPets' && statusOf(exchange) === 200),
  'extra-body-fields': isCreation((fields) => 'colour' in fields),
  'client-sent-id': isCreation((fields) => 'id' in fields),
  'integer-written-as-decimal': isCreation((_fields, { request }) => /"categoryId":\d+\.0/.test(request.body ?? '')),
  'other-media-type': isCreation(
    (_fields, { request }) => !/^application\/json\b/.test(request.headers['content-type'] ?? ''),
  ),
  'location-header': headerOn('location', (exchange) => statusOf(exchange) === 201),
  'pet-id-not-int64': answersTo(
    (exchange) => exchange.operation === 'getPet' && isAuthorized(exchange) && readPetId(exchange) === 'not-int64',
  ),
  'other-operations': answersTo((exchange) => exchange.operation === 'other'),
  'bearer-case': answersTo((exchange) => exchange.credential.kind === 'lenient'),
  'www-authenticate': headerOn('www-authenticate', (exchange) => statusOf(exchange) === 401),
  'error-codes': errorCodes,
  'too-many-requests-body': refusals((exchange) => exchange.response?.body.slice(0, 80) || 'empty'),
  'rate-limit-window': limitsShown(['valid']),
  'rate-limit-without-key': limitsShown(['missing', 'invalid', 'misplaced']),
  'retry-after-form': refusals((exchange) => exchange.response?.headers['retry-after'] ?? 'none'),
  ban: (history) => {
    const refused = history.exchanges.filter((exchange) => statusOf(exchange) === 429);
    return refused.length > 1 ? `${refused.length} refusals` : undefined;
  },
  'after-removal': (history) =>
    history.settings.today < removalOfGetPet
      ? undefined
      : answersTo((exchange) => exchange.operation === 'getPet')(history),
  'deprecation-headers': headerOn('sunset', (exchange) => exchange.operation === 'getPet'),
};

/** Requests on which the interface is silent; their answers are observed, never judged but for server errors. */
const askTheGaps: Scenario = {
  kind: 'scenario',
  id: 'ask-the-gaps',
  rank: 5,
  verifies: ['errors-listed'],
  title: 'Asks what the interface leaves open: another case of Bearer, unknown parameters, an unknown path',
  run: async (session) => {
    await session.sendAll([
      listPets('limit=1', lowerCaseBearer(session.keys.api)),
      listPets('limit=1&colour=brown'),
      { operation: 'other', target: '/no-such-path' },
    ]);
  },
};

export const observationChecks: readonly Check[] = [
  askTheGaps,
  ...Object.entries(observers).map(([gap, observe]): Observer => ({ kind: 'observer', gap: gap as GapId, observe })),
];
