/** For each requirement: what stays allowed, the usual mistake behind a failure, and the request that shows it. */

import type { RequirementId } from '../../spec/requirements.ts';

export interface Explanation {
  readonly allowed: string;
  readonly mistake: string;
  /** A request as in `POST /pets {"name":"Rex"}`. */
  readonly ask: string;
  /** `none` sends no key, `wrong` one that nobody has; the API key where undefined. */
  readonly key?: 'none' | 'wrong';
  /** Whether the limit has to be exceeded first. */
  readonly isRepeated?: true;
}

const list = 'GET /pets?limit=5';
const create = (fields: string): string => `POST /pets {"name":"Rex","categoryId":1${fields}}`;
const shared = 'Headers, window and its length are free: by the minute or the day, fixed, sliding or a bucket.';

export const explanations: Readonly<Record<RequirementId, Explanation>> = {
  'service-json': {
    allowed: 'A charset behind application/json, gzip, chunks, and any order of fields.',
    mistake: 'An HTML page or plain text of the framework or of a proxy, most often on errors.',
    ask: 'GET /pets/0',
  },
  'service-staging-paths': {
    allowed: 'Any host, and any path in front of the version segment.',
    mistake: 'Not judged: a run sees one base address.',
    ask: list,
  },
  'pet-id': {
    allowed: 'Any size, sign, order and gaps of ids, within int64.',
    mistake: 'The id is text, null, or missing in one of the three answers.',
    ask: list,
  },
  'pet-id-unique': {
    allowed: 'Ids in any order, and with gaps.',
    mistake: 'Ids beyond 2^53 are rounded to a neighbour, or a counter starts again.',
    ask: 'GET /pets?limit=100',
  },
  'pet-id-assigned': {
    allowed: 'An id in the body may be ignored or refused.',
    mistake: 'The body is stored as it comes, with the id that the client sent.',
    ask: create(',"id":4711'),
  },
  'pet-name': {
    allowed: 'Any string, an empty one included.',
    mistake: 'A name that looks like a number is returned as one, or an empty one is left out.',
    ask: create(''),
  },
  'pet-category-id': {
    allowed: 'Any int64, also written as 1.0.',
    mistake: 'A category beyond 2^53 is returned as text or rounded.',
    ask: create(''),
  },
  'pet-status': {
    allowed: 'No status at all, where the client sent none.',
    mistake: 'null for a status that was not sent, or a status in capitals.',
    ask: create(''),
  },
  'pet-name-kept': {
    allowed: 'Refusing a name, by any 4xx with an Error.',
    mistake: 'Names are trimmed, escaped for HTML, cut to the column, or normalized (NFC).',
    ask: 'POST /pets {"name":"  Zo\\u0065\\u0308 & <b> ","categoryId":1}',
  },
  'pet-category-id-kept': {
    allowed: 'Refusing a category that the service does not know, by any 4xx with an Error.',
    mistake: 'The JSON parser reads numbers as doubles, or the column has 32 bits.',
    ask: 'POST /pets {"name":"Rex","categoryId":9007199254740993}',
  },
  'pet-status-kept': {
    allowed: 'A later change of the status by the service.',
    mistake: 'The status of the body is ignored, and every animal becomes available.',
    ask: create(',"status":"sold"'),
  },
  'error-code': {
    allowed: 'Any string.',
    mistake: 'The code is the number of the status, or the framework writes errors of its own.',
    ask: 'GET /pets/0',
  },
  'error-message': {
    allowed: 'Any string, in any language.',
    mistake: 'The message is called error or detail, or is a list.',
    ask: 'GET /pets/0',
  },
  'error-status': {
    allowed: 'Further fields beside it.',
    mistake: 'The status is text, or left out where the framework writes the error.',
    ask: 'GET /pets/0',
  },
  'list-answer': {
    allowed: 'Any order, any filter by the key, and an empty array.',
    mistake: 'The array is wrapped, as in {"pets": […]}, or an empty list answers 404.',
    ask: list,
  },
  'list-limit': {
    allowed: 'Fewer animals than asked for: limit is a maximum.',
    mistake: 'The limit is ignored, or one animal too many is fetched to see whether more follow.',
    ask: 'GET /pets?limit=1',
  },
  'list-limit-default': {
    allowed: 'Pages that the service caps at one length below twenty.',
    mistake: 'Another default, or all animals.',
    ask: 'GET /pets',
  },
  'list-limit-refused': {
    allowed: 'Refusing by any 4xx, clamping, ignoring. Only a 5xx and more than 100 animals fail.',
    mistake: 'A refusal whose body is no Error.',
    ask: 'GET /pets?limit=101',
  },
  'list-status-filter': {
    allowed: 'A limit that is applied before the filter.',
    mistake: 'The filter is ignored, or lets animals without a status pass.',
    ask: 'GET /pets?status=sold',
  },
  'list-status-refused': {
    allowed: 'Refusing by any 4xx, ignoring, or an empty page. Only a 5xx fails.',
    mistake: 'A refusal whose body is no Error.',
    ask: 'GET /pets?status=unknown',
  },
  'list-complete': {
    allowed: 'Delays, caches, caps, and animals that only their own key sees.',
    mistake: 'A page leaves out the newest animal, or those of one status.',
    ask: 'GET /pets?limit=100',
  },
  'create-answer': {
    allowed: 'Refusing names and categories, by any 4xx with an Error.',
    mistake: 'The answer is 200, or lacks the created animal.',
    ask: create(''),
  },
  'create-required-fields': {
    allowed: 'Any code and message; unknown further fields may be accepted or refused.',
    mistake: 'A missing field becomes null, 0 or "", or the answer is 422.',
    ask: 'POST /pets {"name":"Rex"}',
  },
  'create-invalid-values': {
    allowed: 'Any code and message; 1.0 may count as an integer.',
    mistake: 'Text is converted to a number, null counts as missing, or the answer is 422 or 500.',
    ask: 'POST /pets {"name":1,"categoryId":"1"}',
  },
  'create-malformed-body': {
    allowed: 'Any code and message; 415 for another media type.',
    mistake: 'The error of the JSON parser becomes a 500, or an array is read like an object.',
    ask: 'POST /pets {"name":',
  },
  'create-body-utf8': {
    allowed: 'A byte order mark may be accepted or refused.',
    mistake: 'Wrong bytes are stored as U+FFFD.',
    ask: 'POST /pets {"name":"\\xff","categoryId":1}',
  },
  'create-refused-stores-nothing': {
    allowed: 'Animals of other clients that appear meanwhile.',
    mistake: 'The row is inserted before the body is checked.',
    ask: 'POST /pets {"name":"Rex","categoryId":1,"status":"lost"}',
  },
  'get-answer': {
    allowed: 'A 404 for a while after the creation.',
    mistake: 'The id is rounded on its way to the database, or the answer is an array.',
    ask: 'GET /pets/1',
  },
  'get-not-found': {
    allowed: 'Any code and message.',
    mistake: '200 with null, 204, or a 500 of the database.',
    ask: 'GET /pets/2305843009213693951',
  },
  'get-id-not-int64': {
    allowed: '400 or 404. Escapes, zeros in front and signs are open.',
    mistake: 'parseInt reads 1x as 1, or 2^64+1 wraps to 1.',
    ask: 'GET /pets/1x',
  },
  'auth-valid-key': {
    allowed: 'bearer in lower case; a key whose scope forbids an operation.',
    mistake: 'One operation was left out of the configuration of the gateway.',
    ask: list,
  },
  'auth-missing-key': {
    allowed: 'Any code and message, with or without WWW-Authenticate.',
    mistake: '403, a redirect to a login page, or the body is checked before the key.',
    ask: list,
    key: 'none',
  },
  'auth-invalid-key': {
    allowed: 'Any code and message.',
    mistake: '403, or keys are compared by their beginning or after trimming.',
    ask: list,
    key: 'wrong',
  },
  'auth-key-case': {
    allowed: 'It only warns: the interface does not speak of letters.',
    mistake: 'The column of the keys compares without regard to case.',
    ask: list,
    key: 'wrong',
  },
  'auth-bearer-header': {
    allowed: 'bearer in lower case.',
    mistake: 'The key is accepted in the query (?api_key=…), in X-API-Key or by Basic as well.',
    ask: 'GET /pets?api_key=$PETSTORE_API_KEY',
    key: 'none',
  },
  'auth-refused-stores-nothing': {
    allowed: 'Animals of other clients that appear meanwhile.',
    mistake: 'The key is checked after the handler has run.',
    ask: create(''),
    key: 'none',
  },
  'error-shape': {
    allowed: 'Further fields, and bodies of a 429 of any shape.',
    mistake: 'The Error is wrapped, as in {"error": {…}}, or is a page of the framework.',
    ask: 'GET /pets/0',
  },
  'error-status-equals': {
    allowed: 'Any code and message.',
    mistake: 'One constant for all errors, or the status of an exception that is mapped later.',
    ask: 'GET /pets/0',
  },
  'error-not-empty': {
    allowed: 'It only warns.',
    mistake: 'An exception without a message is passed on.',
    ask: 'GET /pets/0',
  },
  'errors-listed': {
    allowed: 'A 502, 503 or 504 that is over when the request is sent again; 5xx beyond 4 KiB.',
    mistake: 'An unexpected value reaches the database and ends in a 500.',
    ask: 'GET /pets?limit=99999999999999999999',
  },
  'rate-limit-header': {
    allowed: shared,
    mistake: 'Errors (401, 404) are written before the limiter and lack the headers.',
    ask: list,
  },
  'rate-remaining-header': {
    allowed: shared,
    mistake: 'It becomes negative, or is missing on errors.',
    ask: list,
  },
  'rate-remaining-falls': {
    allowed: `${shared} Other clients may use the key.`,
    mistake: 'Each instance counts for itself, so the number rises and falls.',
    ask: list,
  },
  'rate-reset-header': {
    allowed: shared,
    mistake: 'Seconds from now, or milliseconds, instead of a Unix timestamp in seconds.',
    ask: list,
  },
  'rate-headers-plain': {
    allowed: 'It only warns: policies behind the number, as in "60, 60;w=60", are read.',
    mistake: 'A gateway adds its policy to the number.',
    ask: list,
  },
  'rate-limit-plan': {
    allowed: 'The number for a minute or for a day; --plan names the plan.',
    mistake: 'The test environment has limits of its own.',
    ask: list,
  },
  'rate-limit-day': {
    allowed: 'Not judged: a day of requests is too many.',
    mistake: 'The limit of the day is never enforced.',
    ask: list,
  },
  'rate-exceeded': {
    allowed: 'A 429 with any body; bans after repeated excess.',
    mistake: 'One operation is not limited, or a 503 answers instead of a 429.',
    ask: list,
    isRepeated: true,
  },
  'rate-retry-after': {
    allowed: 'Seconds, or an HTTP date.',
    mistake: 'The limiter sends no Retry-After, a fraction, or milliseconds.',
    ask: list,
    isRepeated: true,
  },
  'rate-retry-after-length': {
    allowed: 'Any wait up to a day; it only warns.',
    mistake: 'Milliseconds where seconds belong.',
    ask: list,
    isRepeated: true,
  },
  'rate-recovery': {
    allowed: 'A ban after repeated excess.',
    mistake: 'Requests that are refused count against the next window, too.',
    ask: list,
    isRepeated: true,
  },
  'version-base-address': {
    allowed: 'Any host, and any path in front of v1; it only warns.',
    mistake: 'A gateway rewrites the path.',
    ask: list,
  },
  'get-until-removal': {
    allowed: 'From 5 December 2030 on, any answer: getPet is removed.',
    mistake: 'getPet is removed early, or answers 410.',
    ask: 'GET /pets/1',
  },
};
