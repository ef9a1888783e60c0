/**
 * The codes of failures, and what each says about the answer. Only the level of a requirement says whether a service must do
 * something: requirements of both levels share codes.
 */

import { pageLimit, pageLimitInWords } from './operations.ts';

/** A code for each field, with its meaning. */
function codesFor<const Field extends string, const End extends string>(
  fields: readonly Field[],
  end: End,
  meaning: string,
): Readonly<Record<`${Field}-${End}`, string>> {
  const codes = fields.map((field) => [`${field}-${end}`, meaning.replace('FIELD', `field ${field}`)]);
  return Object.fromEntries(codes) as Record<`${Field}-${End}`, string>;
}

const fieldsInCodes = ['id', 'name', 'categoryId', 'status', 'code', 'message'] as const;
const sent = ['name', 'categoryId', 'status'] as const;
/** Codes that name a field or a header. */
const namingCodes = {
  ...codesFor(fieldsInCodes, 'missing', 'The FIELD is missing.'),
  ...codesFor(fieldsInCodes, 'wrong', 'The FIELD has another type or value than the interface gives it.'),
  ...codesFor(sent, 'changed', 'The FIELD comes back different from the accepted value.'),
  ...codesFor(sent, 'outside', 'The FIELD that the client sends has a value that the interface does not allow.'),
  ...codesFor(
    ['id', 'categoryId'],
    'not-int64',
    'The FIELD is a number but not an int64: a fraction, or out of range.',
  ),
  ...codesFor(['code', 'message'], 'empty', 'The FIELD of an error is empty.'),
  'more-in-x-ratelimit-limit': 'X-RateLimit-Limit holds more than an integer.',
  'more-in-x-ratelimit-remaining': 'X-RateLimit-Remaining holds more than an integer.',
  'more-in-x-ratelimit-reset': 'X-RateLimit-Reset holds more than an integer.',
} as const;

const clientCodes = {
  'relies-on-an-answer': 'The client fails when a service answers an open question unlike the reference server.',
  'no-object': 'The body of createPet is not a JSON object.',
  'field-missing': 'The body of createPet lacks a required field.',
  'other-media-type': 'The body of createPet is not sent as application/json.',
  'other-operation': 'The request is not one of the operations that the interface shows.',
  'other-parameter': 'The request has a parameter that the interface does not show and no answer named.',
  'limit-outside': `The limit is not an integer ${pageLimitInWords}, or is sent twice.`,
  'status-unknown': 'The status filter is not one of the three, or is sent twice.',
  'no-int64': 'The petId is not an int64 in plain digits.',
  rounded: 'The petId is an id of the service after rounding to a double.',
  'no-key': 'The request has no key.',
  'key-elsewhere': 'The key is sent elsewhere than in Authorization: Bearer.',
  'too-soon': 'A request came before the time in Retry-After had passed.',
  hammering: 'Many requests came while the client was refused.',
  'no-backoff': 'The client did not wait longer, however often it was refused.',
  'deprecated-operation': 'getPet is used.',
} as const;

