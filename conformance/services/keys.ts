/** Services of §5: legal ways to parse and refuse keys, and to limit their scope. */

import type { Service } from './service.ts';
import { answerError, changeRequest, hasKey, requestHeader, type Wrap, withKey } from './wraps.ts';

function readsKey(matches: (value: string, apiKey: string) => boolean): Wrap {
  return changeRequest((request, { keys }) =>
    matches(requestHeader(request, 'authorization') ?? '', keys.api) ? withKey(request, keys.api) : request,
  );
}

/** The scope of the API key excludes an operation, which is answered 401: scopes are not shown. */
function withoutScopeFor(excluded: 'createPet' | 'getPet'): Wrap {
  return changeRequest((request, call) =>
    call.operation === excluded && hasKey(call, 'api') ? withKey(request, 'a-key-of-nobody') : request,
  );
}

/** Credentials that look like a query, are not ASCII or are very long. */
const suspicious = /' or |^Bearer (\*|%$|\.\*|\{"\$)|[^\x00-\x7f]|.{1024}/i;

export const keyServices: readonly Service[] = [
  {
    id: 'keys-without-case',
    wrap: readsKey((value, apiKey) => value.toLowerCase() === `bearer ${apiKey.toLowerCase()}`),
    observes: { 'bearer-case': 'accepted' },
  },
  {
    id: 'any-white-space-before-keys',
    wrap: readsKey((value, apiKey) => /^bearer\s+(.*)$/i.exec(value)?.[1] === apiKey),
  },
  {
    id: 'guarded-by-a-gateway',
    wrap: answerError(403, ({ request }) => suspicious.test(requestHeader(request, 'authorization') ?? '')),
  },
  { id: 'key-that-may-not-create', wrap: withoutScopeFor('createPet'), exitCode: 3 },
  {
    id: 'key-that-may-not-list',
    wrap: answerError(403, ({ operation }, { status }) => operation === 'listPets' && status === 200),
    exitCode: 3,
  },
  { id: 'key-that-may-not-get', wrap: withoutScopeFor('getPet') },
];
