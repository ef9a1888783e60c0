/** §4.1 What one page alone cannot prove: that it lacks an animal it had room for, and that its default is not 20. */

import type { SentCredential } from '../../http/credentials.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isJsonObject, showJson } from '../../http/json.ts';
import { isAllowed, isPetStatus, type Listing, pageSize, readListing } from '../../http/read-request.ts';
import { idsShownIn, pageOf, statusOf } from '../../http/read-response.ts';
import { fails } from '../../verdict/finding.ts';
import { createPet, getPet, listPets, type PlannedRequest } from '../../world/requests.ts';
import { type CreatedPet, createdBefore, isRemoved, type Page, type World } from '../../world/world.ts';
import type { Ask, Claim, Look, Means } from '../judge.ts';

/** The status that an animal shows, or that it was given. */
const statusOfPet = ({ returned, sent }: CreatedPet): unknown =>
  isPetStatus(returned['status']) ? returned['status'] : sent?.status;

export function isMatch(pet: CreatedPet, { status }: Listing): boolean {
  return pet.sent !== undefined && (status === 'any' || statusOfPet(pet) === status);
}

/** The same request once more, exactly as it was sent. */
export function again({ operation, request }: Exchange, credential?: SentCredential): PlannedRequest {
  const { 'content-type': contentType, ...headers } = request.headers;
  return {
    operation,
    method: request.method,
    target: request.target,
    ...(request.body === undefined ? {} : { body: request.body }),
    ...(contentType === undefined ? {} : { contentType }),
    headers,
    ...(credential === undefined ? {} : { credential }),
  };
}

const sameQuery = (one: Page, other: Page): boolean => one.exchange.request.target === other.exchange.request.target;

/** The latest page of each query that the interface shows. */
function latestPages({ pages }: World): readonly Page[] {
  const latest = new Map<string, Page>();
  for (const page of pages) {
    const { target } = page.exchange.request;
    if (isAllowed(readListing(page.exchange)) && page.exchange.sent > (latest.get(target)?.exchange.sent ?? 0))
      latest.set(target, page);
  }
  return [...latest.values()];
}

const isFull = (page: Page): boolean => page.isCut || page.entries.length >= pageSize(readListing(page.exchange));

/** Whether the limit may come before the filter: an unfiltered page of that limit is full. */
function mayBeCutBeforeFilter({ pages }: World, listing: Listing): boolean {
  return pages.some((page) => {
    const other = readListing(page.exchange);
    return other.status === 'any' && isAllowed(other) && pageSize(other) === pageSize(listing) && isFull(page);
  });
}

/** Whether a page of the query held more while fewer animals of the run matched, so that this one is not cut at its length. */
function wasLonger({ pages }: World, page: Page): boolean {
  return pages.some((other) => sameQuery(other, page) && other.entries.length > page.entries.length);
}

/** Whether a page may have had room for animals that it lacks. */
function mayHaveRoom(world: World, page: Page): boolean {
  const listing = readListing(page.exchange);
  return !isFull(page) && (listing.status === 'any' || !mayBeCutBeforeFilter(world, listing));
}

/** Whether the exchanges show that a page which lacks an animal had room for it. */
function hadRoom(world: World, page: Page, id: bigint): boolean {
  const count = page.entries.length;
  if (count === 0 || world.pages.some(({ entries }) => entries.length > count)) return true;
  // An earlier page lacked it as well, and the query has shown more since.
  return world.pages.some(
    (other) =>
      sameQuery(other, page) &&
      !other.ids.has(id) &&
      other.entries.length < count &&
      happenedBefore(world.createdById.get(id)!.exchange, other.exchange),
  );
}

/** Where animals came and a page kept its length, the service shows no more of them, which is legal. */
const fewestAtCap = 4;

function isAtCap(world: World, page: Page, listing: Listing): boolean {
  const count = page.entries.length;
  const alike = world.pages.filter((other) => sameQuery(other, page));
  const first = alike.find(({ entries }) => entries.length === count);
  if (count === 0 || first === undefined || wasLonger(world, page)) return false;
  const since = createdBefore(world, page.exchange).filter(
    (pet) => isMatch(pet, listing) && happenedBefore(first.exchange, pet.exchange),
  );
  if (since.length < fewestAtCap) return false;
  // A filter that shows none of the animals of the run, while one by another status shows more, has no cap: it is blind.
  const isBlind = listing.status !== 'any' && !world.created.some(({ id }) => page.ids.has(id));
  return !(isBlind && world.pages.some((other) => isLongerFilter(other, listing, count)));
}

