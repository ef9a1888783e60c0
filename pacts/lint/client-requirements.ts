/** Finds the client requirements that a recorded request breaks, with the judges of the `client` command. */

import { judgeSent } from '../../conformance/clients/waits.ts';
import { noKey, validKey } from '../../conformance/http/credentials.ts';
import type { Exchange } from '../../conformance/http/exchange.ts';
import { keyMark, redactor } from '../../conformance/http/redact.ts';
import { sentenceOf } from '../../conformance/verdict/failure.ts';
import { type ClientRequirementId, clientRequirements } from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import type { SectionId } from '../../spec/sections.ts';
import type { Claims } from '../verify/claims.ts';

/** A name under which clients send a key outside the Authorization header. */
const nameOfKey = /^(x[-_])?((api|access|auth)[-_]?)?(key|token)$/i;

/** The request as recorded evidence: keys are masked, and there is no Authorization header. */
function exchangeOf({ method, path, query, sentHeaders, sentText, mediaType, operation }: Claims): Exchange {
  const { authorization, ...others } = sentHeaders;
  const redact = redactor(authorization?.split(' ').slice(1) ?? []);
  const shown = (name: string, value: string): string => (nameOfKey.test(name) ? keyMark : redact(value));
  const parts = [...query].flatMap(([name, values]) => values.map((value) => `${name}=${shown(name, value)}`));
  const headers = Object.entries(others).map(([name, value]) => [name, shown(name, value)] as const);
  const sent = authorization === undefined ? noKey.shown : validKey('').shown;
  return {
    ...{ number: 1, check: 'pact', startedAt: 0, endedAt: 0, sent: 1, answered: 2, operation },
    credential: /^bearer /i.test(authorization ?? 'Bearer ') ? sent : { ...sent, kind: 'misplaced' },
    request: {
      method,
      target: [redact(path), ...(parts.length === 0 ? [] : [parts.join('&')])].join('?'),
      headers: { 'content-type': mediaType, ...Object.fromEntries(headers) },
      ...defined({ body: sentText === '' ? undefined : redact(sentText) }),
    },
  };
}

export interface BrokenRequirement {
  readonly code: ClientRequirementId;
  readonly section: SectionId;
  /** "expected …, received …". */
  readonly message: string;
}

export function brokenRequirements(claims: Claims): readonly BrokenRequirement[] {
  // A consumer that expects to be refused breaks requirements on purpose, as `client` judges it.
  if (claims.status >= 400 && claims.status < 500 && claims.status !== 429) return [];
  return judgeSent([exchangeOf(claims)]).flatMap(({ requirement: code, failure }) => {
    // getPet may still be recorded.
    if (failure === undefined || code === 'client-deprecated') return [];
    const { section } = clientRequirements.find(({ id }) => id === code)!;
    return [{ code, section, message: sentenceOf(failure) }];
  });
}
