/** Services that accept few names, categories or bodies: a run sends plainer ones, or names the option that helps. */

import { isPetStatus, readHeader } from '../../reference-server/index.ts';
import { isInt64, type JsonValue } from '../http/json.ts';
import { type Service, servicesOf } from './service.ts';
import { answerError, changes, refuseCreation, type Wrap, withBody } from './wraps.ts';

interface Sent {
  readonly name: string;
  readonly categoryId: bigint;
}

/** Refuses valid animals before they are stored; `refuse` says why, given the number of animals accepted before. */
export function refusing(status: number, refuse: (sent: Sent, count: number) => string | undefined): Wrap {
  return refuseCreation(status, ({ pet: { name, categoryId, status: state = 'sold' } }, count) => {
    const isValid = typeof name === 'string' && isInt64(categoryId) && isPetStatus(state);
    return isValid ? refuse({ name, categoryId }, count) : undefined;
  });
}

export function names(status: number, pattern: RegExp, why = 'The name has characters that are not allowed.'): Wrap {
  return refusing(status, ({ name }) => (pattern.test(name) ? undefined : why));
}

export function uniqueNames(status: number): Wrap {
  return (handle, keys) => {
    const taken = new Set<string>();
    return refusing(status, ({ name }) => {
      const isTaken = taken.has(name);
      taken.add(name);
      return isTaken ? 'There is such an animal.' : undefined;
    })(handle, keys);
  };
}

export function categories(status: number, ...known: readonly bigint[]): Wrap {
  return refusing(status, ({ categoryId }) => (known.includes(categoryId) ? undefined : 'There is no such category.'));
}

export function roomFor(most: number): Wrap {
  return refusing(409, (_sent, count) => (count < most ? undefined : 'The store is full.'));
}

/** Accepts so many animals, and then refuses every creation before it reads the body. */
export function quotaOf(most: number, status: number): Wrap {
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

const is422 = 'refused-422';

export const creationServices: readonly Service[] = servicesOf({
  'names-of-word-characters-else-422': [names(422, /^[\w-]+$/), { 'name-limits': is422 }],
  'names-up-to-12-else-400': [names(400, /^.{1,12}$/su), { 'name-limits': 'refused-400' }],
  // PostgreSQL stores no U+0000.
  'no-controls': [names(400, /^[^\x00-\x1f]*$/), { 'name-limits': 'refused-400' }],
  // Encoders of Go and Python replace lone surrogates.
  'no-halves-of-characters': [
    changes.request((request, { text }) => withBody(request, text.replaceAll('\\ud83e', '\ufffd'))),
  ],
  'names-once-else-409': [uniqueNames(409), { 'duplicate-names': 'refused-409' }],
  'five-categories-else-404': [categories(404, 1n, 2n, 3n, 4n, 5n), { 'known-categories': 'refused-404' }],
  // A column of 31 bits.
  'small-categories': [
    refusing(400, ({ categoryId }) => (categoryId < 1n || categoryId >= 2n ** 31n ? 'There is none.' : undefined)),
    { 'known-categories': 'refused-400' },
  ],
  'names-by-a-template': [
    { wrap: names(422, /^Pet [a-z]{5,12}$/), settings: { nameTemplate: 'Pet {n}' } },
    { 'name-limits': is422 },
  ],
  'categories-by-option': [
    { wrap: categories(409, 71n), settings: { categoryIds: [70n, 71n] } },
    { 'known-categories': 'refused-409' },
  ],
  shared: [{ settings: { isDisposable: false } }],
  // If nothing can be created, the run cannot judge, and names the option that helps.
  'names-of-three': [{ wrap: names(422, /^\w{3}$/), exitCode: 3 }],
  'categories-from-900': [{ wrap: categories(404, 900n), exitCode: 3 }],
  'no-room': [{ wrap: roomFor(0), exitCode: 3 }],
  'key-that-only-reads': [{ wrap: names(403, /^$/, 'This key may not create animals.'), exitCode: 3 }],
  // §4.2 and §7 ask for 400 to an invalid body. One that nobody has read cannot be called invalid, whatever is answered.
  'quota-of-25-creations': [quotaOf(25, 403)],
  // Content-Length is required (RFC 9110, 15.5.12).
  'chunked-bodies-400': [
    refuseCreation(400, ({ request }) => readHeader(request, 'transfer-encoding') !== ''),
    { 'chunked-bodies': 'refused-400' },
  ],
  'more-fields-422': [
    {
      wrap: answerError(422, (_call, { status, body }) => status === 400 && body.includes('fields that a NewPet')),
      gaps: { 'extra-body-fields': 'refused-400' },
    },
    { 'extra-body-fields': is422 },
  ],
  'pending-after-two-seconds': [{ wrap: pendingSoon, latencyMs: 350 }, { 'status-omitted': ['available', 'pending'] }],
});