const serviceCodes = {
  'not-json': 'The body is not JSON.',
  'not-application-json': 'The body is not sent as application/json.',
  'not-an-array': 'The body of a listing is not an array.',
  'not-an-animal': 'Something else stands in the place of an animal.',
  'not-an-object': 'The body of an error is not a JSON object.',
  'unexpected-status': 'The answer has a status that the interface does not list for this request.',
  accepted: 'A request was carried out where a refusal was expected.',
  found: 'A path parameter that is not an int64 found an animal.',
  'another-animal': 'An id answers with the animal of another id.',
  'valid-refused': 'A valid request was refused.',
  'created-twice': 'One request created more than one animal.',
  'refused-yet-stored': 'A request was refused, but its animal was stored.',
  'id-twice-in-page': 'An id appears twice in one page.',
  'id-assigned-twice': 'Two created animals got the same id.',
  'id-in-use': 'A created animal got an id that another animal had.',
  'id-of-the-client': 'A created animal got the id that the client had sent.',
  'too-many': 'A page holds more animals than were asked for.',
  'default-differs': `A listing without limit holds another number of animals than one with limit ${pageLimit.usual}.`,
  'other-status': 'A listing by status holds an animal of another status.',
  'animal-missing': 'A page with room left lacks an animal that was created before.',
  'id-differs': 'A page shows an animal under another id than its 201; getPet tells which of them is wrong.',
  'not-refused': 'A request was answered as usual where a refusal was expected.',
  'refusal-without-error': 'A refusal carries no Error.',
  'status-differs': 'The status in the body of an error is not that of the response.',
  'server-error': 'The service failed (5xx).',
  'no-answer': 'The connection broke twice, while others were answered.',
  missing: 'A header that every response carries is missing.',
  'not-an-integer': 'A header holds something else than an integer.',
  'two-values': 'A header holds two integers that contradict each other.',
  placeholder: 'X-RateLimit-Limit is 0 while requests are served.',
  'above-limit': 'X-RateLimit-Remaining is above the limit.',
  'in-the-past': 'X-RateLimit-Reset lies in the past.',
  'beyond-a-day': 'X-RateLimit-Reset or Retry-After lies more than a day ahead.',
  'beyond-a-minute': 'X-RateLimit-Reset lies more than a minute ahead, with the limit of a minute.',
  rises: 'X-RateLimit-Remaining rises before the reset.',
  stays: 'X-RateLimit-Remaining does not fall with each request.',
  'falls-too-far': 'X-RateLimit-Remaining falls by more than one with each request.',
  alternates: 'X-RateLimit-Limit changes from request to request before the same reset.',
  'resets-earlier': 'X-RateLimit-Remaining rises long before X-RateLimit-Reset.',
  'not-of-the-plan': 'X-RateLimit-Limit is not a number of the plan.',
  'refused-early': 'A request got 429 while requests were left.',
  'still-refused': 'A request is refused after the announced time has passed.',
  'served-sooner': 'A key is served again long before its Retry-After ends.',
  'refused-later': 'A key is refused again after the time in its Retry-After.',
  unusable: 'Retry-After is missing, or neither seconds nor an HTTP date.',
  'no-version-segment': 'The base address does not end in v1.',
  'removed-early': 'getPet finds no animal before its removal.',
} as const;

/** A stable code of a failure; a misspelt one does not compile. */
export type FailureCode = keyof typeof namingCodes | keyof typeof clientCodes | keyof typeof serviceCodes;

/** The meaning of each code. */
export const failureCodes: Readonly<Record<FailureCode, string>> = { ...clientCodes, ...serviceCodes, ...namingCodes };

/** Failures of some codes, of any requirement or of those named. */
export interface FailureKinds {
  readonly codes: readonly FailureCode[];
  readonly of?: readonly string[];
  /** The name of the input that led to them. */
  readonly input?: string;
}

/** Failures that one mistake raises together: what drops one header of §8 drops the others. Any other is one of its own. */
export const raisedTogether: readonly (readonly FailureKinds[])[] = [
  [{ codes: ['not-json'] }],
  [{ codes: ['missing'] }],
  [{ codes: ['not-an-integer'] }],
  [{ codes: ['two-values'] }],
  [{ codes: ['too-many', 'default-differs'] }],
  [{ codes: ['rises', 'stays', 'falls-too-far', 'alternates'] }],
  [{ codes: ['name-wrong', 'name-changed'] }],
  [{ codes: ['categoryId-wrong', 'categoryId-not-int64', 'categoryId-changed'] }],
  [{ codes: ['status-changed', 'other-status'] }, { codes: ['status-wrong'], of: ['pet-status'] }],
  [{ codes: ['id-missing', 'id-wrong', 'id-not-int64'] }],
  [{ codes: ['id-assigned-twice', 'id-in-use', 'id-differs', 'id-of-the-client'] }],
  [{ codes: ['not-an-array', 'not-an-animal'] }],
  // What is not the service's own Error lacks several of its fields.
  [
    { codes: ['not-an-object', 'code-missing', 'code-wrong', 'message-missing', 'message-wrong'] },
    { codes: ['status-missing', 'status-wrong'], of: ['error-status'] },
  ],
  [{ codes: ['refusal-without-error'] }],
  [{ codes: ['in-the-past', 'beyond-a-minute', 'beyond-a-day'] }],
  [{ codes: ['refused-yet-stored'] }],
  [{ codes: ['refused-later', 'still-refused'] }],
];

