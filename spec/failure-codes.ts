/** What the codes of failures say, beside the requirement that they stand with. */

/** Fields of animals and errors: `name-missing`, `status-wrong`. */
const fields = ['id', 'name', 'categoryId', 'status', 'code', 'message'] as const;

const ofFields = [
  ...fields.flatMap((field) => [
    [`${field}-missing`, `The field ${field} is not there.`],
    [`${field}-wrong`, `The field ${field} has another type or value than the interface gives it.`],
  ]),
  ...['name', 'categoryId', 'status'].map((field) => [
    `${field}-changed`,
    `The field ${field} comes back otherwise than it was accepted.`,
  ]),
  ...['id', 'categoryId'].map((field) => [
    `${field}-not-int64`,
    `The field ${field} is a number that is no int64: a fraction, or out of range.`,
  ]),
  ...['code', 'message'].map((field) => [`${field}-empty`, `The field ${field} of an error says nothing.`]),
];

const ofHeaders = ['limit', 'remaining', 'reset'].map((name) => [
  `more-in-x-ratelimit-${name}`,
  `X-RateLimit-${name[0]?.toUpperCase()}${name.slice(1)} holds more than an integer.`,
]);

/** Of clients. */
const ofClients = {
  'relies-on-an-answer':
    'The client fails where a service answers an open question otherwise than the reference server.',
  'relies-on-answers': 'The client fails where several open questions are answered otherwise, and these together.',
  'no-object': 'The body of createPet is no JSON object.',
  'field-missing': 'The body of createPet lacks a field that is required.',
  'field-twice': 'The body of createPet has two fields of one name.',
  ...Object.fromEntries(
    ['name', 'categoryId', 'status'].map((field) => [
      `${field}-outside`,
      `The field ${field} that the client sends has a value that the interface does not allow.`,
    ]),
  ),
  'other-media-type': 'The body of createPet is not sent as application/json.',
  'other-operation': 'The request is none of the three that are shown.',
  'other-parameter': 'The request has a parameter that is not shown, and that no answer named.',
  'limit-outside': 'The limit is no integer from 1 to 100, or is there twice.',
  'status-unknown': 'The status filter is none of the three, or is there twice.',
  'no-int64': 'The petId is no int64 in plain digits.',
  rounded: 'The petId is what a double makes of an id that the service gave.',
  'key-elsewhere': 'The key stands elsewhere than in Authorization: Bearer.',
  'key-to-another-host': 'The key went to a host that an answer named.',
  'too-soon': 'A request came before Retry-After had passed.',
  hammering: 'Many requests came while the client was refused.',
  'no-backoff': 'The client waited no longer, however often it was refused.',
  'remaining-ignored': 'A request came before the reset although nothing remained.',
  'deprecated-operation': 'getPet is used.',
};

/** Code → meaning. */
export const failureCodes: Readonly<Record<string, string>> = {
  ...ofClients,
  'not-json': 'The body is no JSON.',
  'not-application-json': 'The body is not sent as application/json.',
  'not-an-array': 'The body of a listing is no array.',
  'not-an-animal': 'Where an animal must stand, something else does.',
  'not-an-object': 'The body of an error is no JSON object.',
  'unexpected-status': 'The answer has a status that the interface does not list for this request.',
  accepted: 'A request that must be refused was carried out.',
  found: 'A path parameter that is no int64 found an animal.',
  'another-animal': 'An id answers with the animal of another id.',
  'valid-refused': 'A request that must be accepted was refused.',
  'created-twice': 'One request created more than one animal.',
  'refused-yet-stored': 'A request was refused, and its animal was stored all the same.',
  'id-twice-in-page': 'An id stands in one page twice.',
  'id-assigned-twice': 'Two created animals got the same id.',
  'id-in-use': 'A created animal got an id that another animal had.',
  'id-of-the-client': 'A created animal got the id that the client had sent.',
  ...Object.fromEntries([...ofFields, ...ofHeaders]),
  'too-many': 'A page holds more animals than were asked for.',
  'default-differs': 'A listing without limit holds another number of animals than one with limit 20.',
  'other-status': 'A listing by status holds an animal of another status.',
  'animal-missing': 'A page with room left lacks an animal that was created before.',
  'not-refused': 'A request that must be refused was not.',
  'refusal-without-error': 'A refusal carries no Error.',
  'status-differs': 'The status in the body of an error is not that of the response.',
  'server-error': 'The service failed (5xx).',
  'listings-spoilt': 'After what one request created, every listing makes the service fail.',
  'no-answer': 'The connection broke twice, while others were answered.',
  missing: 'A header that every response carries is not there.',
  'not-an-integer': 'A header that must be an integer is none.',
  'above-limit': 'X-RateLimit-Remaining is above the limit.',
  'in-the-past': 'X-RateLimit-Reset lies in the past.',
  'beyond-a-day': 'X-RateLimit-Reset or Retry-After lies more than a day ahead.',
  'beyond-a-minute': 'X-RateLimit-Reset lies more than a minute ahead, with the limit of a minute.',
  rises: 'X-RateLimit-Remaining rises before the reset.',
  'never-falls': 'X-RateLimit-Remaining does not fall with requests.',
  stays: 'X-RateLimit-Remaining does not fall with some requests.',
  'not-counted': 'X-RateLimit-Remaining does not fall with requests of one operation.',
  alternates: 'X-RateLimit-Limit has two values by turns before the same reset.',
  'jumps-back': 'X-RateLimit-Reset goes back, time and again.',
  'resets-earlier': 'What was left rises long before X-RateLimit-Reset.',
  'not-of-the-plan': 'X-RateLimit-Limit is no number of the plan.',
  'refused-early': 'A request got 429 while requests were left.',
  'beyond-the-plan': 'More requests were served than the plan allows.',
  'still-refused': 'A request is refused after the time that was told has passed.',
  unusable: 'Retry-After is missing, or neither seconds nor an HTTP date.',
  'no-version-segment': 'The base address does not end in v1.',
  'removed-early': 'getPet finds no animal before its removal.',
};
