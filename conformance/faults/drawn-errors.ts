/** Faults of §7: services that fail on what few requests have in their query, their body or their headers. */

import { isJsonObject, type JsonObject } from '../http/json.ts';
import {
  type Call,
  errorAnswer,
  failOn,
  hasWideCharacters,
  requestHeader,
  sentBody,
  sentPet,
  unknownFieldsOf,
  type Wrap,
} from '../services/wraps.ts';
import { type Fault, rare, rareEach } from './fault.ts';

/** The property of a query on which the listing fails. */
const failingListings: Readonly<Record<string, (query: URLSearchParams, text: string) => boolean>> = {
  'an-empty-pair': (_query, text) => /&&|^&|&$/.test(text),
  'twelve-parameters': (query) => query.size > 12,
  'a-page': (query) => query.has('page'),
  'a-cursor': (query) => query.has('cursor'),
  'a-category-filter': (query) => query.has('categoryId'),
  'a-parameter-twice': (query) => query.getAll('tag').length > 1,
  'limits-in-brackets': (query) => query.has('limit[]'),
  'an-upper-case-limit': (query) => query.has('LIMIT'),
  'cyrillic-letters': (query) => /\p{sc=Cyrillic}/u.test([...query.values()].join('')),
  'a-line-end': (query) => /[\r\n]/.test([...query.values()].join('')),
  'a-date': (query) => [...query.values()].some((value) => /^\d{4}-\d\d-\d\dT/.test(value)),
  'a-backslash': (query) => [...query.values()].some((value) => value.includes('\\')),
  'a-limit-beyond-int32': (query) => /^\d{10}$/.test(query.get('limit') ?? ''),
  'a-limit-of-sixty-digits': (query) => /^\d{50,}$/.test(query.get('limit') ?? ''),
  'a-limit-beyond-a-double': (query) => query.get('limit') === '1e400',
  'a-negative-zero-limit': (query) => query.get('limit') === '-0',
  'a-limit-with-a-blank-before-it': (query) => query.get('limit')?.startsWith(' ') === true,
  'a-limit-with-a-plus-before-it': (query) => query.get('limit')?.startsWith('+') === true,
  'a-limit-of-a-thousand': (query) => query.get('limit') === '1000',
  'a-limit-with-quotes': (query) => /['"]/.test(query.get('limit') ?? ''),
  'a-status-of-digits': (query) => /^\d$/.test(query.get('status') ?? ''),
  'a-status-named-like-a-member': (query) => /^(constructor|__proto__|toString)$/.test(query.get('status') ?? ''),
  'a-long-status': (query) => (query.get('status') ?? '').length > 200,
  'an-emoji-in-status': (query) => /\p{Extended_Pictographic}/u.test(query.get('status') ?? ''),
};

const mediaTypeOf = ({ request }: Call): string => requestHeader(request, 'content-type') ?? '';

/** The part of a body on which the creation fails; the interface neither lists nor forbids it. */
const failingCreations: Readonly<Record<string, (call: Call, pet: JsonObject) => boolean>> = {
  'an-unknown-null': (_call, pet) => unknownFieldsOf(pet).some(([, value]) => value === null),
  'an-unknown-false': (_call, pet) => unknownFieldsOf(pet).some(([, value]) => value === false),
  'an-unknown-empty-text': (_call, pet) => unknownFieldsOf(pet).some(([, value]) => value === ''),
  'an-unknown-empty-list': (_call, pet) =>
    unknownFieldsOf(pet).some(([, value]) => Array.isArray(value) && value.length === 0),
  'a-field-without-a-name': (_call, pet) => Object.hasOwn(pet, ''),
  'a-field-in-another-script': (_call, pet) => unknownFieldsOf(pet).some(([field]) => hasWideCharacters(field)),
  'a-field-with-a-dollar': (_call, pet) => unknownFieldsOf(pet).some(([field]) => field.startsWith('$')),
  'a-field-called-proto': (call) => /"__proto__"\s*:/.test(sentBody(call)),
  'a-field-with-a-long-name': (_call, pet) => unknownFieldsOf(pet).some(([field]) => field.length > 200),
  'many-unknown-fields': (_call, pet) => unknownFieldsOf(pet).length > 20,
  'a-number-beyond-a-double': (call) => /:1e400\b/.test(sentBody(call)),
  'deep-unknown-fields': (call) => sentBody(call).includes('['.repeat(30)),
  'a-text-as-id': (_call, pet) => typeof pet['id'] === 'string',
  'an-id-that-is-true': (_call, pet) => pet['id'] === true,
  'a-list-as-id': (_call, pet) => Array.isArray(pet['id']),
  'an-object-as-id': (_call, pet) => isJsonObject(pet['id']),
  'a-negative-id': (_call, pet) => typeof pet['id'] === 'bigint' && pet['id'] < 0n,
  'an-id-beyond-int64': (_call, pet) => typeof pet['id'] === 'bigint' && pet['id'] >= 2n ** 63n,
  'a-missing-media-type': (call) => requestHeader(call.request, 'content-type') === undefined,
  'a-quoted-charset': (call) => /charset="/.test(mediaTypeOf(call)),
  'an-upper-case-media-type': (call) => /^Application/.test(mediaTypeOf(call)),
  'indented-json': (call) => /\n {4}"/.test(sentBody(call)),
  'json-indented-with-tabs': (call) => /\n\t"/.test(sentBody(call)),
  'long-blanks': (call) => / {500}/.test(sentBody(call)),
  'the-status-first': (_call, pet) => Object.keys(pet).join() === 'status,categoryId,name',
  'the-name-in-the-middle': (_call, pet) => Object.keys(pet).join() === 'status,name,categoryId',
};

/** Fails requests of an operation, or of all, that have a header with a value. */
function failingHeader(name: string, value: RegExp, status: number, only?: Call['operation']): Wrap {
  return failOn(
    ({ operation, request }) =>
      (only === undefined || operation === only) && value.test(requestHeader(request, name) ?? ''),
    status,
  );
}

export const drawnErrorFaults: readonly Fault[] = [
  ...rareEach('errors-listed', 'listing-fails-on-*', failingListings, (matches) =>
    failOn(({ operation, query, request }) => {
      return operation === 'listPets' && matches(query, request.target.split('?')[1] ?? '');
    }),
  ),
  ...rareEach('errors-listed', 'creation-fails-on-*', failingCreations, (matches) =>
    failOn((call) => {
      const pet = sentPet(call);
      return Object.hasOwn(pet, 'name') && matches(call, pet);
    }),
  ),
  ...rare(['errors-listed', 'list-answer', 'get-answer', 'create-answer'], {
    'accept-of-anything-refused': failingHeader('accept', /^\*\/\*$/, 406),
    'accept-of-any-application-refused': failingHeader('accept', /application\/\*/, 406),
    'accept-in-upper-case-refused': failingHeader('accept', /^Application/, 406),
    'accept-of-browsers-refused-for-reads': failingHeader('accept', /text\/html/, 406, 'getPet'),
    'creation-fails-on-several-types-in-accept': failingHeader('accept', /,/, 500, 'createPet'),
    'cookie-fails': failingHeader('cookie', /./, 500),
    'condition-of-a-read-answers-304': failingHeader('if-none-match', /./, 304, 'getPet'),
    'condition-fails': failingHeader('if-none-match', /./, 500),
    'language-fails': failingHeader('accept-language', /\*/, 500),
    'trace-fails': failingHeader('traceparent', /./, 500, 'listPets'),
  }),
  ...rare('errors-listed', {
    'fails-after-a-rest': (handle) => {
      let last = Number.POSITIVE_INFINITY;
      return (request, now) => {
        const hasRested = now - last > 4_000;
        last = now;
        const answer = handle(request, now);
        return hasRested && answer.status < 400 ? errorAnswer(500, answer) : answer;
      };
    },
  }),
];
