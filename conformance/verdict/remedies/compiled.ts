/** Remedies in compiled languages. Each was tried: the requirement failed before, and held after. */

import type { RemediesOfStack } from './remedy.ts';

export const inGo: RemediesOfStack = {
  'headers-missing': {
    advice: 'Set the headers in the outermost handler, before anything calls `WriteHeader`:',
    code: [
      'h := w.Header()',
      'h.Set("X-RateLimit-Limit", strconv.Itoa(c.limit))',
      'h.Set("X-RateLimit-Remaining", strconv.Itoa(int(tokens)))',
      'h.Set("X-RateLimit-Reset", strconv.FormatInt(full.Unix(), 10))',
    ],
  },
  'null-omitted': {
    advice: 'A pointer is nil for null and for an omitted field; `json.RawMessage` keeps null:',
    code: [
      'Status json.RawMessage `json:"status"`',
      'if in.Status != nil && (json.Unmarshal(in.Status, &status) != nil || string(in.Status) == "null") {',
      '  fail(w, 400, "invalid_status", "unknown status"); return }',
    ],
  },
  'key-lookup': {
    advice: '`strings.TrimPrefix` returns a header without the prefix as it is; ask `HasPrefix`:',
    code: [
      'header := r.Header.Get("Authorization")',
      'if strings.HasPrefix(header, "Bearer ") {',
      '  if known, ok := clients[header[len("Bearer "):]]; ok { c = known }',
      '}',
    ],
  },
  'framework-errors': {
    advice: 'Write every error as JSON; `http.Error` and `http.NotFound` write plain text:',
    code: ['fail(w, http.StatusNotFound, "not_found", "pet not found")'],
  },
  'names-trimmed': {
    advice: 'Store the name as it came, without `strings.TrimSpace`:',
    code: ['name := *in.Name'],
  },
  'page-limit': {
    advice: 'Start with the default, and refuse what is outside before the query:',
    code: [
      'limit := 20',
      'if q := r.URL.Query().Get("limit"); q != "" {',
      '  n, err := strconv.Atoi(q)',
      '  if err != nil || n < 1 || n > 100 { fail(w, 400, "invalid_limit", "from 1 to 100"); return }',
      '  limit = n }',
    ],
  },
  'limit-answers': {
    advice: 'Send Retry-After with the 429: until the next token, or until the window ends.',
    code: [
      'seconds := math.Ceil((1 - tokens) / perSecond)',
      'w.Header().Set("Retry-After", strconv.Itoa(int(seconds)))',
    ],
  },
};

export const inJava: RemediesOfStack = {
  'headers-missing': {
    advice: 'Set the headers of the exchange before the key is checked; every later answer has them:',
    code: [
      'headers.set("X-RateLimit-Limit", String.valueOf(limit));',
      'headers.set("X-RateLimit-Remaining", String.valueOf(Math.max(0, limit - used)));',
      'headers.set("X-RateLimit-Reset", String.valueOf(reset));',
    ],
  },
  'int64-rounded': {
    advice: 'Read the digits; a Map has doubles. Answer 400 to ArithmeticException, NumberFormatException:',
    code: ['long categoryId = new BigInteger(number.getAsString()).longValueExact();'],
  },
  'values-converted': {
    advice: '`getAsString` and `getAsLong` convert; ask for the type, of name by `isString`, too:',
    code: [
      'if (!(body.get("categoryId") instanceof JsonPrimitive number && number.isNumber())) {',
      '  throw new ApiException(400, "BAD_VALUE", "categoryId must be an int64");',
      '}',
      'long categoryId = new BigInteger(number.getAsString()).longValueExact();',
    ],
  },
  'null-omitted': {
    advice: 'Ask `has`; `getAsString` of a null throws UnsupportedOperationException: answer 400 to it.',
    code: ['String status = body.has("status") ? body.get("status").getAsString() : "available";'],
  },
  'body-before-key': {
    advice: 'Check the key before the body is read:',
    code: ['authenticate(exchange);', 'route(exchange);'],
  },
  'key-lookup': {
    advice: 'Compare the scheme and take all behind it; `replace("Bearer ", "")` needs no scheme:',
    code: [
      'boolean isBearer = header.regionMatches(true, 0, "Bearer ", 0, 7);',
      'String key = isBearer ? header.substring(7) : "";',
      'return limits.containsKey(key) ? key : null;',
    ],
  },
  'broken-body': {
    advice: 'Read strictly; JsonParser is lenient. Answer 400 to MalformedJsonException and EOFException:',
    code: [
      'JsonReader reader = new JsonReader(new StringReader(text));',
      'JsonElement parsed = GSON.getAdapter(JsonElement.class).read(reader);',
      'if (!(parsed instanceof JsonObject body) || reader.peek() != JsonToken.END_DOCUMENT) {',
      '  throw new ApiException(400, "BAD_JSON", "The body is not a JSON object");',
      '}',
    ],
  },
  'framework-errors': {
    advice: '`sendResponseHeaders(404, -1)` has no body; throw to the handler that writes an Error:',
    code: ['throw new ApiException(404, "NOT_FOUND", "No such resource");'],
  },
  'names-trimmed': {
    advice: 'Store the name as it came, without `trim` or `strip`:',
    code: ['Pet pet = new Pet(ids.incrementAndGet(), name.getAsString(), categoryId, status);'],
  },
  'page-limit': {
    advice: 'Give limit its default, and refuse what is outside:',
    code: [
      'String text = query.getOrDefault("limit", "20");',
      'int limit = text.matches("[0-9]{1,3}") ? Integer.parseInt(text) : 0;',
      'if (limit < 1 || limit > 100) {',
      '  throw new ApiException(400, "BAD_LIMIT", "limit must be an integer from 1 to 100");',
      '}',
    ],
  },
  'limit-answers': {
    advice: 'Send Retry-After with the 429, and count by key:',
    code: [
      'if (used > limit) {',
      '  headers.set("Retry-After", String.valueOf(reset - now));',
      '  throw new ApiException(429, "RATE_LIMIT", "Rate limit exceeded");',
      '}',
      'String id = key == null ? exchange.getRemoteAddress().getHostString() : key;',
    ],
  },
};
