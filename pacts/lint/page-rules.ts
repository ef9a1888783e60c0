/** How many animals of a page are claimed, and in which order (§4.1). */

import { isPetStatus } from '../../conformance/http/read-request.ts';
import { providerStates } from '../states.ts';
import { type Claims, isListing } from './claims.ts';
import { defaultCount, problemWith } from './parameters.ts';
import type { Rule } from './rule.ts';

const { animalExists, animalsExist } = providerStates;

interface Page {
  /** How many animals the example has. */
  readonly length: number;
  /** How many there are at least. */
  readonly wanted: number;
  readonly most: number | undefined;
  readonly limit: number;
  /** Whether it has to be just these animals. */
  readonly isWhole: boolean;
}

function pageIn(claims: Claims): Page | undefined {
  const { status, body, query, demand } = claims;
  if (!isListing(claims) || status !== 200 || !Array.isArray(body)) return undefined;
  const { least, most, isWhole } = demand([]);
  const wanted = isWhole ? body.length : (least ?? Math.min(body.length, 1));
  return { length: body.length, wanted, most, isWhole, limit: Number(query.get('limit')?.[0] ?? 20) };
}

/** A page of which only a number is claimed: one of a single animal where the limit is one is no more than that. */
function numberedPageIn(claims: Claims): Page | undefined {
  const page = pageIn(claims);
  const isNumbered = page !== undefined && (!page.isWhole || (page.length <= 1 && page.length === page.limit));
  return isNumbered ? page : undefined;
}

/** How many animals the states of an interaction bring about, of a status if one is named. */
function animalsOfStates({ interaction }: Claims, status: string | undefined): number {
  return interaction.states
    .filter(({ params }) => status === undefined || params['status'] === status)
    .map(({ name, params }) => {
      if (name === animalExists.name) return 1;
      return name === animalsExist.name ? Number(params['count'] ?? defaultCount) : 0;
    })
    .reduce((sum, count) => sum + count, 0);
}

/** The state that brings so many animals about. */
function stateFor(wanted: number, status: string | undefined): string {
  const parameters = [
    ...(wanted > 1 ? [`count ${wanted}`] : []),
    ...(status === undefined ? [] : [`status ${status}`]),
  ];
  const name = `name "${wanted > 1 ? animalsExist.name : animalExists.name}"`;
  return parameters.length === 0 ? name : `${name} with ${parameters.join(' and ')}`;
}

export const pageRules = [
  {
    code: 'page-order',
    kind: 'open',
    gap: 'list-order',
    find: (claims) => {
      const page = pageIn(claims);
      return page?.isWhole && page.length > 1
        ? [`response.body is ${page.length} animals in this order; match each one alike`]
        : [];
    },
  },
  {
    code: 'page-length-fixed',
    kind: 'unreachable',
    find: (claims) => {
      const page = pageIn(claims);
      return page?.isWhole && page.length <= 1 && page.length !== page.limit
        ? [`response.body has to be ${page.length} animals, and others may be there`]
        : [];
    },
  },
  {
    code: 'page-beyond-limit',
    kind: 'contradiction',
    find: (claims) => {
      const page = numberedPageIn(claims);
      return page !== undefined && page.wanted > page.limit
        ? [`response.body has ${page.wanted} animals or more, and the limit is ${page.limit} (§4.1)`]
        : [];
    },
  },
  {
    code: 'page-shorter-than-limit',
    kind: 'unreachable',
    find: (claims) => {
      const page = numberedPageIn(claims);
      return page?.most !== undefined && page.most < page.limit
        ? [`response.body has at most ${page.most} animals, and others may be there: send limit=${page.most}`]
        : [];
    },
  },
  {
    code: 'page-without-state',
    kind: 'unreachable',
    find: (claims) => {
      const page = numberedPageIn(claims);
      if (
        page === undefined ||
        page.wanted > page.limit ||
        claims.interaction.states.some((state) => problemWith(state) !== undefined)
      ) {
        return [];
      }
      // A page is full without a state at no provider that has just begun.
      const filter = claims.query.get('status')?.[0];
      const status = isPetStatus(filter) ? filter : undefined;
      return animalsOfStates(claims, status) < page.wanted
        ? [`response.body has ${page.wanted} animals or more only in a state: ${stateFor(page.wanted, status)}`]
        : [];
    },
  },
] as const satisfies readonly Rule[];
