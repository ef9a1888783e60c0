/** Pacts that claim more about headers than the interface states. */

import { alike, animal, creation, type Excesses, exists, json, read, regex } from './interaction.ts';

export const headerExcesses: Excesses = {
  'a header that no sentence promises': [
    { response: { status: 200, headers: { 'X-Total-Count': ['3'] } } },
    'header-unpromised',
    'contradiction',
    undefined,
    /x-total-count is not promised by the interface/,
  ],
  'one form of Retry-After': [
    {
      states: [{ name: 'the rate limit is exceeded' }],
      response: {
        status: 429,
        headers: { 'Retry-After': ['1'] },
        matchingRules: { header: { 'Retry-After': regex('^\\d+$') } },
      },
    },
    'header-retry-after-form',
    'open',
    'retry-after-form',
    /one form/,
  ],
  'a Location header': [
    {
      request: creation({ name: 'Mia', categoryId: 1 }),
      response: { ...read(animal, alike, 201), headers: { ...json, Location: ['/pets/1'] } },
    },
    'header-location',
    'open',
    'location-header',
    /location/,
  ],
  'the limit of one plan': [
    {
      response: {
        status: 200,
        headers: { 'X-RateLimit-Limit': ['60'] },
        matchingRules: { header: { 'X-RateLimit-Limit': regex('^(60|300)$') } },
      },
    },
    'header-rate-limit-fixed',
    'unreachable',
    undefined,
    /x-ratelimit-limit is restricted to values like "60"/,
  ],
  'one charset': [
    { response: { status: 200, headers: { 'Content-Type': ['application/json; charset=utf-8'] } } },
    'header-content-type-fixed',
    'unreachable',
    undefined,
    /content-type is restricted to/,
  ],
  'an exact number of requests that are left': [
    { response: { status: 200, headers: { 'X-RateLimit-Remaining': ['59'] } } },
    'header-rate-limit-fixed',
    'unreachable',
    undefined,
    /x-ratelimit-remaining is restricted to values like "59"/,
  ],
  'a WWW-Authenticate header': [
    { request: { headers: {} }, response: { status: 401, headers: { 'WWW-Authenticate': ['Bearer'] } } },
    'header-www-authenticate',
    'open',
    'www-authenticate',
    /response\.headers\.www-authenticate is claimed; leave it out/,
  ],
  'the announcement of a removal': [
    {
      states: [exists],
      request: { path: '/pets/1' },
      response: { status: 200, headers: { Link: ['x'], Sunset: ['x'], Deprecation: ['x'] } },
    },
    'header-deprecation',
    'open',
    'deprecation-headers',
    /response\.headers\.(link|sunset|deprecation) is claimed/,
  ],
  'an exact reset': [
    { response: { status: 200, headers: { 'X-RateLimit-Reset': ['1795228800'] } } },
    'header-rate-limit-fixed',
    'unreachable',
    undefined,
    /x-ratelimit-reset is restricted to values like "1795228800"; match digits/,
  ],
  'a media type by a pattern without parameters': [
    {
      response: {
        status: 200,
        headers: { 'Content-Type': ['application/json'] },
        matchingRules: { header: { 'Content-Type': regex('^application/json$') } },
      },
    },
    'header-content-type-fixed',
    'unreachable',
    undefined,
    /content-type is restricted to "application\/json", but parameters may differ/,
  ],
};
