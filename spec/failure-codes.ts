/** The codes of failures, and what each says about the requirement that it stands with. */

const fields = ['id', 'name', 'categoryId', 'status', 'code', 'message'] as const;
const sentFields = ['name', 'categoryId', 'status'] as const;
const int64Fields = ['id', 'categoryId'] as const;
const textFields = ['code', 'message'] as const;
const headers = ['limit', 'remaining', 'reset'] as const;

type Field = (typeof fields)[number];
type SentField = (typeof sentFields)[number];

/** Codes that name a field or a header. */
type NamingCode =
  | `${Field}-missing`
  | `${Field}-wrong`
  | `${SentField}-changed`
  | `${SentField}-outside`
  | `${(typeof int64Fields)[number]}-not-int64`
  | `${(typeof textFields)[number]}-empty`
  | `more-in-x-ratelimit-${(typeof headers)[number]}`;

const namingCodes = Object.fromEntries([
  ...fields.flatMap((field) => [
    [`${field}-missing`, `The field ${field} is missing.`],
    [`${field}-wrong`, `The field ${field} has another type or value than the interface gives it.`],
  ]),
  ...sentFields.flatMap((field) => [
    [`${field}-changed`, `The field ${field} comes back different from the accepted value.`],
    [`${field}-outside`, `The field ${field} that the client sends has a value that the interface does not allow.`],
  ]),
  ...int64Fields.map((field) => [
    `${field}-not-int64`,
    `The field ${field} is a number but not an int64: a fraction, or out of range.`,
  ]),
  ...textFields.map((field) => [`${field}-empty`, `The field ${field} of an error is empty.`]),
  ...headers.map((name) => [
    `more-in-x-ratelimit-${name}`,
    `X-RateLimit-${name[0]!.toUpperCase()}${name.slice(1)} holds more than an integer.`,
  ]),
]) as Record<NamingCode, string>;

const clientCodes = {
  'relies-on-an-answer': 'The client fails when a service answers an open question unlike the reference server.',
  'no-object': 'The body of createPet is not a JSON object.',
  'field-missing': 'The body of createPet lacks a required field.',
  'field-twice': 'The body of createPet has two fields with the same name.',
  'other-media-type': 'The body of createPet is not sent as application/json.',
  'other-operation': 'The request is not one of the operations that the interface shows.',
  'other-parameter': 'The request has a parameter that the interface does not show and no answer named.',
  'limit-outside': 'The limit is not an integer from 1 to 100, or is sent twice.',
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
  'not-an-animal': 'Something else stands where an animal must stand.',
  'not-an-object': 'The body of an error is not a JSON object.',
  'unexpected-status': 'The answer has a status that the interface does not list for this request.',
  accepted: 'A request that must be refused was carried out.',
  found: 'A path parameter that is not an int64 found an animal.',
  'answer-to-another-request': 'Answers belong to the request before the one that received them.',
  'another-animal': 'An id answers with the animal of another id.',
  'valid-refused': 'A request that must be accepted was refused.',
  'created-twice': 'One request created more than one animal.',
  'refused-yet-stored': 'A request was refused, but its animal was stored.',
  'id-twice-in-page': 'An id appears twice in one page.',
  'id-assigned-twice': 'Two created animals got the same id.',
  'id-in-use': 'A created animal got an id that another animal had.',
  'id-of-the-client': 'A created animal got the id that the client had sent.',
  'too-many': 'A page holds more animals than were asked for.',
  'default-differs': 'A listing without limit holds another number of animals than one with limit 20.',
  'other-status': 'A listing by status holds an animal of another status.',
  'animal-missing': 'A page with room left lacks an animal that was created before.',
  'id-differs': 'A page shows an animal under another id than its 201; getPet tells which of them is wrong.',
  'not-refused': 'A request that must be refused was not.',
  'refusal-without-error': 'A refusal carries no Error.',
  'status-differs': 'The status in the body of an error is not that of the response.',
  'server-error': 'The service failed (5xx).',
  'listings-spoilt': 'After one creation, every listing makes the service fail.',
  'no-answer': 'The connection broke twice, while others were answered.',
  missing: 'A header that every response carries is missing.',
  'not-an-integer': 'A header that must be an integer is not.',
  'above-limit': 'X-RateLimit-Remaining is above the limit.',
  'in-the-past': 'X-RateLimit-Reset lies in the past.',
  'beyond-a-day': 'X-RateLimit-Reset or Retry-After lies more than a day ahead.',
  'beyond-a-minute': 'X-RateLimit-Reset lies more than a minute ahead, with the limit of a minute.',
  rises: 'X-RateLimit-Remaining rises before the reset.',
  'never-falls': 'X-RateLimit-Remaining does not fall with requests.',
  stays: 'X-RateLimit-Remaining does not fall with some requests.',
  'served-without-rest': 'Requests are served although X-RateLimit-Remaining said that none was left.',
  alternates: 'X-RateLimit-Limit alternates between two values before the same reset.',
  'differs-with-429': 'X-RateLimit-Limit of a 429 differs from that of the answers before it, with the same reset.',
  'repeats-remaining': 'X-RateLimit-Limit always has the number of X-RateLimit-Remaining.',
  'resets-earlier': 'X-RateLimit-Remaining rises long before X-RateLimit-Reset.',
  'resets-nothing': 'X-RateLimit-Remaining goes on falling while one X-RateLimit-Reset after the other passes.',
  'not-of-the-plan': 'X-RateLimit-Limit is not a number of the plan.',
  'refused-early': 'A request got 429 while requests were left.',
  'still-refused': 'A request is refused after the announced time has passed.',
  'served-sooner': 'A key is served again long before its Retry-After ends.',
  'refused-later': 'Retry-After is 0, and the key is refused for longer.',
  unusable: 'Retry-After is missing, or neither seconds nor an HTTP date.',
  'no-version-segment': 'The base address does not end in v1.',
  'removed-early': 'getPet finds no animal before its removal.',
} as const;

/** A stable code of a failure; a misspelt one does not compile. */
export type FailureCode = NamingCode | keyof typeof clientCodes | keyof typeof serviceCodes;

/** The meaning of each code. */
export const failureCodes: Readonly<Record<FailureCode, string>> = { ...clientCodes, ...serviceCodes, ...namingCodes };

/** The meaning of a code that a user or a report names; undefined for an unknown one. */
export function meaningOf(code: string): string | undefined {
  return Object.hasOwn(failureCodes, code) ? failureCodes[code as FailureCode] : undefined;
}
