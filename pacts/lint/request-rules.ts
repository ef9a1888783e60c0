/** Rules about the query and the path of a request. */

import { isPetStatus } from '../../conformance/http/read-request.ts';
import { queryParameters } from '../../spec/operations.ts';
import { bodyRules } from './body-rules.ts';
import { asksForInt64, type Claims, isListing, isNameOfKey, isRead, isRefused } from './claims.ts';
import type { Rule } from './rule.ts';

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

const queryRules = [
  {
    code: 'query-unlisted',
    kind: 'open',
    gap: 'unknown-query-parameters',
    find: (claims) =>
      unlisted(claims).map(([name, value]) => {
        const shown = isNameOfKey(name) ? 'a key' : JSON.stringify(value);
        return `request.query.${name} is ${shown}, but the parameter is not listed`;
      }),
  },
  {
    code: 'query-repeated',
    kind: 'open',
    gap: 'unknown-query-parameters',
    find: (claims) =>
      queryOf(claims)
        .filter(([name, values]) => queryParameters.listPets.includes(name) && values.length > 1)
        .map(([name]) => `request.query.${name} is sent more than once`),
  },
  {
    code: 'query-status-unknown',
    kind: 'open',
    gap: 'status-filter-unknown',
    find: (claims) =>
      valuesOf(claims, 'status')
        .filter((value) => !isPetStatus(value))
        .map((value) => `request.query.status is ${JSON.stringify(value)}`),
  },
  {
    code: 'query-limit-not-integer',
    kind: 'open',
    gap: 'limit-not-integer',
    find: (claims) =>
      valuesOf(claims, 'limit')
        .filter((value) => !isInteger(value))
        .map((value) => `request.query.limit is ${JSON.stringify(value)}`),
  },
  {
    code: 'query-limit-out-of-range',
    kind: 'open',
    gap: 'limit-out-of-range',
    find: (claims) =>
      valuesOf(claims, 'limit')
        .filter((value) => isInteger(value) && (Number(value) < 1 || Number(value) > 100))
        .map((value) => `request.query.limit is ${JSON.stringify(value)}`),
  },
] as const satisfies readonly Rule[];

const pathRules = [
  {
    code: 'path-id-not-int64',
    kind: 'open',
    gap: 'pet-id-not-int64',
    find: (claims) =>
      isRead(claims) && !asksForInt64(claims) && !isRefused(claims)
        ? [`request.path is ${JSON.stringify(claims.path)}, whose petId is not an int64`]
        : [],
  },
] as const satisfies readonly Rule[];

/** The answer to a request that one of these rules finds is up to the implementation. */
export const requestRules = [...queryRules, ...bodyRules, ...pathRules] as const;