function isLongerFilter({ exchange, entries }: Page, listing: Listing, count: number): boolean {
  const other = readListing(exchange);
  return other.status !== 'any' && other.limit === listing.limit && entries.length > count;
}

/** Whether an answer says that it is a copy from before a time. */
function isOlderCopy({ response, endedAt }: Exchange, since: number): boolean {
  const age = Number(response?.headers['age'] ?? 0);
  return age > 0 && endedAt - age * 1_000 < since + 1_000;
}

async function pageAgain(
  ask: Ask,
  request: PlannedRequest,
): Promise<{ exchange: Exchange; count: number } | undefined> {
  const exchange = await ask(request);
  const entries = pageOf(exchange);
  return entries === undefined ? undefined : { exchange, count: entries.length };
}

function claimOf(suspect: CreatedPet, page: Page, world: World): Claim {
  let pet = suspect;
  const listing = readListing(page.exchange);
  const most = pageSize(listing);
  const { target } = page.exchange.request;
  const isFiltered = listing.status !== 'any';
  const whole = `limit=${most}`;
  let count = page.entries.length;

  async function control(ask: Ask): Promise<Exchange | undefined> {
    if (!isFiltered && !isRemoved(world)) {
      const read = await ask(getPet(pet.id));
      return statusOf(read) === 200 && idsShownIn(read).includes(pet.id) ? read : undefined;
    }
    const other = await ask(listPets(isFiltered ? whole : `limit=${most === 100 ? 99 : 100}`));
    const shown = (pageOf(other) ?? []).filter(isJsonObject).find(({ id }) => id === pet.id);
    const isShown = shown !== undefined && (!isFiltered || shown['status'] === listing.status);
    return isShown && (pageOf(other)?.length ?? 0) < (isFiltered ? most : 101) ? other : undefined;
  }

  async function look({ ask }: Means): Promise<Look> {
    const asked = await pageAgain(ask, again(page.exchange));
    if (asked === undefined || isOlderCopy(asked.exchange, pet.exchange.endedAt)) return { result: 'moved' };
    if (idsShownIn(asked.exchange).includes(pet.id) || asked.count >= most) return { result: 'refuted' };
    count = asked.count;
    const shown = await control(ask);
    if (shown === undefined) return { result: 'moved' };
    return { result: 'shown', failing: failureOf(pet, listing, asked.exchange, shown) };
  }

  /** Room: an empty page, or one that grows by one more animal. */
  async function proof({ ask, world: now, newName }: Means): Promise<boolean> {
    const current = now();
    const alike = current.pages.filter((other) => sameQuery(other, page));
    if (count === 0) return true;
    if (isFiltered && !alike.some(({ ids }) => current.created.some(({ id }) => ids.has(id))))
      return current.pages.some((other) => isLongerFilter(other, listing, count));
    // An animal like one that the page shows.
    const shown = alike.at(-1)?.ids ?? page.ids;
    const model = current.created.findLast(({ id, sent }) => sent !== undefined && shown.has(id)) ?? pet;
    const { categoryId, status } = model.sent!;
    const created = await ask(createPet({ name: newName(), categoryId, ...(status && { status }) }));
    if (statusOf(created) !== 201) return false;
    const grown = await pageAgain(ask, { ...listPets(), target });
    const isGrown = grown !== undefined && grown.count === count + 1;
    // A page that lacks the newest animal has one more to lack.
    const newest = now().created.find(({ exchange }) => exchange === created);
    const isShown = grown !== undefined && idsShownIn(grown.exchange).includes(pet.id);
    if (isGrown && isShown && newest !== undefined && !idsShownIn(grown.exchange).includes(newest.id)) pet = newest;
    count = grown?.count ?? count;
    return isGrown;
  }

  return {
    requirement: 'list-complete',
    code: 'animal-missing',
    key: `list-complete ${target}`,
    exchange: page.exchange,
    takesTime: true,
    cost: 2,
    ...(hadRoom(world, page, suspect.id) ? {} : { condition: proof }),
    look,
    proof,
  };
}

