/** Finds the client requirements that a recorded request breaks, with the checks of the `client` command. */

import type { Exchange } from '../../conformance/http/exchange.ts';
import { judgeSent } from '../../conformance/sections/client-checks/index.ts';
import { senderOf } from '../../conformance/traffic/attribution.ts';
import { createSecrets } from '../../conformance/traffic/secrets.ts';
import { sentenceOf } from '../../conformance/verdict/failure.ts';
import {
  type ClientRequirement,
  type ClientRequirementId,
  clientRequirements,
} from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import { type Claims, isNameOfKey } from '../verify/claims.ts';

/** The requirements that a single request can show. Waits and exact ids take several; getPet may still be recorded. */
const shown: ReadonlySet<ClientRequirementId> = new Set([
  'client-required-fields',
  'client-values-in-range',
  'client-shown-only',
  'client-limit-in-range',
  'client-status-known',
  'client-sends-json',
  'client-id-int64',
  'client-key-in-header',
]);

/** The request as recorded evidence: keys are masked, and there is no Authorization header. */
function requestOf(claims: Claims): Exchange['request'] {
  const { method, path, query, sentHeaders, sentText, mediaType } = claims;
  const { note, redact } = createSecrets([]);
  const { authorization = '', ...others } = sentHeaders;
  note({ authorization }, '');
  const shownOf = (name: string, value: string): string => (isNameOfKey(name) ? '[key]' : redact(value));
  const parts = [...query].flatMap(([name, values]) => values.map((value) => `${name}=${shownOf(name, value)}`));
  const headers = Object.entries(others).map(([name, value]) => [name, shownOf(name, value)] as const);
  return {
    method,
    target: parts.length === 0 ? redact(path) : `${redact(path)}?${parts.join('&')}`,
    headers: { 'content-type': mediaType, ...Object.fromEntries(headers) },
    ...defined({ body: sentText === '' ? undefined : redact(sentText) }),
  };
}

function exchangeOf(claims: Claims): Exchange {
  const { method, path: target, sentHeaders: headers } = claims;
  const place = { number: 1, check: 'pact', startedAt: 0, endedAt: 0, sent: 1, answered: 2 };
  const seen = { method, target, headers, startedAt: 0, endedAt: 0 };
  const { credential } = senderOf(seen, { findCredential: () => undefined });
  return { ...place, operation: claims.operation, credential, request: requestOf(claims) };
}

export interface BrokenRequirement {
  readonly requirement: ClientRequirement & { readonly id: ClientRequirementId };
  /** "expected …, received …". */
  readonly message: string;
}

export function brokenRequirements(claims: Claims): readonly BrokenRequirement[] {
  // A consumer that expects to be refused breaks requirements on purpose, as `client` judges it.
  if (claims.status >= 400 && claims.status < 500 && claims.status !== 429) return [];
  const requests = { exchanges: [exchangeOf(claims)], toOtherHost: [], isAnotherDay: false, latenessMs: 0 };
  const findings = judgeSent(requests).filter(({ requirement }) => shown.has(requirement));
  return findings.flatMap(({ requirement: id, failure }) =>
    // A pact may leave the key to those who verify it.
    failure === undefined || failure.code === 'no-key'
      ? []
      : [{ requirement: clientRequirements.find((one) => one.id === id)!, message: sentenceOf(failure) }],
  );
}
