/** Services that refuse or lose requests in legal ways, or treat otherwise what the interface leaves open. */

import type { StoreRequest, StoreResponse } from '../../reference-server/index.ts';
import { BrokenConnection } from '../../reference-server/twin/wraps.ts';
import { isAllowedLimit } from '../../spec/operations.ts';
import { largeBudget } from '../verdict/settings.ts';
import type { Service } from './service.ts';
import {
  answerError,
  breakOff,
  type Call,
  changeAnswer,
  changeCreation,
  changeRequest,
  hasKey,
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

/** Refuses control characters in names, as many services do. */
export const noControls: Wrap = refuseBodies((call) => /[\x00-\x1f]/.test(nameOf(sentPet(call))));

/** Accepts only categories below 2^31. */
const smallCategories: Wrap = refuseBodies((call) => {
  const { categoryId } = sentPet(call);
  return typeof categoryId === 'bigint' && (categoryId >= 2n ** 31n || categoryId < 1n);
});

/** Gateways and firewalls that refuse requests by themselves. */
export const refusingGateways: readonly Service[] = [
  {
    id: 'bare-gateway',
    wrap: (handle) => (request, now) =>
      /%(00|E0%A4%A)?$/.test(request.target.split('?')[0] ?? '')
        ? { status: 400, headers: {}, body: 'Bad Request' }
        : handle(request, now),
  },
  ...[403, 406].map((status) => ({
    id: `firewall-answers-${status}`,
    wrap: refusedByGateway(status, looksLikeAttack),
    settings: largeBudget,
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
    id: 'gateway-refuses-unknown-parts',
    wrap: refusedByGateway(403, hasUnknownParts),
    settings: largeBudget,
    observes: { 'unknown-query-parameters': null },
  },
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
];

/** Answers of a router of its own: a page that is no Error. */
const routerPage = (isRouted: (call: Call, status: number) => boolean): Wrap =>
  changeAnswer(
    ({ headers }) => ({
      status: 404,
      headers: { ...headers, 'Content-Type': 'text/html' },
      body: '<h1>Not Found</h1>',
    }),
    (call, { status }) => isRouted(call, status),
  );

export const refusalServices: readonly Service[] = [
  ...refusingGateways,
  {
    // A router answers unknown paths. Numbers of any length pass it.
    id: 'router-page',
    wrap: routerPage(({ request }, status) => status !== 401 && !/^\/v1\/pets(\/-?\d+)?(\?|$)/.test(request.target)),
    observes: { 'pet-id-not-int64': ['refused-otherwise', 'not-found-404'] },
  },
  {
    // A router matches only numeric petIds, before keys are checked.
    id: 'typed-routes',
    wrap: routerPage(
      ({ operation, request }) => operation === 'getPet' && !/^\/v1\/pets\/-?\d+(\?|$)/.test(request.target),
    ),
    observes: { 'pet-id-not-int64': ['refused-otherwise', 'not-found-404'] },
  },
  {
    // A framework redirects the address with a slash behind it.
    id: 'trailing-slash-redirected',
    wrap: (handle) => (request, now) =>
      /^\/v1\/pets\/(\?|$)/.test(request.target)
        ? { status: 308, headers: { Location: request.target.replace('/pets/', '/pets') }, body: '' }
        : handle(request, now),
  },
  {
    id: 'small-bodies',
    wrap: refuseBodies(({ request, isAuthorized }) => isAuthorized && request.body.length > 4_096, 413),
  },
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
      (answer) => ({
        ...withHeader(answer, 'Content-Type', 'application/problem+json'),
        body: '{"title":"","type":"about:blank"}',
      }),
      ({ operation }, { status }) =>
        status >= 400 &&
        ![401, 429].includes(status) &&
        !['createPet 400', 'getPet 404'].includes(`${operation} ${status}`),
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
  {
    id: 'no-untyped-bodies-else-422',
    wrap: refuseBodies(
      ({ operation, request }) => operation === 'createPet' && requestHeader(request, 'content-type') === undefined,
      422,
    ),
    observes: { 'other-media-type': 'refused-415' },
  },
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
];
