/** Legal ways to read keys, to refuse them, and to limit what they may do. */

import type { Operation } from '../../http/exchange.ts';
import {
  apiKey,
  changeAnswer,
  changeRequest,
  errorAnswer,
  readCall,
  requestHeader,
  type Wrap,
  withKey,
} from '../../sections/fault.ts';

function readsKey(matches: (value: string) => boolean): Wrap {
  return changeRequest((request) =>
    matches(requestHeader(request, 'authorization') ?? '') ? withKey(request) : request,
  );
}

/** Keys are the same in upper and lower case. */
export const keysWithoutCase: Wrap = readsKey((value) => value.toLowerCase() === `bearer ${apiKey.toLowerCase()}`);

/** Any white space may stand between the scheme and the key. */
export const anyWhiteSpaceBeforeKeys: Wrap = readsKey((value) => /^bearer\s+(.*)$/i.exec(value)?.[1] === apiKey);

/** A router that knows numbers for petIds only looks at paths before anything looks at keys. */
export const typedRoutes: Wrap = (handle) => (request, now) => {
  const answer = handle(request, now);
  if (readCall(request, now).operation !== 'getPet' || /^\/v1\/pets\/-?\d+$/.test(request.target)) return answer;
  return { status: 404, headers: { ...answer.headers, 'Content-Type': 'text/html' }, body: '<h1>Not Found</h1>' };
};

/** A gateway keeps from the service what looks like a query. */
export const guarded: Wrap = changeAnswer((answer, { request }) =>
  /' or |^Bearer (\*|%$|\.\*|\{"\$)/i.test(requestHeader(request, 'authorization') ?? '')
    ? errorAnswer(403, answer)
    : undefined,
);

/** The API key may not list, and is told so. */
export const forbidsListing: Wrap = changeAnswer((answer, { operation }) =>
  operation === 'listPets' && answer.status === 200 ? errorAnswer(403, answer) : undefined,
);

/** What a key may do is not shown: the API key may not do everything. */
export function withoutScopeFor(operation: Operation): Wrap {
  return changeRequest((request, call) => {
    const isOutOfScope = call.operation === operation && requestHeader(request, 'authorization') === `Bearer ${apiKey}`;
    return isOutOfScope ? withKey(request, 'a-key-of-nobody') : request;
  });
}
