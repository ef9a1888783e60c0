/** Rules about the query and the path of a request. */

import { isPetStatus } from '../../conformance/http/read-request.ts';
import type { GapId } from '../../spec/gaps.ts';
import { queryParameters } from '../../spec/operations.ts';
import { bodyRules } from './body-rules.ts';
import { asksForInt64, type Claims, isListing, isNameOfKey, isRead, isRefused } from './claims.ts';
import { open, type Rule, type Rules } from './rule.ts';

/** The parameters that the operation does not list. */
function unlisted(claims: Claims): readonly (readonly [name: string, value: string])[] {
  if (claims.operation === 'other' || isRefused(claims)) return [];
  const own = queryParameters[claims.operation];
  return [...claims.query].flatMap(([name, [value = '']]) => (own.includes(name) ? [] : [[name, value] as const]));
}

function queryOf(claims: Claims): readonly (readonly [name: string, values: readonly string[]])[] {
  return isListing(claims) && !isRefused(claims) ? [...claims.query] : [];
}

/** A parameter that is sent once, with a value whose effect is open. */
function openValue(gap: GapId, parameter: string, isOpen: (value: string) => boolean): Rule {
  return open(gap, (claims) =>
    queryOf(claims)
      .filter(([name, [value = '', ...more]]) => name === parameter && more.length === 0 && isOpen(value))
      .map(([name, [value = '']]) => `request.query.${name} is ${JSON.stringify(value)}`),
  );
}

const isInteger = (value: string): boolean => /^-?\d+$/.test(value);

/** The answer to a request that one of these rules finds is up to the implementation. */
export const requestRules = {
  'query-unlisted': open('unknown-query-parameters', (claims) =>
    unlisted(claims).map(([name, value]) => {
      const shown = isNameOfKey(name) ? 'a key' : JSON.stringify(value);
      return `request.query.${name} is ${shown}, but the parameter is not listed`;
    }),
  ),
  'query-repeated': open('unknown-query-parameters', (claims) =>
    queryOf(claims)
      .filter(([name, values]) => queryParameters.listPets.includes(name) && values.length > 1)
      .map(([name]) => `request.query.${name} is sent more than once`),
  ),
  'query-status-unknown': openValue('status-filter-unknown', 'status', (value) => !isPetStatus(value)),
  'query-limit-not-integer': openValue('limit-not-integer', 'limit', (value) => !isInteger(value)),
  'query-limit-out-of-range': openValue(
    'limit-out-of-range',
    'limit',
    (value) => isInteger(value) && (Number(value) < 1 || Number(value) > 100),
  ),
  ...bodyRules,
  'path-id-not-int64': open('pet-id-not-int64', (claims) =>
    isRead(claims) && !asksForInt64(claims) && !isRefused(claims)
      ? [`request.path is ${JSON.stringify(claims.path)}, whose petId is not an int64`]
      : [],
  ),
} as const satisfies Rules;
