/** Services and gateways that refuse or lose requests in legal ways, or treat otherwise what the interface leaves open. */

import type { StoreRequest } from '../../reference-server/index.ts';
import { largeBudget } from '../verdict/settings.ts';
import type { Service } from './service.ts';
import {
  answerError,
  breakOff,
  type Call,
  changeAnswer,
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
  withKey,
} from './wraps.ts';

/** A gateway refuses what it takes for an attack or for too large, with a page and headers of its own. */
const refusedByGateway =
  (status: number, matches: (request: StoreRequest) => boolean): Wrap =>
  (handle) =>
  (request, now) => {
    if (!matches(request)) return handle(request, now);
    const body = `<html><head><title>${status}</title></head></html>`;
    return { status, headers: { 'Content-Type': 'text/html', Server: 'nginx' }, body };
  };

/** A gateway refuses more than so many requests within a time, and says nothing but that. */
const limitedByGateway =
  (most: number, lengthMs: number, matches: (call: Call) => boolean): Wrap =>
  (handle, keys) => {
    let [window, count] = [0, 0];
    return (request, now) => {
      if (!matches(readCall(request, now, keys))) return handle(request, now);
      const at = Math.floor(now / lengthMs);
      [window, count] = [at, at === window ? count + 1 : 1];
      return count <= most ? handle(request, now) : { status: 429, headers: {}, body: '' };
    };
  };

const looksLikeAttack = ({ body }: StoreRequest): boolean =>
  /<\w+[ >]|\.\.\/|\$\{|\{\{|\0|\\u0000|' or /i.test(new TextDecoder().decode(body));

/** Gateways and firewalls that refuse requests by themselves. */
export const refusingGateways: readonly Service[] = [
  { id: 'firewall-answers-403', wrap: refusedByGateway(403, looksLikeAttack), settings: largeBudget },
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
    (answer) => ({ ...withHeader(answer, 'Content-Type', 'text/html'), status: 404, body: '<h1>Not Found</h1>' }),
    (call, { status }) => isRouted(call, status),
  );
const refusedElsewhere = { observes: { 'pet-id-not-int64': ['refused-otherwise', 'not-found-404'] } } as const;

/** Another error format for errors that the interface does not list. */
const ownErrors: Wrap = changeAnswer(
  (answer) => ({
    ...withHeader(answer, 'Content-Type', 'application/problem+json'),
    body: '{"title":"","type":"about:blank"}',
  }),
  ({ operation }, { status }) =>
    status >= 400 && ![401, 429].includes(status) && !/^(createPet 400|getPet 404)$/.test(`${operation} ${status}`),
);

/** Refuses control characters in names, as many services do. */
export const noControls: Wrap = refuseBodies((call) => /[\x00-\x1f]/.test(nameOf(sentPet(call))));

/** Accepts only categories from 1 on and below 2^31. */
const smallCategories: Wrap = refuseBodies((call) => {
  const { categoryId } = sentPet(call);
  return typeof categoryId === 'bigint' && (categoryId >= 2n ** 31n || categoryId < 1n);
});

/** The scope of the API key excludes an operation, which is answered 401: scopes are not shown. */
const withoutScopeFor = (excluded: 'createPet' | 'getPet'): Wrap =>
  changeRequest((request, call) =>
    call.operation === excluded && hasKey(call, 'api') ? withKey(request, 'a-key-of-nobody') : request,
  );

export const refusalServices: readonly Service[] = [
  ...refusingGateways,
  {
    // A router answers unknown paths. Numbers of any length pass it.
    id: 'router-page',
    wrap: routerPage(({ request }, status) => status !== 401 && !/^\/v1\/pets(\/-?\d+)?(\?|$)/.test(request.target)),
    ...refusedElsewhere,
  },
  {
    // A router matches only numeric petIds, before keys are checked.
    id: 'typed-routes',
    wrap: routerPage(
      ({ operation, request }) => operation === 'getPet' && !/^\/v1\/pets\/-?\d+(\?|$)/.test(request.target),
    ),
    ...refusedElsewhere,
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
    id: 'own-bodies-of-other-errors',
    wrap: ownErrors,
    observes: {
      'limit-out-of-range': 'refused-otherwise',
      'limit-not-integer': 'refused-otherwise',
      'status-filter-unknown': 'refused-otherwise',
    },
  },
  {
    id: 'unknown-paths-not-implemented',
    wrap: answerError(501, ({ operation, isAuthorized }) => operation === 'other' && isAuthorized),
    observes: { 'other-operations': 'refused-501' },
  },
  { id: 'no-controls', wrap: noControls, observes: { 'name-limits': 'some-characters' } },
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
  { id: 'small-categories', wrap: smallCategories, observes: { 'known-categories': 'refused-400' } },
  { id: 'key-that-may-not-create', wrap: withoutScopeFor('createPet'), exitCode: 3 },
  {
    id: 'key-that-may-not-list',
    wrap: answerError(403, ({ operation }, { status }) => operation === 'listPets' && status === 200),
    exitCode: 3,
  },
  { id: 'key-that-may-not-get', wrap: withoutScopeFor('getPet') },
];
