/** §4.1 List all animals: judges answers, limits, the default and filters. */

import { pageLimit } from '../../../spec/operations.ts';
import { isError } from '../../http/documented.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isInt64, isJsonObject, showJson } from '../../http/json.ts';
import { isAllowed, pageSize, queryOf, readListing } from '../../http/read-request.ts';
import { bodyInWords, bodyOf, isAnimal, pointerTo, statusOf } from '../../http/read-response.ts';
import { type Finding, fails, holds, type Judge } from '../../verdict/finding.ts';
import { createdByName, isGroundSteady, type ListedPage, listedPages } from '../../world/animals.ts';
import { countKnownBefore, createdBefore, isAuthorized, type Page, type World } from '../../world/world.ts';

const authorizedListings = ({ answered }: World): readonly Exchange[] =>
  answered.filter((exchange) => exchange.operation === 'listPets' && isAuthorized(exchange));

/** Whether a 403 may say that the key is banned or blocked from now on (§5, §8): no later listing with it was served. */
function mayBeBan({ answered }: World, exchange: Exchange): boolean {
  const isServedLater = (other: Exchange): boolean =>
    other.operation === 'listPets' &&
    other.credential.kind === exchange.credential.kind &&
    statusOf(other) === 200 &&
    happenedBefore(exchange, other);
  return statusOf(exchange) === 403 && !answered.some(isServedLater);
}

/** Judges the status and that the body is an array of animals; §2 judges the animals. */
function judgeListing(world: World, exchange: Exchange): readonly Finding[] {
  const status = statusOf(exchange);
  if (status !== 200) {
    const isAllowedListing = isAllowed(readListing(exchange));
    // §5 judges 401; how the service answers a listing that is not allowed, or a key in another form, is open.
    if (!isAllowedListing || status === 401 || exchange.credential.kind === 'lenient') return [];
    if (mayBeBan(world, exchange)) return [];
    const facts = { expected: `200 for GET ${exchange.request.target}`, received: `${status}`, status };
    return [fails('list-answer', 'unexpected-status', facts, exchange)];
  }
  const body = bodyOf(exchange);
  // §1 reports a body that is no JSON.
  if (body === undefined) return [];
  if (!Array.isArray(body)) {
    const facts = { expected: 'an array of animals', received: showJson(body) };
    return [fails('list-answer', 'not-an-array', facts, exchange)];
  }
  const at = body.findIndex((entry) => !isAnimal(entry));
  if (at === -1) return [holds('list-answer', exchange)];
  const facts = { expected: 'animals in the array', received: showJson(body[at]), pointer: `/${at}` };
  return [fails('list-answer', 'not-an-animal', facts, exchange)];
}

/** "Maximum number of animals returned" (§4.1): a page has no more animals than its limit, or than the default. */
function judgePageSize(world: World, page: Page): readonly Finding[] {
  const { exchange, entries } = page;
  const listing = readListing(exchange);
  const most = pageSize(listing);
  const requirement = listing.limit === 'default' && isAllowed(listing) ? 'list-limit-default' : 'list-limit';
  if (entries.length > most) {
    const received = `${entries.length > pageLimit.most ? `more than ${pageLimit.most}` : entries.length} animals`;
    const facts = { expected: `a page of at most ${most}`, received };
    return [fails(requirement, 'too-many', facts, exchange)];
  }
  // A page proves the limit only where more animals match.
  const matching = listing.status === 'invalid' ? 0 : countKnownBefore(world, exchange, listing.status);
  return matching > most && entries.length === most ? [holds(requirement, exchange)] : [];
}

/** "Filters animals by availability status" (§4.1): a page by a status shows only animals of it. */
function judgeFilter(world: World, { exchange, entries }: Page): readonly Finding[] {
  const { limit, status, isOpen } = readListing(exchange);
  // How the service answers a limit that is not allowed is open, the filter included.
  if (isOpen || limit === 'invalid' || status === 'any' || status === 'invalid') return [];
  const other = entries.filter(isAnimal).find((animal) => animal['status'] !== status);
  if (other !== undefined) {
    const shown = other['status'] === undefined ? 'without status' : `with status ${showJson(other['status'])}`;
    const pointer = pointerTo(exchange, other, 'status');
    const facts = { expected: `only animals that are ${status}`, received: `one ${shown}`, pointer };
    return [fails('list-status-filter', 'other-status', facts, exchange)];
  }
  // The filter is proven only where it had animals to leave out.
  const others = countKnownBefore(world, exchange, 'any') - countKnownBefore(world, exchange, status);
  return others > 0 ? [holds('list-status-filter', exchange)] : [];
}

