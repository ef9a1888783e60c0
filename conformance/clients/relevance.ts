/** Which exchanges of a client an open question concerns: without any, a run shows nothing about it. */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { OpenGapId } from '../../spec/gaps.ts';
import type { Exchange } from '../http/exchange.ts';
import { isPetStatus, queryOf } from '../http/read-request.ts';

type Concerns = (exchange: Exchange) => boolean;

const isCreation: Concerns = ({ operation }) => operation === 'createPet';
const isListing: Concerns = ({ operation }) => operation === 'listPets';
const isRead: Concerns = ({ operation }) => operation === 'getPet';
const isAnswered =
  (...statuses: readonly number[]): Concerns =>
  ({ response }) =>
    response !== undefined && statuses.includes(response.status);
const sends =
  (pattern: RegExp): Concerns =>
  (exchange) =>
    isCreation(exchange) && pattern.test(exchange.request.body ?? '');

function hasQuery(exchange: Exchange, matches: (query: URLSearchParams) => boolean): boolean {
  return isListing(exchange) && matches(queryOf(exchange));
}

const ofGaps: { readonly [Id in OpenGapId]: Concerns } = {
  cors: ({ request }) => request.headers['origin'] !== undefined,
  'known-categories': isCreation,
  'name-limits': isCreation,
  'duplicate-names': isCreation,
  'status-omitted': (exchange) => isCreation(exchange) && !sends(/"status"/)(exchange),
  'id-form': isAnswered(200, 201),
  'extra-response-fields': ({ response }) => /[{]/.test(response?.body ?? ''),
  'limit-out-of-range': (exchange) =>
    hasQuery(exchange, (query) => /^-?\d+$/.test(query.get('limit') ?? '') && !isInRange(query.get('limit'))),
  'limit-not-integer': (exchange) =>
    hasQuery(exchange, (query) => query.has('limit') && !/^-?\d+$/.test(query.get('limit') ?? '')),
  'status-filter-unknown': (exchange) =>
    hasQuery(exchange, (query) => query.has('status') && !isPetStatus(query.get('status'))),
  'unknown-query-parameters': (exchange) =>
    hasQuery(exchange, (query) => [...query.keys()].some((name) => name !== 'limit' && name !== 'status')),
  'list-order': isListing,
  'page-cap': isListing,
  'short-pages': (exchange) => hasQuery(exchange, (query) => query.has('status')),
  visibility: (exchange) => isListing(exchange) || isRead(exchange),
  'later-pages': isListing,
  'extra-body-fields': sends(/"(?!(?:name|categoryId|status|id)")[^"]*"\s*:/),
  'client-sent-id': sends(/"id"\s*:/),
  'integer-written-as-decimal': sends(/"categoryId"\s*:\s*-?\d+[.eE]/),
  'other-media-type': (exchange) =>
    isCreation(exchange) && !/^application\/json\s*(;|$)/i.test(exchange.request.headers['content-type'] ?? ''),
  'chunked-bodies': (exchange) => isCreation(exchange) && 'transfer-encoding' in exchange.request.headers,
  'location-header': isAnswered(201),
  'pet-id-not-int64': (exchange) => isRead(exchange) && !/^\/pets\/-?\d{1,18}$/.test(exchange.request.target),
  'other-operations': ({ operation }) => operation === 'other',
  // A client has one key.
  'key-scope': () => false,
  'bearer-case': ({ credential }) => credential.kind === 'lenient',
  'www-authenticate': isAnswered(401),
  'error-codes': isAnswered(400, 401, 404, 405, 410, 415, 422),
  'too-many-requests-body': isAnswered(429),
  'rate-limit-window': () => true,
  'rate-limit-without-key': isAnswered(401),
  'limit-scope': ({ credential }) => credential.kind === 'valid',
  'refused-requests': isAnswered(400, 404),
  'retry-after-form': isAnswered(429),
  ban: isAnswered(429),
  'after-removal': isRead,
  'deprecation-headers': isRead,
};

function isInRange(limit: string | null): boolean {
  return Number(limit) >= 1 && Number(limit) <= 100;
}

/** Whether the answer of an exchange may show how a client takes a variation of this requirement. */
export function concerns(requirement: ClientRequirementId, exchange: Exchange): boolean {
  if (requirement === 'client-goes-on') return isAnswered(429)(exchange);
  if (requirement === 'any-catalogue') return isListing(exchange);
  if (!requirement.startsWith('any-')) return true;
  const ofGap: Concerns | undefined = ofGaps[requirement.slice('any-'.length) as OpenGapId];
  return ofGap?.(exchange) ?? exchange.response !== undefined;
}
