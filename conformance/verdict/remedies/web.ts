/** Remedies in Ruby, PHP and nginx. Each was tried: the requirement failed before, and held after. */

import type { RemediesOfStack, Remedy } from './remedy.ts';

/** Sinatra and Rails both read the body into a hash. */
export const nameAsItCame: Remedy = {
  advice: 'Store the name as it came, without `strip` or `squish`:',
  code: ["name = body['name']"],
};

export const inSinatra: RemediesOfStack = {
  'headers-missing': {
    advice: 'Set the headers in `before`, above the check of the key that halts:',
    code: [
      "data = request.env['rack.attack.throttle_data']['key']",
      "headers 'X-RateLimit-Limit' => data[:limit].to_s,",
      "        'X-RateLimit-Remaining' => [data[:limit] - data[:count], 0].max.to_s,",
      "        'X-RateLimit-Reset' => (data[:epoch_time] + 60 - data[:epoch_time] % 60).to_s",
    ],
  },
  'values-converted': {
    advice: 'Integers of Ruby have no bounds: check the class and the range:',
    code: [
      'is_int64 = category.is_a?(Integer) && category.between?(-2**63, 2**63 - 1)',
      "fail_with 400, 'invalid_category', 'categoryId must be an int64' unless is_int64",
    ],
  },
  'null-omitted': {
    advice: 'Use `fetch`; `||` takes null and false for an omitted field:',
    code: ["status = body.fetch('status', 'available')"],
  },
  'key-lookup': {
    advice: 'Match the whole header; `split` and `delete_prefix` accept more:',
    code: ["env['HTTP_AUTHORIZATION'].to_s[/\\ABearer (\\S+)\\z/i, 1]"],
  },
  'broken-body': {
    advice: '`JSON::NestingError` is a `JSON::ParserError`; null and arrays are no Hash:',
    code: [
      'body = JSON.parse(text) rescue nil',
      "fail_with 400, 'invalid_body', 'The body must be an object' unless body.is_a?(Hash)",
    ],
  },
  'unusual-text': {
    advice: 'Ask the parsed name for its encoding: a lone surrogate or a wrong byte breaks it.',
    code: ["fail_with 400, 'invalid_name', 'name is not UTF-8' unless name.valid_encoding?"],
  },
  'framework-errors': {
    advice: 'Write Errors in `not_found` and `error`; turn `show_exceptions` off:',
    code: [
      'not_found do',
      "  body = { code: 'not_found', message: 'Not found', status: 404 }.to_json",
      "  response.body.join.start_with?('{') ? response.body : body",
      'end',
    ],
  },
  'names-trimmed': nameAsItCame,
  'page-limit': {
    advice: 'Give limit its default, and refuse what is outside:',
    code: [
      "limit = Integer(params.fetch('limit', 20), exception: false)",
      "fail_with 400, 'invalid_limit', 'limit must be 1 to 100' unless limit&.between?(1, 100)",
    ],
  },
  'limit-answers': {
    advice: 'Give Rack::Attack a `throttled_responder` with Retry-After and the three headers:',
    code: [
      "'X-RateLimit-Limit' => data[:limit].to_s,",
      "'X-RateLimit-Remaining' => '0',",
      "'X-RateLimit-Reset' => reset.to_s,",
      "'Retry-After' => (reset - data[:epoch_time]).to_s",
    ],
  },
};

export const inPHP: RemediesOfStack = {
  'headers-missing': {
    advice: 'Send the headers in the front controller, before anything can end the script:',
    code: [
      'header("X-RateLimit-Limit: $limit");',
      "header('X-RateLimit-Remaining: ' . max(0, $limit - $count));",
      'header("X-RateLimit-Reset: $reset");',
    ],
  },
  'values-converted': {
    advice: 'Ask for the type; a number beyond int64 is decoded as a float, and `(int)` converts:',
    code: ['if (!is_int($category)) {', "    fail(400, 'invalid_category', 'categoryId must be an int64');", '}'],
  },
  'null-omitted': {
    advice: '`??` and `isset` take null for an omitted key; `array_key_exists` does not:',
    code: ["$status = array_key_exists('status', $body) ? $body['status'] : 'available';"],
  },
  'key-lookup': {
    advice: 'Match the whole header; `str_replace` and `explode` accept more:',
    code: ["$key = preg_match('/^Bearer (\\S+)$/Di', $auth, $match) ? $match[1] : '';"],
  },
  'broken-body': {
    advice: '`json_decode` returns null for broken JSON, deep nesting and null:',
    code: [
      '$body = json_decode($text, true);',
      'if (!is_array($body) || array_is_list($body)) {',
      "    fail(400, 'invalid_json', 'The body must be a JSON object');",
      '}',
    ],
  },
  'framework-errors': {
    advice: 'Write every error through one function, and set an exception handler to it:',
    code: ["fail(404, 'not_found', 'Not found');"],
  },
  'names-trimmed': {
    advice: 'Store the name as it came, without `trim` (Laravel: the middleware TrimStrings):',
    code: ["$name = $body['name'] ?? null;"],
  },
  'page-limit': {
    advice: 'Give limit its default, and let `filter_var` refuse what is outside:',
    code: [
      "$range = ['options' => ['min_range' => 1, 'max_range' => 100]];",
      "$limit = filter_var($_GET['limit'] ?? 20, FILTER_VALIDATE_INT, $range);",
    ],
  },
  'limit-answers': {
    advice: 'Send Retry-After with the 429; count in a store that all workers share:',
    code: ["header('Retry-After: ' . max(1, $reset - time()));"],
  },
};

export const inNginx: RemediesOfStack = {
  'headers-missing': {
    advice: 'Pass answers of the service on as they are; a page of nginx drops their headers:',
    code: ['proxy_intercept_errors off;'],
  },
  'framework-errors': {
    advice: 'Pass errors of the service on; `error_page` puts HTML in their place:',
    code: ['proxy_intercept_errors off;'],
  },
};
