/** Compares an interaction with openapi.yaml, using PactFlow's comparator. */

import * as comparison from '@pactflow/openapi-pact-comparator';
import { defined } from '../../spec/defined.ts';
import { description } from '../../spec/description.ts';
import { type Claims, isRead } from './claims.ts';
import { requestRules } from './request-rules.ts';
import type { Rule } from './rule.ts';

interface Complaint {
  readonly code: string;
  readonly message: string;
  readonly mockDetails?: { readonly location?: string };
}

/** The library's own types import files without an extension, which this project cannot resolve. */
const { Comparator } = comparison as unknown as {
  readonly Comparator: new (documents: {
    readonly oas: object;
  }) => {
    readonly compare: (pact: object) => AsyncIterable<Complaint>;
  };
};

/** The kinds of remark that a difference becomes. */
export const differences = {
  field: { code: 'response-field-unlisted', kind: 'contradiction', gap: 'extra-response-fields' },
  other: { code: 'openapi-mismatch', kind: 'contradiction' },
} as const satisfies Readonly<Record<string, Omit<Rule, 'find'> & { readonly code: string }>>;

export type Difference = (typeof differences)[keyof typeof differences] & { readonly message: string };

/**
 * Whether our own rules cover a complaint: openapi.yaml cannot express that something is open. Also whether it is about
 * a header that HTTP allows.
 */
function isLeftToRules({ code }: Complaint, claims: Claims): boolean {
  const { status } = claims;
  if (/^request\.(query|content-type|body|header\.unknown)/.test(code)) return true;
  if (/^response\.header\.(unknown|undefined)$/.test(code)) return true;
  if (status === 429 && /^response\.(body|content-type)\.unknown$/.test(code)) return true;
  if (code === 'request.authorization.missing') return claims.interaction.isWithoutKey;
  if (code === 'request.path-or-method.unknown') return isRead(claims);
  const isOpenRequest = Object.values(requestRules).some(({ find }) => find(claims).length > 0);
  return isOpenRequest && status >= 400 && status < 500 && code === 'response.status.unknown';
}

function differenceOf({ message, mockDetails }: Complaint): Difference {
  const where = (mockDetails?.location ?? '').replace(/^\[root\]\.interactions\[\d+\]\.?/, '');
  const what = message.replace(/ (is incompatible with|not defined in) .*? in the spec file(?=:)/, '');
  const difference = /additional properties/.test(message) ? differences.field : differences.other;
  return { ...difference, message: where === '' ? what : `${where}: ${what}` };
}

/** One for all interactions, since it compiles each schema once. A copy, since it changes the object that it is given. */
const comparator = new Comparator({ oas: structuredClone(description) });

/** The interaction as a version 3 pact, which the comparator reads whatever version was recorded. */
function plainPact(claims: Claims): object {
  const { method, path, query, sentHeaders, sent, status, headers, body } = claims;
  const interaction = {
    description: claims.interaction.description,
    request: defined({ method, path, query: Object.fromEntries(query), headers: sentHeaders, body: sent }),
    response: defined({ status, headers, body: body === '' ? undefined : body }),
  };
  return {
    consumer: { name: 'consumer' },
    provider: { name: 'provider' },
    interactions: [interaction],
    metadata: { pactSpecification: { version: '3.0.0' } },
  };
}

export async function compare(claims: Claims): Promise<readonly Difference[]> {
  const found: Difference[] = [];
  try {
    for await (const complaint of comparator.compare(plainPact(claims))) {
      if (!isLeftToRules(complaint, claims)) found.push(differenceOf(complaint));
    }
  } catch (error) {
    // The library throws for interactions that no version of Pact allows, such as a status that is not a number.
    const reason = error instanceof Error ? error.message : 'unknown error';
    found.push({ ...differences.other, message: `it cannot be compared with openapi.yaml: ${reason}` });
  }
  return found;
}
