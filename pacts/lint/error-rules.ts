/** Rules about Errors (§7) and about the body of a 429. */

import { type Fields, isFields } from '../pact.ts';
import type { Claims } from './claims.ts';
import { acceptsAll, contradiction, open, type Rules } from './rule.ts';

const errorStatuses = [400, 401, 404];

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

export const errorRules = {
  'error-empty': contradiction(({ status, body }) =>
    errorStatuses.includes(status) && body === '' ? [`response.body is empty, but a ${status} has an Error (§7)`] : [],
  ),
  'error-code-fixed': open('error-codes', (claims) => findFixed(claims, 'code')),
  'error-message-fixed': open('error-codes', (claims) => findFixed(claims, 'message')),
  'error-status-other': contradiction((claims) => {
    const { status, constraint: demand } = claims;
    const claimed = errorIn(claims)?.['status'];
    return Number.isInteger(claimed) && !demand(['status']).accepts(status)
      ? [`response.body.status is ${claimed}, but §7 makes it equal to the HTTP status ${status}`]
      : [];
  }),
  'too-many-requests-body': open('too-many-requests-body', ({ status, body }) =>
    status === 429 && body !== undefined && body !== '' ? ['response.body is claimed for a 429; leave it out'] : [],
  ),
} as const satisfies Rules;
