/** Says of a pact what contradicts the interface, what the interface leaves open, and what no provider state reaches. */

import * as comparison from '@pactflow/openapi-pact-comparator';
import { description } from '../../spec/description.ts';
import type { Pact } from '../pact.ts';
import { type Claims, claimsOf } from './claims.ts';
import { bodies, contradicts, type Finding, paths, queries, rules } from './lint-rules.ts';

export interface Remark extends Finding {
  /** The description of the interaction. */
  readonly interaction: string;
}

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

/** What the rules tell better, since openapi.yaml cannot say that something is open; or what HTTP lets a client send. */
function isToldByRule({ code }: Complaint, claims: Claims): boolean {
  const { path, status, method } = claims;
  if (/^request\.(query|content-type|body|header\.unknown)/.test(code)) return true;
  if (code === 'response.header.unknown') return true;
  if (status === 429 && /^response\.(body|content-type)\.unknown$/.test(code)) return true;
  if (code === 'request.path-or-method.unknown') return method === 'GET' && /^\/pets\/[^/]+$/.test(path);
  const isOpenRequest = [queries, bodies, paths].some((rule) => rule(claims).length > 0);
  return isOpenRequest && status >= 400 && status < 500 && code === 'response.status.unknown';
}

function findingOf({ message, mockDetails }: Complaint): Finding {
  const where = (mockDetails?.location ?? '').replace(/^\[root\]\.interactions\[\d+\]\.?/, '');
  const what = message.replace(/ (is incompatible with|not defined in) .*? in the spec file(?=:)/, '');
  const gap = /additional properties/.test(message) ? 'extra-response-fields' : undefined;
  return contradicts(where === '' ? what : `${where}: ${what}`, gap);
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

/** What openapi.yaml says of one interaction. */
async function compare(claims: Claims): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for await (const complaint of new Comparator({ oas: openapi }).compare(plainPact(claims))) {
    if (!isToldByRule(complaint, claims)) findings.push(findingOf(complaint));
  }
  return findings;
}

/** Lints a pact, sending nothing. */
export async function lintPact(pact: Pact): Promise<readonly Remark[]> {
  const remarks: Remark[] = [];
  for (const interaction of pact.interactions) {
    const claims = claimsOf(interaction);
    const findings = interaction.isHttp
      ? [...(await compare(claims)), ...rules.flatMap((rule) => rule(claims))]
      : [contradicts('it is a message, and the interface shows none', 'events')];
    remarks.push(...findings.map((finding) => ({ ...finding, interaction: interaction.description })));
  }
  return remarks;
}

const words: Readonly<Record<Remark['kind'], string>> = {
  contradiction: 'contradicts the interface',
  open: 'claims what the interface leaves open',
  unreachable: 'claims what no provider state reaches',
};

/** One line for a person. */
export function showRemark({ kind, interaction, gap, message }: Remark): string {
  return `"${interaction}" ${words[kind]}${gap === undefined ? '' : ` (gap ${gap})`}: ${message}`;
}
