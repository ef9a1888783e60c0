/** §4.1 List all animals: judges answers, limits and filters, and suspects pages that lack animals. */

import type { FailureCode } from '../../../spec/failure-codes.ts';
import { isError } from '../../http/documented.ts';
import type { Exchange } from '../../http/exchange.ts';
import { showJson } from '../../http/json.ts';
import { isAllowed, pageSize, queryOf, readListing } from '../../http/read-request.ts';
import { bodyOf, isAnimal, pointerTo, statusOf } from '../../http/read-response.ts';
import type { FailureFacts } from '../../verdict/failure.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { countKnownBefore, createdBefore, isAuthorized, type Page, type World } from '../../world/world.ts';
import { unrefusedExcess } from '../8-limits/excess.ts';
import type { Judge } from '../judge.ts';
import { claimsOfDefault, claimsOfPages, isMatch } from './claims.ts';

function listings(world: World): readonly Exchange[] {
  const excess = unrefusedExcess(world);
  return world.answered.filter(
    (exchange) => exchange.operation === 'listPets' && isAuthorized(exchange) && !excess.has(exchange),
  );
}

/** Judges the status and that the body is an array of animals; §2 judges the animals. */
function judgeAnswer(exchange: Exchange): readonly Finding[] {
  const status = statusOf(exchange);
  const isShown = isAllowed(readListing(exchange));
  const answer = (code: FailureCode, facts: FailureFacts): readonly Finding[] => [
    fails('list-answer', code, facts, exchange),
  ];
  if (status !== 200) {
    // §5 judges 401; how the service answers a listing that is not allowed, or a key in another form, is open.
    if (!isShown || status === 401 || status === 403 || exchange.credential.kind === 'lenient') return [];
    return answer('unexpected-status', {
      expected: `200 for GET ${exchange.request.target}`,
      received: `${status}`,
      status,
    });
  }
  const body = bodyOf(exchange);
  // §1 reports a body that is no JSON.
  if (body === undefined) return [];
  if (!Array.isArray(body))
    return answer('not-an-array', { expected: `an array of animals`, received: `${showJson(body)}` });
  const notAnimal = body.find((entry) => !isAnimal(entry));
  if (notAnimal !== undefined) {
    return answer('not-an-animal', {
      expected: 'animals in the array',
      received: showJson(notAnimal),
      pointer: `/${body.indexOf(notAnimal)}`,
    });
  }
  return [holds('list-answer', exchange)];
}

function judgeLimit(world: World, { exchange, entries, isCut }: Page): readonly Finding[] {
  const listing = readListing(exchange);
  const most = pageSize(listing);
  const requirement = listing.limit === 'default' && isAllowed(listing) ? 'list-limit-default' : 'list-limit';
  if (entries.length > most) {
    const count = isCut ? `more than ${entries.length - 1}` : String(entries.length);
    return [
      fails(requirement, 'too-many', { expected: `a page of at most ${most}`, received: `${count} animals` }, exchange),
    ];
  }
  // A page proves the limit only where more animals match.
  const matching = listing.status === 'invalid' ? 0 : countKnownBefore(world, exchange, listing.status);
  return matching > most && entries.length === most ? [holds(requirement, exchange)] : [];
}

function judgeFilter(world: World, { exchange, entries }: Page): readonly Finding[] {
  const { limit, status, isOpen } = readListing(exchange);
  // How the service answers a limit that is not allowed is open, the filter included.
  if (isOpen || limit === 'invalid' || status === 'any' || status === 'invalid') return [];
  const other = entries.filter(isAnimal).find((animal) => animal['status'] !== status);
  if (other !== undefined) {
    const shown = other['status'] === undefined ? 'without status' : `with status ${showJson(other['status'])}`;
    const facts = {
      expected: `only animals that are ${status}`,
      received: `one ${shown}`,
      pointer: pointerTo(exchange, other, 'status'),
    };
    return [fails('list-status-filter', 'other-status', facts, exchange)];
  }
  // The filter is proven only where it had animals to leave out.
  const others = countKnownBefore(world, exchange, 'any') - countKnownBefore(world, exchange, status);
  return others > 0 ? [holds('list-status-filter', exchange)] : [];
}

function judgeRefusal(exchange: Exchange): readonly Finding[] {
  const listing = readListing(exchange);
  if (listing.isOpen || isAllowed(listing) || exchange.credential.kind === 'lenient') return [];
  // Where both are wrong, a refusal does not say which one it refuses.
  if (listing.limit === 'invalid' && listing.status === 'invalid') return [];
  const [requirement, parameter] =
    listing.limit === 'invalid'
      ? (['list-limit-refused', 'limit'] as const)
      : (['list-status-refused', 'status'] as const);
  const status = statusOf(exchange) ?? 0;
  const input = { name: parameter, value: showJson(queryOf(exchange).get(parameter) ?? '') };
  if (status >= 500) return [];
  if (status < 400) {
    const facts = {
      expected: `a refusal of the ${parameter === 'status' ? 'status filter' : parameter} ${input.value}`,
      received: `${status}`,
      status,
      input,
    };
    return [fails(requirement, 'not-refused', facts, exchange)];
  }
  if (isError(exchange)) return [holds(requirement, exchange)];
  const facts = { expected: `an Error with the ${status}`, received: `${showJson(bodyOf(exchange))}`, input };
  return [fails(requirement, 'refusal-without-error', facts, exchange)];
}

/** A page with room that shows animals of the run is evidence; one that lacks some leaves a claim. */
function judgeComplete(world: World, page: Page): readonly Finding[] {
  const listing = readListing(page.exchange);
  if (!isAllowed(listing) || page.entries.length >= pageSize(listing)) return [];
  const own = createdBefore(world, page.exchange).filter((pet) => isMatch(pet, listing));
  return own.length > 0 && own.every(({ id }) => page.ids.has(id)) ? [holds('list-complete', page.exchange)] : [];
}

export const listPetsJudges: readonly Judge[] = [
  {
    id: 'listings-answer',
    verifies: ['list-answer'],
    title: 'An allowed listing answers 200 with an array of animals',
    scope: 'record',
    judge: (world) => listings(world).flatMap(judgeAnswer),
  },
  {
    id: 'pages-keep-the-limit',
    verifies: ['list-limit', 'list-limit-default'],
    title: 'No page is longer than its limit, and without one it is a page of 20',
    scope: 'key',
    judge: (world) => world.pages.flatMap((page) => judgeLimit(world, page)),
    claims: claimsOfDefault,
  },
  {
    id: 'filter-leaves-out-others',
    verifies: ['list-status-filter'],
    title: 'A listing by status holds only animals of that status',
    scope: 'key',
    judge: (world) => world.pages.flatMap((page) => judgeFilter(world, page)),
  },
  {
    id: 'pages-are-complete',
    verifies: ['list-complete'],
    title: 'A page with room holds every animal of the run that matches',
    scope: 'key',
    judge: (world) => world.pages.flatMap((page) => judgeComplete(world, page)),
    claims: claimsOfPages,
  },
  {
    id: 'disallowed-queries-are-refused',
    verifies: ['list-limit-refused', 'list-status-refused'],
    title: 'A limit or status that is not allowed is refused with an Error',
    scope: 'record',
    judge: (world) => listings(world).flatMap(judgeRefusal),
  },
];
