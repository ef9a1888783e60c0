/** Remedies in frameworks for Python. Each was tried: the requirement failed before, and held after. */

import type { RemediesOfStack, Remedy } from './remedy.ts';

/** Flask and Django give the headers of a request under one name. */
export const keyLookup: Remedy = {
  advice: 'Compare the scheme, and look up all that stands behind it:',
  code: [
    'scheme, _, key = request.headers.get("Authorization", "").partition(" ")',
    'return key if scheme.lower() == "bearer" and key in LIMITS else None',
  ],
};

export const inFastAPI: RemediesOfStack = {
  'headers-missing': {
    advice: 'Count in a middleware and set the headers on what comes back, not in a dependency:',
    code: [
      '@app.middleware("http")',
      'async def rate_limit(request, call_next):',
      '    response = await answer(request, call_next)',
      '    response.headers.update(request.state.rate)',
      '    return response',
    ],
  },
  'values-converted': {
    advice: 'Declare strict types with their bounds; `int` and `str` convert:',
    code: ['name: StrictStr', 'categoryId: conint(strict=True, ge=-2**63, le=2**63 - 1)'],
  },
  'null-omitted': {
    advice: 'Give the field a default and no `Optional`, which allows null:',
    code: ['status: PetStatus = PetStatus.available'],
  },
  'body-before-key': {
    advice: 'Check the key in a middleware: the body is parsed before dependencies run.',
    code: ['if key_of(request) is None:', '    return error(401, "unauthorized", "Missing or invalid API key")'],
  },
  'key-lookup': {
    advice: 'Compare the scheme, and look up all that stands behind it:',
    code: [
      'scheme, _, key = request.headers.get("authorization", "").partition(" ")',
      'return key if scheme.lower() == "bearer" and key in LIMITS else None',
    ],
  },
  'unusual-text': {
    advice: 'Encode the name while it is validated: a lone surrogate becomes an ordinary refusal.',
    code: [
      '@validator("name")',
      'def can_be_encoded(cls, name):',
      '    name.encode("utf-8")  # UnicodeEncodeError is a ValueError',
      '    return name',
    ],
  },
  'framework-errors': {
    advice: "Handle Starlette's HTTPException, not only FastAPI's, and answer 400 in place of 422:",
    code: [
      '@app.exception_handler(StarletteHTTPException)',
      '@app.exception_handler(RequestValidationError)',
      'async def as_error(request, exc):',
      '    status = getattr(exc, "status_code", 400)',
      '    return error(status, f"http_{status}", str(getattr(exc, "detail", exc)))',
    ],
  },
  'names-trimmed': {
    advice: 'Take `strip_whitespace` (`str_strip_whitespace`, `anystr_strip_whitespace`) out of the model.',
    code: [],
  },
  'page-limit': {
    advice: 'Declare default and bounds of the query parameter:',
    code: [
      '@app.get("/v1/pets", dependencies=depends)',
      'async def list_pets(limit: int = Query(20, ge=1, le=100), status: Optional[PetStatus] = None):',
    ],
  },
  'limit-answers': {
    advice: 'Count by key, without the path, and give the 429 its own Retry-After:',
    code: [
      'who = key or request.client.host',
      'retry_after = {"Retry-After": str(reset - int(time.time()))}',
      'return error(429, "rate_limited", "Too many requests", retry_after)',
    ],
  },
};

export const inFlask: RemediesOfStack = {
  'headers-missing': {
    advice: 'Count first, and set the headers in `after_request`, which sees errors as well:',
    code: [
      '@app.before_request',
      'def count():',
      '    take()',
      '@app.after_request',
      'def add_headers(response): response.headers.update(g.rate); return response',
    ],
  },
  'values-converted': {
    advice: 'Compare types before anything converts; `True` is an int of Python:',
    code: [
      'category = body.get("categoryId")',
      'if type(category) is not int or not -2**63 <= category < 2**63 or type(name) is not str:',
      '    raise BadRequest("name must be a string, categoryId an int64")',
    ],
  },
  'null-omitted': {
    advice: 'Give `get` the default; `body.get("status") or "available"` takes null for it:',
    code: ['status = body.get("status", "available")'],
  },
  'body-before-key': {
    advice: 'Check the key in `before_request`; there, do not touch `request.json` before it:',
    code: [
      '@app.before_request',
      'def authenticate():',
      '    if key_of() is None:',
      '        raise Unauthorized("API key missing or invalid")',
    ],
  },
  'key-lookup': keyLookup,
  'broken-body': {
    advice: '`get_json(silent=True)` returns None for broken JSON, and null is None, too:',
    code: ['if not isinstance(body, dict):', '    raise BadRequest("The body must be a JSON object")'],
  },
  'unusual-text': {
    advice: 'Catch what parsing throws for deep nesting and wrong bytes:',
    code: [
      'try:',
      '    body = request.get_json(force=True)',
      'except (RecursionError, UnicodeDecodeError):',
      '    raise BadRequest("The body is no readable JSON")',
    ],
  },
  'framework-errors': {
    advice: 'Register one handler for HTTPException, the base of all errors of Werkzeug:',
    code: [
      '@app.errorhandler(HTTPException)',
      'def http_error(error):',
      '    body = {"code": error.name, "message": error.description, "status": error.code}',
      '    return body, error.code',
    ],
  },
  'names-trimmed': {
    advice: 'Store the name as it came, without `.strip()`.',
    code: ['name = body.get("name")'],
  },
  'page-limit': {
    advice: 'Read limit with its default, and refuse what is outside:',
    code: [
      'text = request.args.get("limit", "20")',
      'if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 100:',
      '    raise BadRequest("limit must be an integer from 1 to 100")',
    ],
  },
  'limit-answers': {
    advice: 'Count by key, without the endpoint (Flask-Limiter: `application_limits`):',
    code: [
      'who = key or request.remote_addr',
      '@app.errorhandler(429)',
      'def too_many(error):',
      '    body = {"code": "rate_limited", "message": "Too many requests", "status": 429}',
      '    return body, 429, {"Retry-After": str(g.reset - int(time.time()))}',
    ],
  },
};
