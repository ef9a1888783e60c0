/** Rules about the query and the path of a request. */

import { isPetStatus } from '../../conformance/http/read-request.ts';
import { queryParameters } from '../../spec/operations.ts';
import { bodyRules } from './body-rules.ts';
import { asksForInt64, type Claims, isListing, isNameOfKey, isRead, isRefused } from './claims.ts';
import { open, type Rules } from './rule.ts';

/** The parameters that the operation does not list. */
function unlisted(claims: Claims): readonly (readonly [name: string, value: string])[] {
  if (claims.operation === 'other' || isRefused(claims)) return [];
  const own = queryParameters[claims.operation];
  return [...claims.query].flatMap(([name, [value = '']]) => (own.includes(name) ? [] : [[name, value] as const]));
}

function queryOf(claims: Claims): readonly (readonly [name: string, values: readonly string[]])[] {
  return isListing(claims) && !isRefused(claims) ? [...claims.query] : [];
}

/** The value of a parameter that is sent once. */
function valuesOf(claims: Claims, parameter: string): readonly string[] {
  return queryOf(claims).flatMap(([name, values]) =>
    name === parameter && values.length < 2 ? [values[0] ?? ''] : [],
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
  'query-status-unknown': open('status-filter-unknown', (claims) =>
    valuesOf(claims, 'status')
      .filter((value) => !isPetStatus(value))
      .map((value) => `request.query.status is ${JSON.stringify(value)}`),
  ),
  'query-limit-not-integer': open('limit-not-integer', (claims) =>
    valuesOf(claims, 'limit')
      .filter((value) => !isInteger(value))
      .map((value) => `request.query.limit is ${JSON.stringify(value)}`),
  ),
  'query-limit-out-of-range': open('limit-out-of-range', (claims) =>
    valuesOf(claims, 'limit')
      .filter((value) => isInteger(value) && (Number(value) < 1 || Number(value) > 100))
      .map((value) => `request.query.limit is ${JSON.stringify(value)}`),
  ),
  ...bodyRules,
  'path-id-not-int64': open('pet-id-not-int64', (claims) =>
    isRead(claims) && !asksForInt64(claims) && !isRefused(claims)
      ? [`request.path is ${JSON.stringify(claims.path)}, whose petId is not an int64`]
      : [],
  ),
} as const satisfies Rules;
