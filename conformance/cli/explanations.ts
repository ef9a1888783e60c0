/** For each requirement that is tested: the request that shows it, what stays allowed, and the usual mistake behind a failure. */

import type { RequirementId } from '../../spec/requirements.ts';

export interface Explanation {
  /** A request as in `POST /pets {"name":"Rex"}`. */
  readonly ask: string;
  /** `no key`: without one; `wrong key`: with one that nobody has; `repeated`: once the limit is exceeded. */
  readonly how: string;
  readonly allowed: string;
  readonly mistake: string;
}

/** Requirements that one request shows: the request, what is allowed, and the usual mistake for each of them. */
const groups = String.raw`
GET /pets/0
A charset behind application/json, gzip, chunks, and any order of fields.
  service-json: An HTML page or plain text of the framework or of a proxy, most often on errors.
GET /pets?limit=100
Any size, sign, order and gaps of ids, within int64.
  pet-id: The id is text, null, or missing in one of the three answers.
  pet-id-unique: Ids beyond 2^53 are rounded to a neighbour, or a counter starts again.
POST /pets {"name":"Rex","categoryId":1,"id":4711}
An id in the body may be ignored or refused.
  pet-id-assigned: The body is stored as it comes, with the id that the client sent.
POST /pets {"name":"Rex","categoryId":1}
Any string, an empty one included; any int64, also written as 1.0; no status at all, where the client sent none.
  pet-name: A name that looks like a number is returned as one, or an empty one is left out.
  pet-category-id: A category beyond 2^53 is returned as text or rounded.
  pet-status: null for a status that was not sent, or a status in capitals.
POST /pets {"name":"  Zo\u0065\u0308 & <b> ","categoryId":9007199254740993,"status":"sold"}
Refusing a name or a category, by any 4xx with an Error. A later change of the status by the service.
  pet-name-kept: Names are trimmed, escaped for HTML, cut to the column, or normalized (NFC).
  pet-category-id-kept: The JSON parser reads numbers as doubles, or the column has 32 bits.
  pet-status-kept: The status of the body is ignored, and every animal becomes available.
GET /pets/0
Any code and message, in any language; further fields; a 429 with any body.
  error-code: The code is the number of the status, or the framework writes errors of its own.
  error-message: The message is called error or detail, or is a list.
  error-status: The status is text, or left out where the framework writes the error.
  error-shape: The Error is wrapped, as in {"error": {…}}, or is a page of the framework.
  error-status-equals: One constant for all errors, or the status of an exception that is mapped later.
  error-not-empty: An exception without a message is passed on.
GET /pets?limit=5
Any order, any filter by the key, and an empty array.
  list-answer: The array is wrapped, as in {"pets": […]}, or an empty list answers 404.
GET /pets?limit=1
Fewer animals than asked for: limit is a maximum.
  list-limit: The limit is ignored, or one animal too many is fetched to see whether more follow.
GET /pets
Pages that the service caps at one length below twenty.
  list-limit-default: Another default, or all animals.
GET /pets?limit=101
Refusing by any 4xx, clamping, ignoring. Only a 5xx and more than 100 animals fail.
  list-limit-refused: A refusal whose body is no Error.
GET /pets?status=sold
A limit that is applied before the filter.
  list-status-filter: The filter is ignored, or lets animals without a status pass.
GET /pets?status=unknown
Refusing by any 4xx, ignoring, or an empty page. Only a 5xx fails.
  list-status-refused: A refusal whose body is no Error.
GET /pets?limit=100
Delays, caches, caps, and animals that only their own key sees.
  list-complete: A page leaves out the newest animal, or those of one status.
POST /pets {"name":"Rex","categoryId":1}
Refusing names and categories, by any 4xx with an Error.
  create-answer: The answer is 200, or lacks the created animal.
POST /pets {"name":"Rex"}
Any code and message; unknown further fields may be accepted or refused.
  create-required-fields: A missing field becomes null, 0 or "", or the answer is 422.
POST /pets {"name":1,"categoryId":"1","status":"lost"}
Any code and message; 1.0 may count as an integer; animals of other clients that appear meanwhile.
  create-invalid-values: Text is converted to a number, null counts as missing, or the answer is 422 or 500.
  create-refused-stores-nothing: The row is inserted before the body is checked.
POST /pets {"name":
Any code and message; 415 for another media type.
  create-malformed-body: The error of the JSON parser becomes a 500, or an array is read like an object.
POST /pets {"name":"\xff","categoryId":1}
A byte order mark may be accepted or refused.
  create-body-utf8: Wrong bytes are stored as U+FFFD.
GET /pets/1
A 404 for a while after the creation; from 5 December 2030 on, any answer: getPet is removed.
  get-answer: The id is rounded on its way to the database, or the answer is an array.
  get-until-removal: getPet is removed early, or answers 410.
GET /pets/2305843009213693951
Any code and message.
  get-not-found: 200 with null, 204, or a 500 of the database.
GET /pets/1x
400 or 404. Escapes, zeros in front and signs are open.
  get-id-not-int64: parseInt reads 1x as 1, or 2^64+1 wraps to 1.
GET /pets?limit=5
bearer in lower case; a key whose scope forbids an operation.
  auth-valid-key: One operation was left out of the configuration of the gateway.
(no key) POST /pets {"name":"Rex","categoryId":1}
Any code and message, with or without WWW-Authenticate; animals of other clients that appear meanwhile.
  auth-missing-key: 403, a redirect to a login page, or the body is checked before the key.
  auth-refused-stores-nothing: The key is checked after the handler has run.
(wrong key) GET /pets?limit=5
Any code and message.
  auth-invalid-key: 403, or keys are compared by their beginning or after trimming.
  auth-key-case: The column of the keys compares without regard to case.
(no key) GET /pets?api_key=$PETSTORE_API_KEY
bearer in lower case.
  auth-bearer-header: The key is accepted in the query (?api_key=…), in X-API-Key or by Basic as well.
GET /pets?limit=99999999999999999999
A 502, 503 or 504 that is over when the request is sent again; 5xx beyond 4 KiB.
  errors-listed: An unexpected value reaches the database and ends in a 500.
GET /pets?limit=5
Any window: by the minute or the day, fixed, sliding or a bucket; other clients that use the key.
  rate-limit-header: Errors (401, 404) are written before the limiter and lack the headers.
  rate-remaining-header: It becomes negative, or is missing on errors.
  rate-remaining-falls: Each instance counts for itself, so the number rises and falls.
  rate-reset-header: Seconds from now, or milliseconds, instead of a Unix timestamp in seconds.
  rate-headers-plain: A gateway adds its policy to the number, as in "60, 60;w=60".
  rate-limit-plan: The test environment has limits of its own; --plan names the plan.
(repeated) GET /pets?limit=5
A 429 with any body; Retry-After in seconds or as an HTTP date; bans after repeated excess.
  rate-exceeded: One operation is not limited, or a 503 answers instead of a 429.
  rate-retry-after: The limiter sends no Retry-After, a fraction, or milliseconds.
  rate-retry-after-length: Milliseconds where seconds belong.
  rate-recovery: Requests that are refused count against the next window, too.
GET /pets?limit=5
Any host, and any path in front of v1.
  version-base-address: A gateway rewrites the path.
`;

const explanations = new Map(
  [...groups.matchAll(/^(?:\((.*)\) )?(\S.*)\n(.*)\n((?: {2}.*\n)+)/gm)].flatMap(
    ([, how = '', ask = '', allowed = '', mistakes = '']) =>
      [...mistakes.matchAll(/^ {2}([a-z0-9-]+): (.*)$/gm)].map(
        ([, id = '', mistake = '']) => [id, { how, ask, allowed, mistake }] as const,
      ),
  ),
);

export function explanationOf(id: RequirementId): Explanation {
  return explanations.get(id)!;
}
