/** listPets (§4.1), for requests with a valid key and within their limit. */

import { type Outcome, refuse } from './answer.ts';
import type { Behaviour, Instead } from './behaviour.ts';
import type { Catalogue, Page } from './catalogue.ts';
import { isPetStatus, type PetStatus } from './pet.ts';

/** Answers a query, which is what follows the question mark of a target. */
export type ListPets = (query: string) => Outcome;

function readLimit(text: string | null, behaviour: Behaviour): Instead<number | undefined> {
  if (text === null) return { use: undefined };
  if (!/^-?\d+$/.test(text)) return behaviour['limit-not-integer']();
  const limit = Number(text);
  return limit >= 1 && limit <= 100 ? { use: limit } : behaviour['limit-out-of-range'](limit);
}

function readFilter(text: string | null, behaviour: Behaviour): Instead<PetStatus | 'none' | undefined> {
  if (text === null) return { use: undefined };
  return isPetStatus(text) ? { use: text } : behaviour['status-filter-unknown']();
}

/** An answer, and the page in it where there is one. */
interface Listing {
  readonly outcome: Outcome;
  readonly page?: Page;
}

/** `after` counts the animals that earlier pages have shown; only a Link header names it (gap later-pages). */
function list(query: string, catalogue: Catalogue, behaviour: Behaviour, collection: string): Listing {
  // A question mark in front would be taken for the one before the query, which is gone.
  const parameters = new URLSearchParams(`&${query}`);
  const linkTo = behaviour['later-pages'];
  const known = linkTo === undefined ? ['limit', 'status'] : ['limit', 'status', 'after'];
  const isKnown = [...parameters.keys()].every((name) => known.includes(name));
  if (!isKnown && !behaviour['unknown-query-parameters']()) {
    return { outcome: refuse(400, 'The query has a parameter that listPets has not.') };
  }
  const limit = readLimit(parameters.get('limit'), behaviour);
  if ('refuse' in limit) return { outcome: refuse(limit.refuse, 'The limit must be an integer from 1 to 100.') };
  const filter = readFilter(parameters.get('status'), behaviour);
  if ('refuse' in filter) return { outcome: refuse(filter.refuse, 'The status must be available, pending or sold.') };
  const after = parameters.get('after') ?? '';
  const from = linkTo !== undefined && /^\d{1,9}$/.test(after) ? Number(after) : 0;
  const page = catalogue.list(filter.use, limit.use ?? 20, from);
  const outcome = { status: 200, body: page.json } as const;
  if (linkTo === undefined || page.end >= page.total) return { outcome, page };
  parameters.set('after', String(page.end));
  return { outcome: { ...outcome, headers: linkTo(`${collection}?${parameters}`) }, page };
}

/** What is kept: so many answers, each of so many characters at most. */
const [mostKept, longestKept] = [256, 65_536];

/**
 * A page of 100 is as long as thirty answers of getPet, and most clients ask for the same pages again: an answer is kept
 * for whoever asks the same, until its page would be written in another way.
 */
export function createListPets(catalogue: Catalogue, behaviour: Behaviour, collection: string): ListPets {
  const kept = new Map<string, { readonly outcome: Outcome; readonly page: Page }>();
  return (query) => {
    const known = kept.get(query);
    if (known !== undefined && catalogue.isCurrent(known.page)) return known.outcome;
    const { outcome, page } = list(query, catalogue, behaviour, collection);
    if (page === undefined || page.json.length + query.length > longestKept) return outcome;
    if (kept.size >= mostKept) kept.clear();
    kept.set(query, { outcome, page });
    return outcome;
  };
}
