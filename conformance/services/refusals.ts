/** Variants that refuse or lose requests in legal ways, or treat otherwise what the interface leaves open. */

import type { Handle, StoreRequest, StoreResponse } from '../../reference-server/index.ts';
import { BrokenConnection } from '../../reference-server/twin/wraps.ts';
import { isAllowedLimit } from '../../spec/operations.ts';
import { TransportError } from '../http/transport.ts';
import { largeBudget } from '../verdict/settings.ts';
import type { Variant } from './service.ts';
import {
  answerError,
  breakOff,
  type Call,
  changeAnswer,
  changeCreation,
  changeRequest,
  hasKey,
  layers,
  nameOf,
  readCall,
  refuseBodies,
  requestHeader,
  sentPet,
  type Wrap,
  withBody,
  withHeader,
  withTarget,
} from './wraps.ts';

/** A gateway answers targets that match, without the headers of the service. */
function answeredByGateway(matches: (target: string) => boolean): Wrap {
  return (handle) => (request, now) =>
    matches(request.target) ? { status: 400, headers: {}, body: 'Bad Request' } : handle(request, now);
}

function pageOfGateway(status: number): StoreResponse {
  return {
    status,
    headers: { 'Content-Type': 'text/html' },
    body: `<html><head><title>${status}</title></head></html>`,
  };
}

/** A gateway refuses what it takes for an attack or for too large, with a page and headers of its own. */
function refusedByGateway(status: number, matches: (request: StoreRequest) => boolean): Wrap {
  const page = withHeader(pageOfGateway(status), 'Server', 'nginx');
  return (handle) => (request, now) => (matches(request) ? page : handle(request, now));
}

/** A gateway refuses more than so many requests within a time, and says nothing but that. */
function limitedByGateway(most: number, lengthMs: number, matches: (call: Call) => boolean): Wrap {
  return (handle, keys) => {
    let [window, count] = [0, 0];
    return (request, now) => {
      if (!matches(readCall(request, now, keys))) return handle(request, now);
      const at = Math.floor(now / lengthMs);
      [window, count] = [at, at === window ? count + 1 : 1];
      return count <= most ? handle(request, now) : { status: 429, headers: {}, body: '' };
    };
  };
}

/** Whether a request has headers, cookies or parameters that the interface does not show. */
const hasUnknownParts = ({ target, headers }: StoreRequest): boolean => {
  const parameters = [...new URLSearchParams(target.split('?')[1]).keys()];
  const known = /^(accept|authorization|content-type|transfer-encoding|user-agent)$/i;
  return parameters.some((name) => !/^(limit|status)$/.test(name)) || headers.some(([name]) => !known.test(name));
};

