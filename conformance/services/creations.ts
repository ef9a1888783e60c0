/** Services that accept few names, categories or bodies: a run sends plainer ones, or names the option that helps. */

import { readHeader } from '../../reference-server/index.ts';
import type { JsonValue } from '../http/json.ts';
import { servicesOf } from './service.ts';
import { answerError, changes, isValid, refuseCreation, type Wrap, withBody } from './wraps.ts';

/** Refuses valid animals before they are stored; `refuse` says why. */
function refusing(status: number, refuse: (name: string, categoryId: bigint) => string | undefined): Wrap {
  return refuseCreation(status, (call) => {
    return isValid(call) ? refuse(String(call.pet['name']), call.pet['categoryId'] as bigint) : undefined;
  });
}

export function names(status: number, pattern: RegExp): Wrap {
  const why = 'The name has characters that are not allowed.';
  return refusing(status, (name) => (pattern.test(name) ? undefined : why));
}

export function uniqueNames(status: number): Wrap {
  return (handle, keys) => {
    const taken = new Set<string>();
    return refusing(status, (name) => {
      const isTaken = taken.has(name);
      taken.add(name);
      return isTaken ? 'There is such an animal.' : undefined;
    })(handle, keys);
  };
}

export function categories(status: number, ...known: readonly bigint[]): Wrap {
  return refusing(status, (_name, categoryId) =>
    known.includes(categoryId) ? undefined : 'There is no such category.',
  );
}

/** Accepts so many animals, and then refuses every creation before it reads the body. */
function quotaOf(most: number, status: number): Wrap {
  return refuseCreation(status, (_call, count) => count >= most);
}

/** Changes the status of each animal to pending two seconds after its creation. */
const pendingSoon: Wrap = (handle, keys) => {
  const createdAt = new Map<JsonValue | undefined, number>();
  return (request, now) => {
    const change = changes.animals((animal) => {
      if (request.method === 'POST') createdAt.set(animal['id'], now);
      const isOld = now - (createdAt.get(animal['id']) ?? now) >= 2_000;
      return isOld ? { ...animal, status: 'pending' } : animal;
    });
    return (request.target.includes('status=') ? handle : change(handle, keys))(request, now);
  };
};

const is400 = { 'name-limits': 'refused-400' } as const;
const is422 = { 'name-limits': 'refused-422' } as const;

export const creationServices = servicesOf({
  'names-of-word-characters-else-422': ['FastAPI, Laravel: a pattern', names(422, /^[\w-]+$/), is422],
  'no-controls': ['PostgreSQL, which stores no U+0000', names(400, /^[^\x00-\x1f]*$/), is400],
  'no-halves-of-characters': [
    'Go, Python: encoders replace lone surrogates',
    changes.request((request, { text }) => withBody(request, text.replaceAll('\\ud83e', '\ufffd'))),
  ],
  'names-once-else-409': ['a unique index', uniqueNames(409), { 'duplicate-names': 'refused-409' }],
  'five-categories-else-404': [
    'a foreign key that is reported as not found',
    categories(404, 1n, 2n, 3n, 4n, 5n),
    { 'known-categories': 'refused-404' },
  ],
  'small-categories': [
    'a serial of PostgreSQL, which has 31 bits',
    refusing(400, (_name, categoryId) => (categoryId < 1n || categoryId >= 2n ** 31n ? 'There is none.' : undefined)),
    { 'known-categories': 'refused-400' },
  ],
  'names-by-a-template': [
    'a store with a style of names',
    { wrap: names(422, /^Pet [a-z]{5,12}$/), settings: { nameTemplate: 'Pet {n}' } },
    is422,
  ],
  'categories-by-option': [
    'a store whose categories its user knows',
    { wrap: categories(409, 71n), settings: { categoryIds: [70n, 71n] } },
    { 'known-categories': 'refused-409' },
  ],
  shared: ['a production service', { settings: { isDisposable: false } }],
  // If nothing can be created, the run cannot judge, and names the option that helps.
  'no-room': ['a store that is full', { wrap: quotaOf(0, 409), exitCode: 3 }],
  // §4.2 and §7 ask for 400 to an invalid body. One that nobody has read cannot be called invalid, whatever is answered.
  'key-that-only-reads': ['a scoped key, as of Stripe', { wrap: quotaOf(0, 403), exitCode: 3 }],
  'quota-of-25-creations': ['a free account', quotaOf(25, 403)],
  'chunked-bodies-400': [
    'WSGI servers, which need Content-Length (RFC 9110, 15.5.12)',
    refuseCreation(400, ({ request }) => readHeader(request, 'transfer-encoding') !== ''),
    { 'chunked-bodies': 'refused-400' },
  ],
  'more-fields-422': [
    'FastAPI with extra="forbid"',
    {
      wrap: answerError(422, (_call, { status, body }) => status === 400 && body.includes('fields that a NewPet')),
      gaps: { 'extra-body-fields': 'refused-400' },
    },
    { 'extra-body-fields': 'refused-422' },
  ],
  'pending-after-two-seconds': [
    'a store whose staff checks new animals',
    { wrap: pendingSoon, latencyMs: 350 },
    { 'status-omitted': ['available', 'pending'] },
  ],
});