/**
 * A page with an animal of the run is evidence; what a page lacks is a claim (claims.ts). An animal that was created has the
 * id of its 201 in pages.
 */
function judgeComplete(world: World, { exchange, entries, ids }: ListedPage): readonly Finding[] {
  const shown = entries.filter(isJsonObject);
  for (const entry of shown) {
    const { id, name } = entry;
    const pet = createdByName(world).get(name ?? null);
    if (pet === undefined || !isInt64(id) || !happenedBefore(pet.exchange, exchange)) continue;
    if (shown.some((other) => other['id'] === pet.id && other['name'] === name)) {
      // If another animal of the run has the id, §2 reports that it shows this name.
      if (world.createdById.has(id)) continue;
      const facts = { expected: 'one animal for one request', received: `${pet.id} and ${id}` };
      return [fails('create-answer', 'created-twice', facts, pet.exchange, exchange)];
    }
    const facts = {
      expected: `the animal ${pet.id} in pages under the id of its 201`,
      received: `its name with the id ${id}`,
      pointer: pointerTo(exchange, entry, 'id'),
    };
    if (isGroundSteady(world, exchange, pet))
      return [fails('list-complete', 'id-differs', facts, pet.exchange, exchange)];
  }
  return createdBefore(world, exchange).some((pet) => ids.has(pet.id)) ? [holds('list-complete', exchange)] : [];
}

/** A limit out of its range or a status that is none is refused with 4xx and an Error: §4.1 does not say so, so it is advised. */
function judgeRefusedQuery(exchange: Exchange): readonly Finding[] {
  const listing = readListing(exchange);
  if (listing.isOpen || isAllowed(listing) || exchange.credential.kind === 'lenient') return [];
  // Where both are wrong, a refusal does not say which one it refuses.
  if (listing.limit === 'invalid' && listing.status === 'invalid') return [];
  const isOfLimit = listing.limit === 'invalid';
  const requirement = isOfLimit ? 'list-limit-refused' : 'list-status-refused';
  const name = isOfLimit ? 'limit' : 'status';
  const parameter = isOfLimit ? 'limit' : 'status filter';
  const input = { name, value: showJson(queryOf(exchange).get(name) ?? '') };
  const status = statusOf(exchange) ?? 0;
  if (status >= 500) return [];
  if (status < 400) {
    const facts = { expected: `a refusal of the ${parameter} ${input.value}`, received: `${status}`, status, input };
    return [fails(requirement, 'not-refused', facts, exchange)];
  }
  if (isError(exchange)) return [holds(requirement, exchange)];
  const facts = { expected: `an Error with the ${status}`, received: bodyInWords(exchange), input };
  return [fails(requirement, 'refusal-without-error', facts, exchange)];
}

export const listPetsJudges: readonly Judge[] = [
  {
    id: 'listings-answer',
    verifies: ['list-answer'],
    judge: (world) => authorizedListings(world).flatMap((one) => judgeListing(world, one)),
  },
  {
    id: 'pages-keep-the-limit',
    verifies: ['list-limit', 'list-limit-default'],
    judge: (world) => world.pages.flatMap((page) => judgePageSize(world, page)),
  },
  {
    id: 'filter-leaves-out-others',
    verifies: ['list-status-filter'],
    judge: (world) => world.pages.flatMap((page) => judgeFilter(world, page)),
  },
  {
    id: 'pages-are-complete',
    verifies: ['list-complete', 'create-answer'],
    judge: (world) => listedPages(world).flatMap((view) => judgeComplete(world, view)),
  },
  {
    id: 'disallowed-queries-are-refused',
    verifies: ['list-limit-refused', 'list-status-refused'],
    judge: (world) => authorizedListings(world).flatMap(judgeRefusedQuery),
  },
];
