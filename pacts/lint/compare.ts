/** Compares an interaction with openapi.yaml by PactFlow's comparator. */

import * as comparison from '@pactflow/openapi-pact-comparator';
import { description } from '../../spec/description.ts';
import { type Claims, isRead } from './claims.ts';
import { requestRules } from './request-rules.ts';
import type { Rule } from './rule.ts';

interface Complaint {
  readonly code: string;
  readonly message: string;
  readonly mockDetails?: { readonly location?: string };
}

/** The library's own types name files without an extension, which cannot be found from here. */
const { Comparator } = comparison as unknown as {
  readonly Comparator: new (documents: {
    readonly oas: object;
  }) => {
    readonly compare: (pact: object) => AsyncIterable<Complaint>;
  };
};

/** What a difference is remarked as. */
export const differences = {
  field: { code: 'response-field-unlisted', kind: 'contradiction', gap: 'extra-response-fields' },
  other: { code: 'openapi-mismatch', kind: 'contradiction' },
} as const satisfies Readonly<Record<string, Omit<Rule, 'find'>>>;

export type Difference = (typeof differences)[keyof typeof differences] & { readonly message: string };

/** What a rule says better, since openapi.yaml cannot say that something is open; or what HTTP lets a client send. */
function isLeftToRules({ code }: Complaint, claims: Claims): boolean {
  const { status } = claims;
  if (/^request\.(query|content-type|body|header\.unknown)/.test(code)) return true;
  if (/^response\.header\.(unknown|undefined)$/.test(code)) return true;
  if (status === 429 && /^response\.(body|content-type)\.unknown$/.test(code)) return true;
  if (code === 'request.authorization.missing') return claims.interaction.isWithoutKey;
  if (code === 'request.path-or-method.unknown') return isRead(claims);
  const isOpenRequest = requestRules.some(({ find }) => find(claims).length > 0);
  return isOpenRequest && status >= 400 && status < 500 && code === 'response.status.unknown';
}

function differenceOf({ message, mockDetails }: Complaint): Difference {
  const where = (mockDetails?.location ?? '').replace(/^\[root\]\.interactions\[\d+\]\.?/, '');
  const what = message.replace(/ (is incompatible with|not defined in) .*? in the spec file(?=:)/, '');
  const difference = /additional properties/.test(message) ? differences.field : differences.other;
  return { ...difference, message: where === '' ? what : `${where}: ${what}` };
}

/** The library writes into what it is given. */
const openapi = structuredClone(description);

/** The interaction in the one form that the comparator reads whatever the version of the pact is. */
function plainPact(claims: Claims): object {
  const { method, path, query, sentHeaders, sent, status, headers, body } = claims;
  const interaction = {
    description: claims.interaction.description,
    request: {
      method,
      path,
      query: Object.fromEntries(query),
      headers: sentHeaders,
      ...(sent === undefined ? {} : { body: sent }),
    },
    response: { status, headers, ...(body === undefined || body === '' ? {} : { body }) },
  };
  return {
    consumer: { name: 'consumer' },
    provider: { name: 'provider' },
    interactions: [interaction],
    metadata: { pactSpecification: { version: '3.0.0' } },
  };
}

/** Where an interaction differs from what openapi.yaml says of it. */
export async function compare(claims: Claims): Promise<readonly Difference[]> {
  const found: Difference[] = [];
  for await (const complaint of new Comparator({ oas: openapi }).compare(plainPact(claims))) {
    if (!isLeftToRules(complaint, claims)) found.push(differenceOf(complaint));
  }
  return found;
}
