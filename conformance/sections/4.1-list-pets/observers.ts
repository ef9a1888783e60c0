/** Observes listings (§4.1): queries that are not allowed, the order and length of pages, and when new animals are shown. */

import type { AnswerId, OpenGapId } from '../../../spec/gaps.ts';
import { isAllowedLimit, pageLimit } from '../../../spec/operations.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { isPetStatus, queryOf, readListing, readPetId } from '../../http/read-request.ts';
import { animalsOf, pageOf, statusOf } from '../../http/read-response.ts';
import { secondMs } from '../../http/tolerances.ts';
import { isFull, listedPages, missingAnimals, sightings } from '../../world/animals.ts';
import { missingDespiteRoom } from '../../world/room.ts';
import {
  type CreatedPet,
  countKnownBefore,
  createdBefore,
  idsOf,
  isAuthorized,
  type Page,
  type World,
} from '../../world/world.ts';
import { reads } from '../4.3-get-pet/reads.ts';
import { type Observe, observationOf, observeEach, selectAnswers } from '../observation.ts';

function isAllowedParameter([name, value]: readonly [string, string]): boolean {
  return (name === 'limit' && isAllowedLimit(value)) || (name === 'status' && isPetStatus(value));
}

/** The length of the longest page of any allowed query: no page that is shorter has reached a cap of the service. */
const longestPage = memoize((world: World): number =>
  Math.max(0, ...listedPages(world).map(({ entries }) => entries.length)),
);

/** How a limit that is not allowed was served. Only in a query without a filter does the limit alone make a page short. */
function limitServedIn(exchange: Exchange, world: World) {
  const query = queryOf(exchange);
  const length = query.has('status') ? undefined : pageOf(exchange)?.length;
  const longest = longestPage(world);
  if (length === undefined) return undefined;
  if (length === 0) return longest > 0 ? 'empty-page' : undefined;
  if (length === pageLimit.usual) return longest > pageLimit.usual ? 'ignored' : undefined;
  const limit = Number(query.get('limit'));
  const isTooSmall = limit < pageLimit.least;
  const isClamped = isTooSmall
    ? length === pageLimit.least && longest > pageLimit.least
    : limit > pageLimit.most && length > pageLimit.usual;
  if (isClamped) return 'clamped';
  return length > pageLimit.usual ? 'largest-page' : undefined;
}

/** Whether the service ignored a parameter that matches no animal, or answered it with an empty page. */
function readMatches(exchange: Exchange, world: World): 'ignored' | 'empty-page' | undefined {
  const length = pageOf(exchange)?.length;
  if (length !== 0) return length === undefined ? undefined : 'ignored';
  const hadAnimals = listedPages(world).some((view) => view.ids.size > 0 && happenedBefore(view.exchange, exchange));
  return hadAnimals ? 'empty-page' : undefined;
}

/** Observes the listings that have one kind of odd parameter, no other that is not allowed, and none twice. */
const eachOdd = <Id extends OpenGapId>(
  isOdd: (name: string, value: string) => boolean,
  served: (exchange: Exchange, world: World) => AnswerId<Id> | undefined,
): Observe<Id> =>
  observeEach(
    selectAnswers((exchange) => {
      if (exchange.operation !== 'listPets' || exchange.credential.kind === 'lenient') return false;
      const query = [...queryOf(exchange)];
      const odd = query.filter((parameter) => !isAllowedParameter(parameter));
      const isClear = new Map(query).size === query.length && isAuthorized(exchange);
      return isClear && odd.length > 0 && odd.every(([name, value]) => isOdd(name, value));
    }),
    ({ exchange }, world) => served(exchange, world),
  );

/** The places on one page of the animals that the next shows as well, in the order of the next. */
function commonPlaces(one: Page, next: Page): readonly number[] {
  const ids = idsOf(one);
  return idsOf(next).flatMap((id) => (ids.includes(id) ? [ids.indexOf(id)] : []));
}

/** Two pairs of animals often point the same way by chance, four rarely do. */
const fewestPairs = 4;
/** Pages that share so many animals are rarely in one order by chance. */
const fewestCommon = 5;

const listOrder: Observe<'list-order'> = (world) => {
  const pages = world.pages.filter(({ exchange }) => exchange.credential.kind !== 'lenient');
  const common = pages.map((page, at) => (at === 0 ? [] : commonPlaces(pages[at - 1]!, page)));
  const differing = common.findIndex((places) => places.some((place, at) => place < places[at - 1]!));
  if (differing !== -1) return observationOf('shuffled', pages[differing]?.exchange);
  // For each two animals of the run that follow each other on a page, others aside: whether the second is newer.
  const pairs = pages.flatMap((page) => {
    const ours = idsOf(page).flatMap((id) => world.createdById.get(id) ?? []);
    return ours.slice(1).flatMap(({ exchange }, at) => {
      const before = ours[at]!.exchange;
      const isRising = happenedBefore(before, exchange);
      return isRising || happenedBefore(exchange, before) ? [isRising] : [];
    });
  });
  if (pairs.length < fewestPairs) return undefined;
  const [longest] = pages.toSorted((one, other) => other.entries.length - one.entries.length);
  if (pairs.every(Boolean)) return observationOf('oldest-first', longest?.exchange);
  if (!pairs.some(Boolean)) return observationOf('newest-first', longest?.exchange);
  const isKept = common.some(({ length }) => length >= fewestCommon);
  return observationOf(isKept ? 'another' : undefined, longest?.exchange);
};

