/** Rules about the headers of an answer. */

import type { GapId } from '../../spec/gaps.ts';
import type { Claims } from './claims.ts';
import { acceptsAll, contradiction, open, type Rule, type Rules, unreachable } from './rule.ts';

const openHeaders = {
  'location-header': ['location'],
  'www-authenticate': ['www-authenticate'],
  'deprecation-headers': ['sunset', 'deprecation', 'link'],
} as const satisfies Partial<Record<GapId, readonly string[]>>;

function openClaim(gap: keyof typeof openHeaders): Rule {
  return open(gap, ({ headers }) =>
    openHeaders[gap]
      .filter((name) => headers[name] !== undefined)
      .map((name) => `response.headers.${name} is claimed; leave it out`),
  );
}

/** Values that these headers have at legal providers. */
const otherValues: Readonly<Record<string, readonly string[]>> = {
  'content-type': ['application/json', 'application/json; charset=utf-8', 'application/json;charset=UTF-8'],
  'retry-after': ['7', '86400', 'Sat, 21 Nov 2026 08:49:37 GMT'],
  'x-ratelimit-limit': ['60', '1000', '7'],
  'x-ratelimit-remaining': ['0', '59', '9999'],
  'x-ratelimit-reset': ['1795228800', '1999999999'],
};

const knownHeaders: ReadonlySet<string> = new Set([...Object.values(openHeaders).flat(), ...Object.keys(otherValues)]);

/** The recorded value of a header, if the pact rejects other legal values. */
function fixedValues(claims: Claims, name: string): readonly string[] {
  const value = claims.headers[name];
  return value === undefined || acceptsAll(claims.headerConstraint(name), otherValues[name] ?? []) ? [] : [value];
}

export const headerRules = {
  'header-location': openClaim('location-header'),
  'header-www-authenticate': openClaim('www-authenticate'),
  'header-deprecation': openClaim('deprecation-headers'),
  'header-unpromised': contradiction(({ headers }) =>
    Object.keys(headers)
      .filter((name) => !knownHeaders.has(name))
      .map((name) => `response.headers.${name} is not promised by the interface`),
  ),
  'header-retry-after-form': open('retry-after-form', (claims) =>
    fixedValues(claims, 'retry-after').map(
      () => 'response.headers.retry-after is restricted to one form; match both, or leave it out',
    ),
  ),
  'header-content-type-fixed': unreachable((claims) =>
    fixedValues(claims, 'content-type')
      .filter((value) => /^application\/json/i.test(value))
      // The verifier accepts any parameters behind a plain media type.
      .filter((value) => !(claims.headerConstraint('content-type').isWhole && value === 'application/json'))
      .map(
        (value) =>
          `response.headers.content-type is restricted to ${JSON.stringify(value)}, but parameters may differ; match application/json`,
      ),
  ),
  'header-rate-limit-fixed': unreachable((claims) =>
    ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'].flatMap((name) =>
      fixedValues(claims, name).map(
        (value) => `response.headers.${name} is restricted to values like ${JSON.stringify(value)}; match digits`,
      ),
    ),
  ),
} as const satisfies Rules;