const looksLikeAttack = ({ body }: StoreRequest): boolean =>
  /<\w+[ >]|\.\.\/|\$\{|\{\{|\0|\\u0000|' or /i.test(new TextDecoder().decode(body));

function smallBodies(most: number): Wrap {
  return refuseBodies(({ request, isAuthorized }) => isAuthorized && request.body.length > most, 413);
}

/** Refuses control characters in names, as many services do. */
export const noControls: Wrap = refuseBodies((call) => /[\x00-\x1f]/.test(nameOf(sentPet(call))));

/** Accepts only categories below 2^31. */
const smallCategories: Wrap = refuseBodies((call) => {
  const { categoryId } = sentPet(call);
  return typeof categoryId === 'bigint' && (categoryId >= 2n ** 31n || categoryId < 1n);
});

function refusesUntyped(status: number): Wrap {
  return refuseBodies(
    ({ operation, request }) => operation === 'createPet' && requestHeader(request, 'content-type') === undefined,
    status,
  );
}

/** Gateways and firewalls that refuse requests by themselves. */
export const refusingGateways: readonly Variant[] = [
  { id: 'bare-gateway', wrap: answeredByGateway((target) => /%(00|E0%A4%A)?$/.test(target.split('?')[0] ?? '')) },
  ...[400, 403, 404, 405, 406, 501].map((status) => ({
    id: `firewall-answers-${status}`,
    wrap: refusedByGateway(status, looksLikeAttack),
    settings: largeBudget,
    observes: { 'name-limits': status === 501 ? 'any' : 'refused-otherwise' } as const,
  })),
  {
    id: 'gateway-refuses-1000-bytes',
    wrap: refusedByGateway(413, ({ body }) => body.length > 1_000),
    settings: largeBudget,
  },
  {
    id: 'gateway-refuses-long-keys',
    wrap: refusedByGateway(431, (request) => (requestHeader(request, 'authorization') ?? '').length > 512),
    settings: largeBudget,
  },
  {
    id: 'gateway-refuses-long-headers-with-400',
    wrap: refusedByGateway(400, ({ headers }) => String(headers).length > 900),
    settings: largeBudget,
  },
  ...Object.entries({
    'page-403': pageOfGateway(403),
    'empty-403': { status: 403, headers: {}, body: '' },
    'json-403': { status: 403, headers: { 'Content-Type': 'application/json' }, body: '{"message":"Forbidden"}' },
    'text-400': { status: 400, headers: { 'Content-Type': 'text/plain' }, body: 'Bad Request' },
  }).map(([id, refusal]) => ({
    id: `gateway-refuses-unknown-parts-${id}`,
    wrap: (handle: Handle) => (request: StoreRequest, now: number) =>
      hasUnknownParts(request) ? refusal : handle(request, now),
    settings: largeBudget,
    observes: { 'unknown-query-parameters': 'refused-otherwise' } as const,
  })),
  {
    id: 'gateway-limits-requests-without-a-key',
    wrap: limitedByGateway(30, 60_000, ({ isAuthorized }) => !isAuthorized),
    observes: { 'too-many-requests-body': ['error', 'empty'] },
  },
  {
    id: 'gateway-limits-bursts',
    wrap: limitedByGateway(40, 2_000, (call) => hasKey(call, 'api')),
    observes: { 'too-many-requests-body': ['empty', 'error'] },
  },
  {
    id: 'firewall-refuses-media-types-before-the-key',
    wrap: (handle) => (request, now) =>
      /^application\/json|^$/.test(requestHeader(request, 'content-type') ?? '')
        ? handle(request, now)
        : pageOfGateway(403),
    settings: largeBudget,
    observes: { 'other-media-type': ['refused-otherwise', 'refused-415'] },
  },
  { id: 'gateway-for-queries', wrap: answeredByGateway((target) => target.includes('%00')) },
];

export const refusalVariants: readonly Variant[] = [
  ...refusingGateways,
  {
    // A router answers unknown paths. Its page is not an Error. Numbers of any length pass it.
    id: 'router-page',
    wrap: changeAnswer(
      ({ headers }) => ({
        status: 404,
        headers: { ...headers, 'Content-Type': 'text/html' },
        body: '<h1>Not Found</h1>',
      }),
      ({ request }, { status }) => status !== 401 && !/^\/v1\/pets(\/-?\d+)?(\?|$)/.test(request.target),
    ),
    observes: { 'pet-id-not-int64': ['refused-otherwise', 'not-found-404'] },
  },
  { id: 'small-bodies', wrap: smallBodies(4_096) },
  { id: 'very-small-bodies', wrap: smallBodies(256) },
  { id: 'large-bodies-break-off', wrap: breakOff(({ request }) => request.body.length > 4_096) },
  {
    // Other paths and methods, and petIds with escapes, are answered 500.
    id: 'fails-on-what-is-not-shown',
    wrap: answerError(500, ({ operation, request }) => operation === 'other' || request.target.includes('/%')),
    observes: { 'other-operations': null },
  },
  {
    // Another error format for errors that the interface does not list.
    id: 'own-bodies-of-other-errors',
    wrap: changeAnswer(
      (answer) => {
        const typed = withHeader(answer, 'Content-Type', 'application/problem+json');
        return { ...typed, body: '{"title":"","type":"about:blank"}' };
      },
      ({ operation }, { status }) => {
        const isListed = status < 400 || status === 401 || status === 429;
        return !isListed && `${operation} ${status}` !== 'createPet 400' && `${operation} ${status}` !== 'getPet 404';
      },
    ),
    observes: {
      'limit-out-of-range': 'refused-otherwise',
      'limit-not-integer': 'refused-otherwise',
      'status-filter-unknown': 'refused-otherwise',
    },
  },
  {
    // The connection breaks instead of the third 201, whose animal is plain.
    id: 'unique-names-and-a-lost-answer',
    wrap: changeCreation((_answer, _call, count) => {
      if (count === 3) throw new BrokenConnection();
      return undefined;
    }),
    gaps: { 'duplicate-names': 'refused-400' },
  },
  {
    // Long names are stored so slowly that the client times out.
    id: 'long-names-take-too-long',
    wrap: changeCreation((_answer, { request }) => {
      if (request.body.length > 4_000) throw new TransportError('timeout', 'no answer in time');
      return undefined;
    }),
  },
  {
    id: 'unknown-paths-not-implemented',
    wrap: answerError(501, ({ operation, isAuthorized }) => operation === 'other' && isAuthorized),
    observes: { 'other-operations': 'refused-501' },
  },
  {
    id: 'strange-limit-drops-the-filter',
    wrap: changeRequest((request, { operation, query }) =>
      operation === 'listPets' && !isAllowedLimit(query.get('limit')) ? withTarget(request, '/v1/pets') : request,
    ),
    observes: { 'limit-out-of-range': 'ignored', 'limit-not-integer': 'ignored' },
  },
  { id: 'no-controls', wrap: noControls, observes: { 'name-limits': 'some-characters' } },
  {
    // Parameters of the media type.
    id: 'no-encodings',
    wrap: refuseBodies(
      ({ operation, request }) =>
        operation === 'createPet' && (requestHeader(request, 'content-type') ?? '').includes(';'),
      415,
    ),
  },
  { id: 'no-untyped-bodies-else-415', wrap: refusesUntyped(415) },
  ...([400, 422] as const).map(
    (status): Variant => ({
      id: `no-untyped-bodies-else-${status}`,
      wrap: refusesUntyped(status),
      observes: { 'other-media-type': ['refused-415', `refused-${status}`] },
    }),
  ),
  {
    // Lone surrogates are replaced, as encoders of text do.
    id: 'no-halves-of-characters',
    wrap: changeRequest((request) =>
      withBody(request, new TextDecoder().decode(request.body).replaceAll('\\ud83e', '\ufffd')),
    ),
  },
  {
    id: 'no-parameters-twice',
    wrap: answerError(400, ({ operation, query, isAuthorized }) => {
      return operation === 'listPets' && isAuthorized && new Set(query.keys()).size < query.size;
    }),
  },
  {
    id: 'last-of-parameters-given-twice',
    wrap: changeRequest((request, { operation, query }) =>
      operation === 'listPets' && query.size > 0
        ? withTarget(request, `/v1/pets?${new URLSearchParams(Object.fromEntries(query))}`)
        : request,
    ),
  },
  { id: 'small-categories', wrap: smallCategories, observes: { 'known-categories': 'refused-400' } },
  {
    id: 'small-categories-and-no-controls',
    wrap: layers(noControls, smallCategories),
    observes: { 'known-categories': 'refused-400', 'name-limits': 'some-characters' },
  },
];
