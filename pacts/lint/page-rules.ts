/** Rules about the number and the order of animals on a page (§4.1). */

import { isPetStatus } from '../../conformance/http/read-request.ts';
import { providerStates } from '../states.ts';
import { type Claims, isListing } from './claims.ts';
import { defaultCount, problemWith } from './parameters.ts';
import { contradiction, open, type Rules, unreachable } from './rule.ts';

const { animalExists, animalsExist } = providerStates;

/** The page that a listing claims. `wanted`: the fewest animals that the pact accepts; `isWhole`: it must equal the example. */
function pageIn(claims: Claims) {
  const { status, body, query, constraint: demand } = claims;
  if (!isListing(claims) || status !== 200 || !Array.isArray(body)) return undefined;
  const { least, most, isWhole } = demand([]);
  const wanted = isWhole ? body.length : (least ?? Math.min(body.length, 1));
  return { length: body.length, wanted, most, isWhole, limit: Number(query.get('limit')?.[0] ?? 20) };
}

/** A page of which the pact claims only a number of animals; with limit 1, a page of one animal is such a claim. */
function numberedPageIn(claims: Claims): ReturnType<typeof pageIn> {
  const page = pageIn(claims);
  const isNumbered = page !== undefined && (!page.isWhole || (page.length <= 1 && page.length === page.limit));
  return isNumbered ? page : undefined;
}

function animalsOfStates({ interaction }: Claims, status: string | undefined): number {
  return interaction.states
    .filter(({ params }) => status === undefined || params['status'] === status)
    .map(({ name, params }) => {
      if (name === animalExists.name) return 1;
      return name === animalsExist.name ? Number(params['count'] ?? defaultCount) : 0;
    })
    .reduce((sum, count) => sum + count, 0);
}

function stateFor(wanted: number, status: string | undefined): string {
  const parameters = [
    ...(wanted > 1 ? [`count ${wanted}`] : []),
    ...(status === undefined ? [] : [`status ${status}`]),
  ];
  const name = `name "${wanted > 1 ? animalsExist.name : animalExists.name}"`;
  return parameters.length === 0 ? name : `${name} with ${parameters.join(' and ')}`;
}

export const pageRules = {
  'page-order': open('list-order', (claims) => {
    const page = pageIn(claims);
    return page?.isWhole && page.length > 1
      ? [`response.body is ${page.length} animals in this order, but the order is open; match each animal alike`]
      : [];
  }),
  'page-length-fixed': unreachable((claims) => {
    const page = pageIn(claims);
    return page?.isWhole && page.length <= 1 && page.length !== page.limit
      ? [`response.body is exactly ${page.length} animals, but there may be others`]
      : [];
  }),
  'page-beyond-limit': contradiction((claims) => {
    const page = numberedPageIn(claims);
    return page !== undefined && page.wanted > page.limit
      ? [`response.body has at least ${page.wanted} animals, but the limit is ${page.limit} (§4.1)`]
      : [];
  }),
  'page-shorter-than-limit': unreachable((claims) => {
    const page = numberedPageIn(claims);
    return page?.most !== undefined && page.most < page.limit
      ? [`response.body has at most ${page.most} animals, but there may be others: send limit=${page.most}`]
      : [];
  }),
  'page-without-state': unreachable((claims) => {
    const page = numberedPageIn(claims);
    if (
      page === undefined ||
      page.wanted > page.limit ||
      claims.interaction.states.some((state) => problemWith(state) !== undefined)
    ) {
      return [];
    }
    // A new provider has no animals, so that only a state fills a page.
    const filter = claims.query.get('status')?.[0];
    const status = isPetStatus(filter) ? filter : undefined;
    return animalsOfStates(claims, status) < page.wanted
      ? [`response.body has at least ${page.wanted} animals only in a state: ${stateFor(page.wanted, status)}`]
      : [];
  }),
} as const satisfies Rules;
