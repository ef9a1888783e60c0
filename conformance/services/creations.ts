/** Services that accept few names, categories or bodies: a run sends plainer ones, or names the option that helps. */

import {
  isPetStatus,
  type NewPet,
  type PetStatus,
  readHeader,
  refuse,
  type StoreRequest,
} from '../../reference-server/index.ts';
import { writeJson } from '../http/json.ts';
import { largeBudget } from '../world/settings.ts';
import { type Service, servicesOf } from './service.ts';
import { answerError, changes, errorAnswer, isValid, readCall, type Wrap, withBody } from './wraps.ts';

type Behaving = Required<Pick<Service, 'behaviour'>>;

/** Accepts only some valid animals. */
export function acceptingPets(status: number, accepts: (pet: NewPet, body: object) => boolean): Behaving {
  const refusal = () => refuse(status, 'The store accepts no such animal.');
  return { behaviour: { refusePet: (pet, body) => (accepts(pet, body) ? undefined : refusal()) } };
}

export const namesMatching = (status: number, pattern: RegExp) =>
  acceptingPets(status, ({ name }) => pattern.test(name));
export const categories = (status: number, ...known: readonly bigint[]) =>
  acceptingPets(status, ({ categoryId }) => known.includes(categoryId));

/** Refuses some bodies before it reads them. */
function refusingBodies(status: number, refuses: (request: StoreRequest) => boolean): Behaving {
  return {
    behaviour: {
      refuseBody: (request) => (refuses(request) ? refuse(status, 'The body is not accepted.') : undefined),
    },
  };
}

/** Accepts so many animals, and then answers every creation 403 before it reads the body. */
function quotaOf(most: number): Wrap {
  return (handle, keys) => {
    let created = 0;
    return (request, now) => {
      const isRefused = created >= most && readCall(request, now, keys).operation === 'createPet';
      // An empty object is refused only after a missing key and a limit that is used up.
      const answer = handle(isRefused ? withBody(request, '{}') : request, now);
      if (answer.status === 201) created += 1;
      return isRefused && [400, 415].includes(answer.status) ? errorAnswer(403, answer) : answer;
    };
  };
}

/** Gives an animal without a status that of the animal before it. */
const statusOfTheOneBefore: Wrap = (handle, keys) => {
  let before: PetStatus | undefined;
  return (request, now) => {
    const call = readCall(request, now, keys);
    const { operation, isAuthorized, pet } = call;
    const isOmitted = operation === 'createPet' && isAuthorized && isValid(call) && !Object.hasOwn(pet, 'status');
    const sent = isOmitted && before !== undefined ? withBody(request, writeJson({ ...pet, status: before })) : request;
    const answer = handle(sent, now);
    if (answer.status === 201 && isPetStatus(pet['status'])) before = pet['status'];
    return answer;
  };
};

/** Names of fields that a store of documents does not take. */
const isOddField = (name: string): boolean => name === '' || /^\$|\./.test(name);

const knownFields: readonly string[] = ['name', 'categoryId', 'status', 'id'];
const takenNames = answerError(409, (_call, { body }) => body.includes('has this name'));
const is422 = { 'name-limits': 'refused-422' } as const;

export const creationServices = servicesOf({
  'names-of-word-characters-else-422': ['FastAPI, Laravel: a pattern', namesMatching(422, /^[\w-]+$/), is422],
  'no-controls': [
    'PostgreSQL, which stores no U+0000',
    namesMatching(400, /^[^\x00-\x1f]*$/),
    { 'name-limits': 'refused-400' },
  ],
  'no-halves-of-characters': [
    'Go, Python: encoders replace lone surrogates',
    changes.request((request, { text }) => withBody(request, text.replaceAll('\\ud83e', '\ufffd'))),
  ],
  'names-once-else-409': [
    'a unique index',
    { wrap: takenNames, gaps: { 'duplicate-names': 'refused-400' } },
    { 'duplicate-names': 'refused-409' },
  ],
  'five-categories-else-404': [
    'a foreign key that is reported as not found',
    categories(404, 1n, 2n, 3n, 4n, 5n),
    { 'known-categories': 'refused-404' },
  ],
  'categories-of-53-bits': [
    'Node.js: Number.isSafeInteger',
    acceptingPets(400, ({ categoryId }) => Number.isSafeInteger(Number(categoryId))),
    { 'known-categories': 'within-range' },
  ],
  'repeats-unknown-fields': [
    'a 201 that repeats the request, and a table with columns of its own',
    changes.created((pet, { pet: sent }) => ({ ...sent, ...pet })),
    { 'extra-body-fields': 'ignored' },
  ],
  shared: ['a production service', { settings: { isDisposable: false } }],
  // §4.2 and §7 ask for 400 to an invalid body. One that nobody has read cannot be called invalid, whatever is answered.
  // If nothing can be created, the run cannot judge, and names the option that helps.
  'key-that-only-reads': ['a scoped key, as of Stripe', { wrap: quotaOf(0), exitCode: 3 }],
  'quota-of-25-creations': ['a free account', quotaOf(25)],
  'chunked-bodies-400': [
    'WSGI servers, which need Content-Length (RFC 9110, 15.5.12)',
    refusingBodies(400, (request) => readHeader(request, 'transfer-encoding') !== ''),
    { 'chunked-bodies': 'refused-400' },
  ],
  'small-bodies': ['Express: a limit of body-parser', refusingBodies(413, ({ body }) => body.length > 4_096)],
  // Near faults that only a thousand requests show.
  'odd-field-names-400': [
    'MongoDB before 5: no name that is empty, starts with $ or has a dot',
    { ...acceptingPets(400, (_pet, body) => !Object.keys(body).some(isOddField)), settings: largeBudget },
    { 'extra-body-fields': ['ignored', 'refused-400'] },
  ],
  'status-of-the-animal-before': [
    'a form that keeps its last choice',
    { wrap: statusOfTheOneBefore, settings: largeBudget },
    { 'status-omitted': ['available', 'pending', 'sold'] },
  ],
  'more-fields-422': [
    'FastAPI with extra="forbid"',
    acceptingPets(422, (_pet, body) => Object.keys(body).every((field) => knownFields.includes(field))),
    { 'extra-body-fields': 'refused-422' },
  ],
});
