/** Pacts that claim more about an Error or a 429 than the interface states. */

import { content, type Excesses, error, errorRules, json, read, regex, type, unknown } from './interaction.ts';

export const errorExcesses: Excesses = {
  'a status in the Error that is not that of the answer': [
    { states: [unknown], request: { path: '/pets/1' }, response: read(error(400), errorRules, 404) },
    'error-status-other',
    'contradiction',
    undefined,
    /status is 400, .*HTTP status 404/,
  ],
  'the exact code': [
    {
      states: [unknown],
      request: { path: '/pets/1' },
      response: read(error(404), { body: { '$.message': type } }, 404),
    },
    'error-code-fixed',
    'open',
    'error-codes',
    /response\.body\.code is restricted to values like "a"/,
  ],
  'the exact code by a pattern': [
    {
      states: [unknown],
      request: { path: '/pets/1' },
      response: read(error(404), { body: { $: type, '$.code': regex('^a$') } }, 404),
    },
    'error-code-fixed',
    'open',
    'error-codes',
    /response\.body\.code/,
  ],
  'the exact message': [
    { states: [unknown], request: { path: '/pets/1' }, response: read(error(404), { body: { '$.code': type } }, 404) },
    'error-message-fixed',
    'open',
    'error-codes',
    /response\.body\.message is restricted to values like "b"/,
  ],
  'the body of a 429': [
    { states: [{ name: 'the rate limit is exceeded' }], response: read(error(429), errorRules, 429) },
    'too-many-requests-body',
    'open',
    'too-many-requests-body',
    /for a 429/,
  ],
  'a pattern for codes': [
    {
      states: [unknown],
      request: { path: '/pets/1' },
      response: read(error(404), { body: { $: type, '$.code': regex('^[A-Z_]+$') } }, 404),
    },
    'error-code-fixed',
    'open',
    'error-codes',
    /code is restricted to values like/,
  ],
  'a part of a message': [
    {
      states: [unknown],
      request: { path: '/pets/1' },
      response: read(
        error(404),
        { body: { $: type, '$.message': { matchers: [{ match: 'include', value: 'b' }] } } },
        404,
      ),
    },
    'error-message-fixed',
    'open',
    'error-codes',
    /message is restricted to values like/,
  ],
  'an Error without a body': [
    { request: { headers: {} }, response: { status: 401, headers: json, body: content('') } },
    'error-empty',
    'contradiction',
    undefined,
    /response\.body is empty, but a 401 has an Error \(§7\)/,
  ],
};
