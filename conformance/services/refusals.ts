/** Services that refuse requests in legal ways, or treat otherwise what the interface leaves open. */

import { type Service, servicesOf } from './service.ts';
import {
  answerError,
  breakOff,
  type Call,
  changeAnswer,
  changeRequest,
  hasKey,
  nameOf,
  refuseBodies,
  sentPet,
  type Wrap,
  withBody,
  withHeader,
  withKey,
} from './wraps.ts';

/** Answers of a router of its own: a page that is no Error. */
const routerPage = (isRouted: (call: Call, status: number) => boolean): Wrap =>
  changeAnswer(
    (answer) => ({ ...withHeader(answer, 'Content-Type', 'text/html'), status: 404, body: '<h1>Not Found</h1>' }),
    (call, { status }) => isRouted(call, status),
  );
const ofRouters = { 'pet-id-not-int64': ['refused-otherwise', 'not-found-404'] } as const;

/** A framework redirects the address with a slash behind it. */
const redirectsSlash: Wrap = (handle) => (request, now) =>
  /^\/v1\/pets\/(\?|$)/.test(request.target)
    ? { status: 308, headers: { Location: request.target.replace('/pets/', '/pets') }, body: '' }
    : handle(request, now);

/** Another error format for errors that the interface does not list. */
const ownErrors: Wrap = changeAnswer(
  (answer) => ({
    ...withHeader(answer, 'Content-Type', 'application/problem+json'),
    body: '{"title":"","type":"about:blank"}',
  }),
  ({ operation }, { status }) =>
    status >= 400 && ![401, 429].includes(status) && !/^(createPet 400|getPet 404)$/.test(`${operation} ${status}`),
);

/** Accepts only categories from 1 on and below 2^31. */
const smallCategories: Wrap = refuseBodies((call) => {
  const { categoryId } = sentPet(call);
  return typeof categoryId === 'bigint' && (categoryId >= 2n ** 31n || categoryId < 1n);
});
/** Lone surrogates are replaced, as encoders of text do. */
const replacesHalves: Wrap = changeRequest((request) =>
  withBody(request, new TextDecoder().decode(request.body).replaceAll('\\ud83e', '\ufffd')),
);

/** The scope of the API key excludes an operation, which is answered 401: scopes are not shown. */
const withoutScopeFor = (excluded: 'createPet' | 'getPet'): Wrap =>
  changeRequest((request, call) =>
    call.operation === excluded && hasKey(call, 'api') ? withKey(request, 'a-key-of-nobody') : request,
  );

export const refusalServices: readonly Service[] = servicesOf({
  // A router answers unknown paths. Numbers of any length pass it.
  'router-page': [
    routerPage(({ request }, status) => status !== 401 && !/^\/v1\/pets(\/-?\d+)?(\?|$)/.test(request.target)),
    ofRouters,
  ],
  // A router matches only numeric petIds, before keys are checked.
  'typed-routes': [
    routerPage(({ operation, request }) => operation === 'getPet' && !/^\/v1\/pets\/-?\d+(\?|$)/.test(request.target)),
    ofRouters,
  ],
  'trailing-slash-redirected': [redirectsSlash],
  'small-bodies': [refuseBodies(({ request, isAuthorized }) => isAuthorized && request.body.length > 4_096, 413)],
  'large-bodies-break-off': [breakOff(({ request }) => request.body.length > 4_096)],
  // Other paths and methods, and petIds with escapes, are answered 500.
  'fails-on-what-is-not-shown': [
    answerError(500, ({ operation, request }) => operation === 'other' || request.target.includes('/%')),
    { 'other-operations': null },
  ],
  'own-bodies-of-other-errors': [
    ownErrors,
    {
      'limit-out-of-range': 'refused-otherwise',
      'limit-not-integer': 'refused-otherwise',
      'status-filter-unknown': 'refused-otherwise',
    },
  ],
  'unknown-paths-not-implemented': [
    answerError(501, ({ operation, isAuthorized }) => operation === 'other' && isAuthorized),
    { 'other-operations': 'refused-501' },
  ],
  // Control characters in names.
  'no-controls': [refuseBodies((call) => /[\x00-\x1f]/.test(nameOf(sentPet(call)))), { 'name-limits': 'refused-400' }],
  'no-halves-of-characters': [replacesHalves],
  'no-parameters-twice': [
    answerError(400, ({ operation, query, isAuthorized }) => {
      return operation === 'listPets' && isAuthorized && new Set(query.keys()).size < query.size;
    }),
  ],
  'small-categories': [smallCategories, { 'known-categories': 'refused-400' }],
  'key-that-may-not-create': [withoutScopeFor('createPet'), {}, { exitCode: 3 }],
  'key-that-may-not-list': [
    answerError(403, ({ operation }, { status }) => operation === 'listPets' && status === 200),
    {},
    { exitCode: 3 },
  ],
  'key-that-may-not-get': [withoutScopeFor('getPet')],
});
