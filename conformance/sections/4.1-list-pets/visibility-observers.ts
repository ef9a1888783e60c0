/** §4.1 Observes how soon an animal is listed and found, whether pages are capped, and whether the limit comes before the filter. */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isAllowed, pageSize, readListing, readPetId } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import { type CreatedPet, countKnownBefore, createdBefore, type Page, type World } from '../../world/world.ts';
import { reads } from '../4.3-get-pet/judges.ts';
import { type Observe, observationOf, withSize } from '../observation.ts';

const isFull = (page: Page): boolean => page.entries.length >= pageSize(readListing(page.exchange));
const plainPages = ({ pages }: World): readonly Page[] =>
  pages.filter(({ exchange }) => isAllowed(readListing(exchange)) && readListing(exchange).status === 'any');

/** The answers that show whether an animal is there: reads of it, and unfiltered pages that are not full. */
function looksAt(world: World, pet: CreatedPet): readonly (readonly [Exchange, boolean])[] {
  const pages = plainPages(world).map((page) => [page.exchange, page.ids.has(pet.id), isFull(page)] as const);
  const found = reads(world).filter((exchange) => readPetId(exchange) === pet.id);
  const looks = [
    ...pages.flatMap(([exchange, isShown, isCut]) => (isShown || !isCut ? [[exchange, isShown] as const] : [])),
    ...found.map((exchange) => [exchange, statusOf(exchange) === 200] as const),
  ];
  return looks.filter(([exchange]) => happenedBefore(pet.exchange, exchange));
}

export const visibility: Observe<'visibility'> = (world) => {
  let atOnce: Exchange | undefined;
  for (const pet of world.perKey[0]?.created ?? []) {
    const looks = looksAt(world.perKey[0]!, pet);
    const early = looks.find(([, isShown]) => !isShown)?.[0];
    if (early !== undefined && looks.some(([later, isShown]) => isShown && happenedBefore(early, later)))
      return observationOf('later', early);
    atOnce ??= looks.find(
      ([exchange, isShown]) => isShown && exchange.startedAt - pet.exchange.endedAt < world.settings.settleMs,
    )?.[0];
  }
  return observationOf('at-once', atOnce);
};

/** A page with at least this limit shows whether the service caps pages below it. */
const longLimit = 50;
/** A catalogue of fewer animals may fit on a page that is capped. */
const manyAnimals = 20;
/** So many pages of one length while animals came show a cap. */
const fewestEqual = 3;

export const pageCap: Observe<'page-cap'> = (world) => {
  const pages = plainPages(world).filter(({ exchange }) => pageSize(readListing(exchange)) >= longLimit);
  const full = pages.find(isFull);
  const longest = Math.max(0, ...pages.map(({ entries }) => entries.length));
  const atEnd = pages.filter(({ entries }) => entries.length === longest);
  const last = atEnd.at(-1);
  if (full !== undefined || last === undefined) return observationOf('as-asked', full?.exchange);
  const lacking = createdBefore(world, last.exchange).filter(({ id }) => !last.ids.has(id));
  if (lacking.length >= fewestEqual && atEnd.length >= fewestEqual)
    return withSize(observationOf('fewer', last.exchange), longest);
  return observationOf('as-asked', lacking.length === 0 && longest >= manyAnimals ? last.exchange : undefined);
};

export const shortPages: Observe<'short-pages'> = (world) => {
  const filtered = world.pages.filter(
    ({ exchange }) => isAllowed(readListing(exchange)) && readListing(exchange).status !== 'any',
  );
  const isFullSomewhere = (most: number): boolean =>
    plainPages(world).some((page) => isFull(page) && pageSize(readListing(page.exchange)) === most);
  const short = filtered.find((page) => {
    const { status } = readListing(page.exchange);
    const most = pageSize(readListing(page.exchange));
    const matching = status === 'invalid' ? 0 : countKnownBefore(world, page.exchange, status);
    return !isFull(page) && isFullSomewhere(most) && matching >= most && page.entries.length > 0;
  });
  if (short !== undefined) return observationOf('limit-before-filter', short.exchange);
  const full = filtered.filter((page) => isFull(page) && page.entries.length >= 3);
  const other = full.find(({ exchange }) => readListing(exchange).status !== readListing(full[0]!.exchange).status);
  return observationOf('filter-before-limit', other?.exchange);
};

/** The length of the longest page of an allowed query. */
export function longestPage({ pages }: World): number {
  return Math.max(
    0,
    ...pages.filter(({ exchange }) => isAllowed(readListing(exchange))).map(({ entries }) => entries.length),
  );
}
