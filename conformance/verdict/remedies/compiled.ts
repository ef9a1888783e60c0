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
