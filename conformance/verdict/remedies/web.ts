/** Remedies in Ruby, PHP and nginx. Each was tried: the requirement failed before, and held after. */

import type { RemediesOfStack } from './remedy.ts';

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
  'key-lookup': {
    advice: 'Match the whole header; `split` and `delete_prefix` accept more:',
    code: ["env['HTTP_AUTHORIZATION'].to_s[/\\ABearer (\\S+)\\z/i, 1]"],
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

export const inPHP: RemediesOfStack = {};

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