/** An answer that lacks an animal of the run which a later and longer one to the same request shows. */
const lateAnswer = memoize((world: World): Exchange | undefined => {
  const missed = reads(world).filter((read) => statusOf(read) === 404);
  const lacking = [
    ...missed.map((read) => [read, createdBefore(world, read).filter(({ id }) => id === readPetId(read))] as const),
    // A page by status may vary, where the limit comes before the filter.
    ...listedPages(world).flatMap((view) =>
      view.status === 'any' ? [[view.exchange, missingAnimals(world, view)] as const] : [],
    ),
  ];
  const isShown = (one: Exchange, pet: CreatedPet): boolean =>
    (sightings(world).get(pet) ?? []).some(
      (later) =>
        later.request.target === one.request.target &&
        happenedBefore(one, later) &&
        animalsOf(later).length > animalsOf(one).length,
    );
  return lacking.find(([one, pets]) => pets.some((pet) => isShown(one, pet)))?.[0];
});

/** An answer that shows an animal of the run within a second of its creation: at once. */
const promptAnswer = (world: World): Exchange | undefined =>
  [...sightings(world)].flatMap(([pet, shown]) =>
    shown.filter(({ startedAt }) => startedAt - pet.exchange.endedAt < secondMs),
  )[0];

const visibility: Observe<'visibility'> = (world) => {
  const late = lateAnswer(world);
  return late === undefined ? observationOf('at-once', promptAnswer(world)) : observationOf('later', late);
};

/** A page with at least this limit shows whether the service caps pages below it. */
const longLimit = Math.floor(pageLimit.most / 2);
/** A catalogue of fewer animals may fit on a page that is capped. */
const fewestInCatalogue = 20;
/** A fault hardly loses so many animals at once. */
const fewestMissing = 5;

const pageCap: Observe<'page-cap'> = (world) => {
  const views = listedPages(world).filter(({ status, most }) => status === 'any' && most >= longLimit);
  const longest = longestPage(world);
  // Where new animals are shown at once and never later, only a cap leaves them out.
  const isPrompt = promptAnswer(world) !== undefined && lateAnswer(world) === undefined;
  const capped = views.find(
    (view) => view.entries.length === longest && missingAnimals(world, view).length >= fewestMissing,
  );
  if (capped !== undefined && isPrompt) return observationOf('fewer', capped.exchange);
  const whole = views.findLast(
    (view) => view.ids.size >= fewestInCatalogue && missingAnimals(world, view).length === 0,
  );
  return observationOf('as-asked', views.find(isFull)?.exchange ?? whole?.exchange);
};

/** The animals of a shorter page may all match by chance. */
const fewestMatches = 3;

const shortPages: Observe<'short-pages'> = (world) => {
  const longest = longestPage(world);
  // Another key may have animals of its own.
  const filtered = listedPages(world).filter(
    ({ status, most, exchange }) => status !== 'any' && most <= longest && exchange.credential.kind !== 'rate-limit',
  );
  const short = filtered.find((view) => {
    const own = createdBefore(world, view.exchange).filter(({ returned }) => returned['status'] === view.status);
    // A page that ends at a number of bytes is short as well.
    return own.length >= view.most && missingDespiteRoom(world, view).length > 0;
  });
  if (short !== undefined && lateAnswer(world) === undefined)
    return observationOf('limit-before-filter', short.exchange);
  // The first animals of the catalogue cannot all have two different statuses.
  const full = filtered.filter((view) => isFull(view) && view.most >= fewestMatches);
  const other = full.find(({ status }) => status !== full[0]?.status);
  return observationOf('filter-before-limit', other?.exchange);
};

export const listingObservers = {
  'limit-out-of-range': eachOdd(
    // A limit beyond 32 bits may be read as no integer.
    (name, value) => name === 'limit' && /^-?(0|[1-9]\d{0,8})$/.test(value),
    limitServedIn,
  ),
  'limit-not-integer': eachOdd(
    // Some services read text that holds a digit as a number.
    (name, value) => name === 'limit' && /^[a-z]+$/i.test(value),
    (exchange, world) => {
      const answer = limitServedIn(exchange, world);
      return answer === 'clamped' ? undefined : answer;
    },
  ),
  'status-filter-unknown': eachOdd(
    (name, value) => name === 'status' && /^[a-z]+$/i.test(value) && !isPetStatus(value.toLowerCase()),
    readMatches,
  ),
  'unknown-query-parameters': eachOdd(
    // A gateway may refuse odd characters and long queries.
    (name, value) => !/^(limit|status)$/.test(name) && /^[\w=.-]{1,60}$/.test(`${name}=${value}`),
    (exchange, world) => (readListing(exchange).status === 'any' ? readMatches(exchange, world) : undefined),
  ),
  'list-order': listOrder,
  'page-cap': pageCap,
  'short-pages': shortPages,
  visibility,
  // Full pages before the last may name the next one.
  'later-pages': observeEach(
    (world) =>
      listedPages(world).filter(
        (view) => isFull(view) && countKnownBefore(world, view.exchange, view.status) > view.entries.length,
      ),
    ({ exchange }) => {
      const { link = '', ...others } = exchange.response?.headers ?? {};
      if (/rel="?([a-z]+ )*next\b/i.test(link)) return 'link-header';
      return Object.keys(others).some((name) => /next|cursor|continuation/.test(name)) ? 'other-header' : 'none';
    },
  ),
} satisfies { readonly [Id in OpenGapId]?: Observe<Id> };
