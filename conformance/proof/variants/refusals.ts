/** Legal ways to refuse or lose requests, and to treat what the interface leaves open. */

import { BrokenConnection } from '../../../reference-server/index.ts';
import { isAllowedLimit } from '../../../spec/operations.ts';
import { TransportError } from '../../http/transport.ts';
import {
  breakOff,
  changeAnswer,
  changeRequest,
  errorAnswer,
  nameOf,
  refuseBodies,
  requestHeader,
  sentPet,
  type Wrap,
  withBody,
  withHeader,
  withTarget,
} from '../../sections/fault.ts';

/** A router before the service answers unknown paths with an HTML page. */
export const routerPage: Wrap = (handle) => (request, now) => {
  const isNumber = /^\/v1\/pets(\/-?\d+)?(\?|$)/.test(request.target);
  const answer = handle(request, now);
  if (isNumber || answer.status === 401) return answer;
  return { status: 404, headers: { ...answer.headers, 'Content-Type': 'text/html' }, body: '<h1>Not Found</h1>' };
};

/** A gateway answers malformed paths, without the headers of the service. */
export const bareGateway: Wrap = (handle) => (request, now) => {
  const isMalformed = /%(00|E0%A4%A)?$/.test(request.target.split('?')[0] ?? '');
  return isMalformed ? { status: 400, headers: {}, body: 'Bad Request' } : handle(request, now);
};

/** Refuses bodies larger than so many bytes. */
export function smallBodies(most: number): Wrap {
  return refuseBodies(({ request, isAuthorized }) => isAuthorized && request.body.length > most, 413);
}

/** Breaks the connection if a body is larger than 4 KiB. */
export const breaksOffLargeBodies: Wrap = breakOff(({ request }) => request.body.length > 4_096);

/** Answers 500 to what the interface does not show: other paths and methods, and petIds with escapes. */
export const failsOnWhatIsNotShown: Wrap = changeAnswer((answer, { operation, request }) =>
  operation === 'other' || request.target.includes('/%') ? errorAnswer(500, answer) : undefined,
);

/** Uses another error format for errors that the interface does not list. */
export const ownBodiesOfOtherErrors: Wrap = changeAnswer((answer, { operation }) => {
  const isListed = answer.status < 400 || answer.status === 401 || (operation === 'createPet' && answer.status === 400);
  const isOfGetPet = operation === 'getPet' && answer.status === 404;
  return isListed || isOfGetPet || answer.status === 429
    ? undefined
    : { ...withHeader(answer, 'Content-Type', 'application/problem+json'), body: '{"title":"","type":"about:blank"}' };
});

/** Breaks the connection instead of answering the third 201, whose animal is plain. */
export const losesAnAnswer: Wrap = (handle) => {
  let created = 0;
  return changeAnswer((answer) => {
    if (answer.status !== 201) return undefined;
    created += 1;
    if (created === 3) throw new BrokenConnection();
    return undefined;
  })(handle);
};

/** Stores long names so slowly that the client times out. */
export const stallsOnLongNames: Wrap = changeAnswer((answer, { request }) => {
  if (answer.status === 201 && request.body.length > 4_000) throw new TransportError('timeout', 'no answer in time');
  return undefined;
});

/** Answers 501 to other operations. */
export const notImplemented: Wrap = changeAnswer((answer, { operation, isAuthorized }) =>
  operation === 'other' && isAuthorized ? errorAnswer(501, answer) : undefined,
);

/** Ignores the query if its limit is not allowed. */
export const dropsStrangeQueries: Wrap = changeRequest((request, { operation, query }) =>
  operation === 'listPets' && !isAllowedLimit(query.get('limit')) ? withTarget(request, '/v1/pets') : request,
);

/** Refuses control characters in names, as many services do. */
export const noControls: Wrap = refuseBodies((call) => /[\x00-\x1f]/.test(nameOf(sentPet(call))));

/** Accepts only categories below 2^31. */
export const smallCategories: Wrap = refuseBodies((call) => {
  const { categoryId } = sentPet(call);
  return typeof categoryId === 'bigint' && (categoryId >= 2n ** 31n || categoryId < 1n);
});

/** Refuses parameters of the media type. */
export const refusesEncodings: Wrap = refuseBodies(
  ({ operation, request }) => operation === 'createPet' && (requestHeader(request, 'content-type') ?? '').includes(';'),
  415,
);

/** Refuses bodies without a media type. */
export function refusesUntyped(status: number): Wrap {
  return refuseBodies(
    ({ operation, request }) => operation === 'createPet' && requestHeader(request, 'content-type') === undefined,
    status,
  );
}

/** Replaces lone surrogates, as encoders of text do. */
export const replacesHalves: Wrap = changeRequest((request) =>
  withBody(request, new TextDecoder().decode(request.body).replaceAll('\\ud83e', '\ufffd')),
);

/** Refuses repeated parameters. */
export const refusesRepeated: Wrap = changeAnswer((answer, { operation, query, isAuthorized }) =>
  operation === 'listPets' && isAuthorized && new Set(query.keys()).size < query.size
    ? errorAnswer(400, answer)
    : undefined,
);

/** Uses the last of repeated parameters. */
export const takesTheLast: Wrap = changeRequest((request, { operation, query }) =>
  operation === 'listPets' && query.size > 0
    ? withTarget(request, `/v1/pets?${new URLSearchParams(Object.fromEntries(query))}`)
    : request,
);

/** A gateway answers targets with an escaped NUL, without the headers of the service. */
export const gatewayForQueries: Wrap = (handle) => (request, now) =>
  /%00/.test(request.target) ? { status: 400, headers: {}, body: 'Bad Request' } : handle(request, now);
