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

const rows = String.raw`
service-json: GET /pets/0
  A charset behind application/json, gzip, chunks, and any order of fields.
  An HTML page or plain text of the framework or of a proxy, most often on errors.
pet-id: GET /pets?limit=5
  Any size, sign, order and gaps of ids, within int64.
  The id is text, null, or missing in one of the three answers.
pet-id-unique: GET /pets?limit=100
  Ids in any order, and with gaps.
  Ids beyond 2^53 are rounded to a neighbour, or a counter starts again.
pet-id-assigned: POST /pets {"name":"Rex","categoryId":1,"id":4711}
  An id in the body may be ignored or refused.
  The body is stored as it comes, with the id that the client sent.
pet-name: POST /pets {"name":"Rex","categoryId":1}
  Any string, an empty one included.
  A name that looks like a number is returned as one, or an empty one is left out.
pet-category-id: POST /pets {"name":"Rex","categoryId":1}
  Any int64, also written as 1.0.
  A category beyond 2^53 is returned as text or rounded.
pet-status: POST /pets {"name":"Rex","categoryId":1}
  No status at all, where the client sent none.
  null for a status that was not sent, or a status in capitals.
pet-name-kept: POST /pets {"name":"  Zo\u0065\u0308 & <b> ","categoryId":1}
  Refusing a name, by any 4xx with an Error.
  Names are trimmed, escaped for HTML, cut to the column, or normalized (NFC).
pet-category-id-kept: POST /pets {"name":"Rex","categoryId":9007199254740993}
  Refusing a category that the service does not know, by any 4xx with an Error.
  The JSON parser reads numbers as doubles, or the column has 32 bits.
pet-status-kept: POST /pets {"name":"Rex","categoryId":1,"status":"sold"}
  A later change of the status by the service.
  The status of the body is ignored, and every animal becomes available.
error-code: GET /pets/0
  Any string.
  The code is the number of the status, or the framework writes errors of its own.
error-message: GET /pets/0
  Any string, in any language.
  The message is called error or detail, or is a list.
error-status: GET /pets/0
  Further fields beside it.
  The status is text, or left out where the framework writes the error.
list-answer: GET /pets?limit=5
  Any order, any filter by the key, and an empty array.
  The array is wrapped, as in {"pets": […]}, or an empty list answers 404.
list-limit: GET /pets?limit=1
  Fewer animals than asked for: limit is a maximum.
  The limit is ignored, or one animal too many is fetched to see whether more follow.
list-limit-default: GET /pets
  Pages that the service caps at one length below twenty.
  Another default, or all animals.
list-limit-refused: GET /pets?limit=101
  Refusing by any 4xx, clamping, ignoring. Only a 5xx and more than 100 animals fail.
  A refusal whose body is no Error.
list-status-filter: GET /pets?status=sold
  A limit that is applied before the filter.
  The filter is ignored, or lets animals without a status pass.
list-status-refused: GET /pets?status=unknown
  Refusing by any 4xx, ignoring, or an empty page. Only a 5xx fails.
  A refusal whose body is no Error.
list-complete: GET /pets?limit=100
  Delays, caches, caps, and animals that only their own key sees.
  A page leaves out the newest animal, or those of one status.
create-answer: POST /pets {"name":"Rex","categoryId":1}
  Refusing names and categories, by any 4xx with an Error.
  The answer is 200, or lacks the created animal.
create-required-fields: POST /pets {"name":"Rex"}
  Any code and message; unknown further fields may be accepted or refused.
  A missing field becomes null, 0 or "", or the answer is 422.
create-invalid-values: POST /pets {"name":1,"categoryId":"1"}
  Any code and message; 1.0 may count as an integer.
  Text is converted to a number, null counts as missing, or the answer is 422 or 500.
create-malformed-body: POST /pets {"name":
  Any code and message; 415 for another media type.
  The error of the JSON parser becomes a 500, or an array is read like an object.
create-body-utf8: POST /pets {"name":"\xff","categoryId":1}
  A byte order mark may be accepted or refused.
  Wrong bytes are stored as U+FFFD.
create-refused-stores-nothing: POST /pets {"name":"Rex","categoryId":1,"status":"lost"}
  Animals of other clients that appear meanwhile.
  The row is inserted before the body is checked.
get-answer: GET /pets/1
  A 404 for a while after the creation.
  The id is rounded on its way to the database, or the answer is an array.
get-not-found: GET /pets/2305843009213693951
  Any code and message.
  200 with null, 204, or a 500 of the database.
get-id-not-int64: GET /pets/1x
  400 or 404. Escapes, zeros in front and signs are open.
  parseInt reads 1x as 1, or 2^64+1 wraps to 1.
auth-valid-key: GET /pets?limit=5
  bearer in lower case; a key whose scope forbids an operation.
  One operation was left out of the configuration of the gateway.
auth-missing-key (no key): GET /pets?limit=5
  Any code and message, with or without WWW-Authenticate.
  403, a redirect to a login page, or the body is checked before the key.
auth-invalid-key (wrong key): GET /pets?limit=5
  Any code and message.
  403, or keys are compared by their beginning or after trimming.
auth-key-case (wrong key): GET /pets?limit=5
  It only warns: the interface does not speak of letters.
  The column of the keys compares without regard to case.
auth-bearer-header (no key): GET /pets?api_key=$PETSTORE_API_KEY
  bearer in lower case.
  The key is accepted in the query (?api_key=…), in X-API-Key or by Basic as well.
auth-refused-stores-nothing (no key): POST /pets {"name":"Rex","categoryId":1}
  Animals of other clients that appear meanwhile.
  The key is checked after the handler has run.
error-shape: GET /pets/0
  Further fields, and bodies of a 429 of any shape.
  The Error is wrapped, as in {"error": {…}}, or is a page of the framework.
error-status-equals: GET /pets/0
  Any code and message.
  One constant for all errors, or the status of an exception that is mapped later.
error-not-empty: GET /pets/0
  It only warns.
  An exception without a message is passed on.
errors-listed: GET /pets?limit=99999999999999999999
  A 502, 503 or 504 that is over when the request is sent again; 5xx beyond 4 KiB.
  An unexpected value reaches the database and ends in a 500.
rate-limit-header: GET /pets?limit=5
  Headers, window and its length are free: by the minute or the day, fixed, sliding or a bucket.
  Errors (401, 404) are written before the limiter and lack the headers.
rate-remaining-header: GET /pets?limit=5
  Headers, window and its length are free: by the minute or the day, fixed, sliding or a bucket.
  It becomes negative, or is missing on errors.
rate-remaining-falls: GET /pets?limit=5
  Headers, window and its length are free: by the minute or the day, fixed, sliding or a bucket. Other clients may use the key.
  Each instance counts for itself, so the number rises and falls.
rate-reset-header: GET /pets?limit=5
  Headers, window and its length are free: by the minute or the day, fixed, sliding or a bucket.
  Seconds from now, or milliseconds, instead of a Unix timestamp in seconds.
rate-headers-plain: GET /pets?limit=5
  It only warns: policies behind the number, as in "60, 60;w=60", are read.
  A gateway adds its policy to the number.
rate-limit-plan: GET /pets?limit=5
  The number for a minute or for a day; --plan names the plan.
  The test environment has limits of its own.
rate-exceeded (repeated): GET /pets?limit=5
  A 429 with any body; bans after repeated excess.
  One operation is not limited, or a 503 answers instead of a 429.
rate-retry-after (repeated): GET /pets?limit=5
  Seconds, or an HTTP date.
  The limiter sends no Retry-After, a fraction, or milliseconds.
rate-retry-after-length (repeated): GET /pets?limit=5
  Any wait up to a day; it only warns.
  Milliseconds where seconds belong.
rate-recovery (repeated): GET /pets?limit=5
  A ban after repeated excess.
  Requests that are refused count against the next window, too.
version-base-address: GET /pets?limit=5
  Any host, and any path in front of v1; it only warns.
  A gateway rewrites the path.
get-until-removal: GET /pets/1
  From 5 December 2030 on, any answer: getPet is removed.
  getPet is removed early, or answers 410.
`;

const explanations = new Map(
  [...rows.matchAll(/^([a-z0-9-]+)(?: \((.*)\))?: (.*)\n {2}(.*)\n {2}(.*)$/gm)].map(
    ([, id = '', how = '', ask = '', allowed = '', mistake = '']) => [id, { ask, how, allowed, mistake }],
  ),
);

export function explanationOf(id: RequirementId): Explanation {
  return explanations.get(id)!;
}