/** Failures that only show what another mistake left behind. */
interface Consequence {
  readonly mistake: FailureKinds;
  readonly shownBy: FailureKinds;
  /** Set if they have to show it of the same animal or in the same exchange: either failure may also stand alone. */
  readonly isShared?: true;
}

const otherKeys = ['auth-invalid-key', 'auth-bearer-header', 'auth-key-case'];
const keys = ['auth-missing-key', ...otherKeys];

/** What follows from what: a consequence is reported with its mistake. */
export const consequences: readonly Consequence[] = [
  // A value that is accepted although it must be refused is stored, and shown.
  {
    mistake: { codes: ['accepted'], of: ['create-required-fields', 'create-invalid-values', 'create-malformed-body'] },
    shownBy: {
      codes: [
        'name-missing',
        'name-wrong',
        'name-changed',
        'categoryId-missing',
        'categoryId-wrong',
        'categoryId-not-int64',
        'categoryId-changed',
        'status-wrong',
        'other-status',
        'not-an-animal',
      ],
    },
    isShared: true,
  },
  // If an id is null, cut or the client's, several animals share it, and other answers show other animals under it.
  {
    mistake: {
      codes: [
        'id-missing',
        'id-wrong',
        'id-not-int64',
        'id-of-the-client',
        'id-assigned-twice',
        'id-in-use',
        'id-differs',
        'another-animal',
      ],
    },
    shownBy: {
      codes: [
        'id-twice-in-page',
        'id-assigned-twice',
        'id-in-use',
        'id-differs',
        'name-changed',
        'categoryId-changed',
        'status-changed',
        'animal-missing',
        'another-animal',
        'removed-early',
      ],
    },
  },
  {
    mistake: { codes: ['id-missing', 'id-wrong', 'id-not-int64', 'id-differs', 'animal-missing'] },
    shownBy: {
      codes: ['unexpected-status', 'removed-early', 'another-animal'],
      of: ['get-answer', 'get-until-removal'],
    },
  },
  { mistake: { codes: ['animal-missing'] }, shownBy: { codes: ['default-differs'] } },
  // A reset that is announced too late comes too early.
  { mistake: { codes: ['beyond-a-minute', 'beyond-a-day'] }, shownBy: { codes: ['resets-earlier'] } },
  { mistake: { codes: ['valid-refused'] }, shownBy: { codes: ['refused-yet-stored'] }, isShared: true },
  // A status that is ignored is not looked at, in a body or in a query.
  {
    mistake: { codes: ['status-changed'] },
    shownBy: { codes: ['accepted'], of: ['create-invalid-values'], input: 'status' },
  },
  {
    mistake: { codes: ['other-status'], of: ['list-status-filter'] },
    shownBy: { codes: ['not-refused'], of: ['list-status-refused'] },
  },
  { mistake: { codes: ['found'] }, shownBy: { codes: ['id-not-int64', 'id-wrong'] }, isShared: true },
  // A service that needs no key accepts any key, and refuses a request only for its other mistakes.
  {
    mistake: { codes: ['accepted'], of: ['auth-missing-key'] },
    shownBy: { codes: ['accepted', 'unexpected-status'], of: otherKeys },
  },
  // A wrong key that is accepted gets to whatever else is wrong with its request.
  { mistake: { codes: ['accepted'], of: keys }, shownBy: { codes: ['unexpected-status'], of: keys }, isShared: true },
  // A limiter in front of the service gives a bare 429.
  { mistake: { codes: ['missing'] }, shownBy: { codes: ['unusable'] }, isShared: true },
  // What answers everything with a page of its own, such as one for logging in.
  {
    mistake: { codes: ['not-json'] },
    shownBy: { codes: ['unexpected-status', 'accepted', 'found', 'not-refused'] },
    isShared: true,
  },
  // A refusal without an Error has the cause of other errors that are none.
  {
    mistake: {
      codes: [
        'not-json',
        'not-an-object',
        'code-missing',
        'code-wrong',
        'message-missing',
        'message-wrong',
        'status-differs',
      ],
    },
    shownBy: { codes: ['refusal-without-error'] },
  },
  {
    mistake: { codes: ['status-missing', 'status-wrong'], of: ['error-status'] },
    shownBy: { codes: ['refusal-without-error'] },
  },
];
