/** Legal ways to parse and refuse keys, and to limit their scope. */

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

/** Compares keys without regard to case. */
export const keysWithoutCase: Wrap = readsKey((value) => value.toLowerCase() === `bearer ${apiKey.toLowerCase()}`);

/** Accepts any white space between the scheme and the key. */
export const anyWhiteSpaceBeforeKeys: Wrap = readsKey((value) => /^bearer\s+(.*)$/i.exec(value)?.[1] === apiKey);

/** A router matches only numeric petIds, before keys are checked. */
export const typedRoutes: Wrap = (handle) => (request, now) => {
  const answer = handle(request, now);
  if (readCall(request, now).operation !== 'getPet' || /^\/v1\/pets\/-?\d+$/.test(request.target)) return answer;
  return { status: 404, headers: { ...answer.headers, 'Content-Type': 'text/html' }, body: '<h1>Not Found</h1>' };
};

/** A firewall blocks credentials that look like a query, are not ASCII or are very long. */
export const guarded: Wrap = changeAnswer((answer, { request }) =>
  /' or |^Bearer (\*|%$|\.\*|\{"\$)|[^\x00-\x7f]|.{1024}/i.test(requestHeader(request, 'authorization') ?? '')
    ? errorAnswer(403, answer)
    : undefined,
);

/** Answers 403 to listings, since the scope of the API key excludes them. */
export const forbidsListing: Wrap = changeAnswer((answer, { operation }) =>
  operation === 'listPets' && answer.status === 200 ? errorAnswer(403, answer) : undefined,
);

/** The scope of the API key excludes an operation, which is answered 401: scopes are not shown. */
export function withoutScopeFor(operation: Operation): Wrap {
  return changeRequest((request, call) => {
    const isOutOfScope = call.operation === operation && requestHeader(request, 'authorization') === `Bearer ${apiKey}`;
    return isOutOfScope ? withKey(request, 'a-key-of-nobody') : request;
  });
}
