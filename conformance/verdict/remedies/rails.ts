/** Remedies in Ruby on Rails. Each was tried: the requirement failed before, and held after. */

import type { RemediesOfStack } from './remedy.ts';
import { nameAsItCame } from './web.ts';

export const inRails: RemediesOfStack = {
  'headers-missing': {
    advice: 'Put a counter first, by `insert_before 0, RateLimit`; a `before_action` misses unknown paths:',
    code: [
      'def call(env)',
      '  headers, refused = take(env)',
      '  status, own, body = refused ? too_many : @app.call(env)',
      '  [status, own.to_h.merge(headers), body]',
      'end',
    ],
  },
  'values-converted': {
    advice: 'Integers of Ruby have no bounds, and `to_i` converts; check the class and the range:',
    code: [
      "category = body['categoryId']",
      'is_int64 = category.is_a?(Integer) && category.between?(-2**63, 2**63 - 1)',
      "return fail_with 400, 'categoryId must be an int64' unless is_int64",
    ],
  },
  'null-omitted': {
    advice: 'Use `fetch`; `||` takes null for an omitted field:',
    code: ["status = body.fetch('status', 'available')"],
  },
  'body-before-key': {
    advice: 'Put the check of the key above each `before_action` that reads the body:',
    code: ["before_action { fail_with 401, 'API key missing or invalid' unless key_of(request.env) }"],
  },
  'key-lookup': {
    advice: 'Match the whole header; `split` and `authenticate_with_http_token` accept more:',
    code: ["key = env['HTTP_AUTHORIZATION'].to_s[/\\ABearer (\\S+)\\z/i, 1]", 'key if LIMITS.key?(key)'],
  },
  'broken-body': {
    advice: '`request_parameters` has an array, a text or null below `_json`; look at the name in it:',
    code: [
      'body = request.request_parameters',
      "name = body['name']",
      "return fail_with 400, 'name must be a string' unless name.is_a?(String)",
    ],
  },
  'framework-errors': {
    advice: 'Let `exceptions_app` write Errors, for unknown paths and broken bodies, too:',
    code: [
      'config.exceptions_app = lambda do |env|',
      "  status = env['PATH_INFO'].delete('/').to_i",
      "  [status, { 'Content-Type' => 'application/json' }, [error_body(status, 'The request failed')]]",
      'end',
    ],
  },
  'names-trimmed': nameAsItCame,
  'page-limit': {
    advice: 'Give limit its default, and refuse what is outside:',
    code: [
      "text = params.fetch(:limit, '20')",
      'limit = text.to_s.match?(/\\A\\d{1,3}\\z/) ? text.to_i : 0',
      "return fail_with 400, 'limit must be an integer from 1 to 100' unless limit.between?(1, 100)",
    ],
  },
  'limit-answers': {
    advice: 'Count by key, and send Retry-After with the 429:',
    code: [
      "id = key || env['REMOTE_ADDR']",
      "headers['Retry-After'] = (window[:reset] - now).to_s if window[:count] > limit",
    ],
  },
};
