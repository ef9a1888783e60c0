/** What an Error is claimed to be (§7), and what is claimed of the body of a 429. */

import { type Fields, isFields } from '../pact.ts';
import type { Claims } from './claims.ts';
import { acceptsAll, type Rule } from './rule.ts';

const errorStatuses = [400, 401, 404];

/** The body of an answer that has to be an Error, where one is claimed. */
function errorIn({ status, body }: Claims): Fields | undefined {
  return errorStatuses.includes(status) && isFields(body) ? body : undefined;
}

/** Texts that one provider or another has there. */
const otherTexts = {
  code: ['x', 'NOT_FOUND', 'not-found', 'E 404'],
  message: ['x', 'Nichts gefunden.', 'No such thing'],
} as const;

function findFixed(claims: Claims, field: 'code' | 'message'): readonly string[] {
  const text = errorIn(claims)?.[field];
  if (typeof text !== 'string' || acceptsAll(claims.demand([field]), otherTexts[field])) return [];
  return [`response.body.${field} has to be like ${JSON.stringify(text)}; match its type`];
}

export const errorRules = [
  {
    code: 'error-empty',
    kind: 'contradiction',
    find: ({ status, body }) =>
      errorStatuses.includes(status) && body === ''
        ? [`response.body is empty, and a ${status} has an Error (§7)`]
        : [],
  },
  { code: 'error-code-fixed', kind: 'open', gap: 'error-codes', find: (claims) => findFixed(claims, 'code') },
  { code: 'error-message-fixed', kind: 'open', gap: 'error-codes', find: (claims) => findFixed(claims, 'message') },
  {
    code: 'error-status-other',
    kind: 'contradiction',
    find: (claims) => {
      const { status, demand } = claims;
      const claimed = errorIn(claims)?.['status'];
      return Number.isInteger(claimed) && !demand(['status']).accepts(status)
        ? [`response.body.status is ${claimed}, and §7 has it equal to the HTTP status ${status}`]
        : [];
    },
  },
  {
    code: 'too-many-requests-body',
    kind: 'open',
    gap: 'too-many-requests-body',
    find: ({ status, body }) =>
      status === 429 && body !== undefined && body !== '' ? ['response.body is claimed of a 429; leave it out'] : [],
  },
] as const satisfies readonly Rule[];