function failureOf(pet: CreatedPet, listing: Listing, asked: Exchange, control: Exchange) {
  const count = pageOf(asked)?.length ?? 0;
  const name = showJson(pet.returned['name']);
  const what =
    listing.status === 'any'
      ? {
          expected: `the animal ${pet.id} (${name}), which getPet finds, on a page with room`,
          received: `${count} others`,
        }
      : count === 0
        ? {
            expected: `status=${listing.status} to find the animal ${pet.id} (${name})`,
            received: `an empty page; the unfiltered page shows it as ${listing.status}`,
          }
        : {
            expected: `status=${listing.status} to find the animal ${pet.id} (${name})`,
            received: `${count} others; the unfiltered page shows it as ${listing.status}`,
          };
  return fails('list-complete', 'animal-missing', what, pet.exchange, asked, control);
}

/** The newest, the oldest and one between: faults lose one of these. */
function suspects(missing: readonly CreatedPet[]): readonly CreatedPet[] {
  return [...new Set([missing.at(-1)!, missing[0]!, missing[missing.length >> 1]!])];
}

/** The pages with the largest limits first, since these have most room; of one limit the unfiltered one. */
function byRoom(one: Page, other: Page): number {
  const room = ({ exchange }: Page): number =>
    2 * pageSize(readListing(exchange)) + (readListing(exchange).status === 'any' ? 1 : 0);
  return room(other) - room(one);
}

export function* claimsOfPages(world: World): Iterable<Claim> {
  const ambiguous = Map.groupBy(world.created, ({ id }) => id);
  for (const page of latestPages(world).toSorted(byRoom)) {
    const listing = readListing(page.exchange);
    const missing = createdBefore(world, page.exchange).filter(
      (pet) => isMatch(pet, listing) && !page.ids.has(pet.id) && ambiguous.get(pet.id)!.length === 1,
    );
    if (missing.length === 0 || isAtCap(world, page, listing)) continue;
    if (mayHaveRoom(world, page)) for (const pet of suspects(missing)) yield claimOf(pet, page, world);
  }
}

/** A page without limit that is not one with limit=20. */
export function* claimsOfDefault(world: World): Iterable<Claim> {
  const latest = latestPages(world).filter(({ exchange }) => exchange.credential.kind === 'valid');
  for (const page of latest) {
    const listing = readListing(page.exchange);
    if (listing.limit !== 'default') continue;
    const twenty = latest.find(({ exchange }) => {
      const other = readListing(exchange);
      return other.limit === 20 && other.status === listing.status;
    });
    if (twenty === undefined || twenty.entries.length === page.entries.length || page.entries.length > 20) continue;
    const [first, last] = [page, twenty].sort((one, other) => one.exchange.sent - other.exchange.sent);
    const isBetween = world.created.some(
      ({ exchange }) => exchange.answered > first!.exchange.sent && exchange.sent < last!.exchange.answered,
    );
    if (!isBetween) yield claimOfDefault(page, twenty);
  }
}

function claimOfDefault(page: Page, twenty: Page): Claim {
  let before: string | undefined;
  return {
    requirement: 'list-limit-default',
    code: 'default-differs',
    key: `list-limit-default ${page.exchange.request.target}`,
    exchange: page.exchange,
    takesTime: true,
    cost: 2,
    async look({ ask }) {
      const without = await pageAgain(ask, again(page.exchange));
      const withTwenty = await pageAgain(ask, again(twenty.exchange));
      if (without === undefined || withTwenty === undefined) return { result: 'moved' };
      const since = Math.min(page.exchange.startedAt, twenty.exchange.startedAt);
      if ([without, withTwenty].some(({ exchange }) => isOlderCopy(exchange, since))) return { result: 'moved' };
      const counts = `${without.count} ${withTwenty.count}`;
      // Pages of varying length say nothing: both must stay as they were.
      if (without.count === withTwenty.count || (before ?? counts) !== counts) return { result: 'refuted' };
      before = counts;
      const facts = {
        expected: `as many animals without limit as with limit=20, ${withTwenty.count}`,
        received: `${without.count}`,
      };
      const failing = fails('list-limit-default', 'default-differs', facts, without.exchange, withTwenty.exchange);
      return { result: 'shown', failing };
    },
  };
}
