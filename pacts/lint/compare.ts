/** Compares an interaction with openapi.yaml, using PactFlow's comparator. */

import * as comparison from '@pactflow/openapi-pact-comparator';
import { defined } from '../../spec/defined.ts';
import { description } from '../../spec/description.ts';
import type { Claims } from '../verify/claims.ts';

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

/** Whether openapi.yaml cannot say what is right: the services show what is open, and HTTP allows any header. */
function isLeftToServices({ code }: Complaint, { status, interaction, operation }: Claims): boolean {
  if (/^request\.(query|content-type|body|header\.unknown)/.test(code)) return true;
  if (/^response\.(header\.(unknown|undefined)|status\.unknown)$/.test(code)) return true;
  if (status === 429 && /^response\.(body|content-type)\.unknown$/.test(code)) return true;
  if (code === 'request.authorization.missing') return interaction.isWithoutKey;
  return code === 'request.path-or-method.unknown' && operation === 'getPet';
}

function inWords({ message, mockDetails }: Complaint): string {
  const where = (mockDetails?.location ?? '').replace(/^\[root\]\.interactions\[\d+\]\.?/, '');
  const what = message.replace(/ (is incompatible with|not defined in) .*? in the spec file(?=:)/, '');
  return where === '' ? what : `${where}: ${what}`;
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

/** What contradicts openapi.yaml, a sentence each. */
export async function compare(claims: Claims): Promise<readonly string[]> {
  const found: string[] = [];
  try {
    for await (const complaint of comparator.compare(plainPact(claims))) {
      if (!isLeftToServices(complaint, claims)) found.push(inWords(complaint));
    }
  } catch (error) {
    // The library throws for interactions that no version of Pact allows, such as a status that is not a number.
    const reason = error instanceof Error ? error.message : 'unknown error';
    found.push(`it cannot be compared with openapi.yaml: ${reason}`);
  }
  return found;
}
