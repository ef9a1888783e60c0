/** Rules about Errors (§7) and about the body of a 429. */

import { type Fields, isFields } from '../pact.ts';
import type { Claims } from './claims.ts';
import { acceptsAll, type Rule } from './rule.ts';

const errorStatuses = [400, 401, 404];

/** The recorded Error of an answer; undefined if the answer has none. */
function errorIn({ status, body }: Claims): Fields | undefined {
  return errorStatuses.includes(status) && isFields(body) ? body : undefined;
}

/** Texts that legal providers have in these fields. */
const otherTexts = {
  code: ['x', 'NOT_FOUND', 'not-found', 'E 404'],
  message: ['x', 'Nichts gefunden.', 'No such thing'],
} as const;

function findFixed(claims: Claims, field: 'code' | 'message'): readonly string[] {
  const text = errorIn(claims)?.[field];
  if (typeof text !== 'string' || acceptsAll(claims.constraint([field]), otherTexts[field])) return [];
  return [`response.body.${field} is restricted to values like ${JSON.stringify(text)}; match the type`];
}

export const errorRules = [
  {
    code: 'error-empty',
    kind: 'contradiction',
    find: ({ status, body }) =>
      errorStatuses.includes(status) && body === ''
        ? [`response.body is empty, but a ${status} has an Error (§7)`]
        : [],
  },
  { code: 'error-code-fixed', kind: 'open', gap: 'error-codes', find: (claims) => findFixed(claims, 'code') },
  { code: 'error-message-fixed', kind: 'open', gap: 'error-codes', find: (claims) => findFixed(claims, 'message') },
  {
    code: 'error-status-other',
    kind: 'contradiction',
    find: (claims) => {
      const { status, constraint: demand } = claims;
      const claimed = errorIn(claims)?.['status'];
      return Number.isInteger(claimed) && !demand(['status']).accepts(status)
        ? [`response.body.status is ${claimed}, but §7 makes it equal to the HTTP status ${status}`]
        : [];
    },
  },
  {
    code: 'too-many-requests-body',
    kind: 'open',
    gap: 'too-many-requests-body',
    find: ({ status, body }) =>
      status === 429 && body !== undefined && body !== '' ? ['response.body is claimed for a 429; leave it out'] : [],
  },
] as const satisfies readonly Rule[];
