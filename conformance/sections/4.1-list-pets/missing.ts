/** §4.1 The claim that a page lacks an animal of the run although it has room for it. */

import type { Exchange } from '../../http/exchange.ts';
import { animalsOf, statusOf } from '../../http/read-response.ts';
import { type Claim, type Look, moved, type PlaceOfLook, settled, unprovable } from '../../run/confirm.ts';
import type { Session } from '../../run/session.ts';
import { type Failing, fails } from '../../verdict/finding.ts';
import { counted } from '../../verdict/reasons.ts';
import { isFull, type ListedPage, listedPages, missingAnimals, sightings } from '../../world/animals.ts';
import { arePagesVarying, hasRoomForAny, missingDespiteRoom } from '../../world/room.ts';
import type { CreatedPet, World } from '../../world/world.ts';
import { learnedAcceptance, mayCreate } from '../4.2-create-pet/creations.ts';
import { wasNeverStored } from '../4.3-get-pet/claims.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { drawUnknownId, getPet, worldOf } from '../requests.ts';
import {
  askForPage,
  type Grown,
  growPage,
  type PageSight,
  petAsLargeAs,
  queryOfPage,
  smallestFirst,
} from './growth.ts';

/** Whether a page may show that it lacks an animal. */
export function isComparable({ isDefault, exchange, ids, entries }: ListedPage): boolean {
  // A page without a limit may have another one, which is a claim of its own; but none of 0.
  if (isDefault && entries.length > 0) return false;
  return exchange.credential.kind === 'valid' && ids.size === entries.length;
}

/** The claim that pages lack an animal. */
interface Lack {
  /** The page that raised the claim. */
  readonly view: ListedPage;
  /** The animals that every look so far has missed, the smallest first; before the first look, those that `view` lacks. */
  readonly missing: readonly CreatedPet[];
  readonly sights: readonly PageSight[];
  /** The answers of the first look. */
  readonly firstShown: readonly Exchange[];
}

/** Of the animals that a look misses, those that every look before has missed as well, the smallest first. */
function missedAgain({ missing, sights }: Lack, lacks: readonly CreatedPet[]): readonly CreatedPet[] {
  const inOrder = smallestFirst(lacks);
  return sights.length === 0 ? inOrder : inOrder.filter((pet) => missing.includes(pet));
}

/** The missing animals for which the page had room at every look. */
function provenIn(session: Session, { missing, sights }: Lack): readonly CreatedPet[] {
  const world = worldOf(session);
  const provenAt = sights.map(({ page, lacks }) => missingDespiteRoom(world, page, lacks));
  return missing.filter((pet) => provenAt.every((proven) => proven.includes(pet)));
}

/** Lets the page of the last look grow, so that it may show its room; undefined if nothing can be created. */
async function showRoom(session: Session, lack: Lack): Promise<Grown | undefined> {
  const sight = lack.sights.at(-1)!;
  if (!mayCreate(session)) return undefined;
  const grown = await growPage(session, sight.page, petAsLargeAs(session, sight));
  const { takesOtherCategories } = learnedAcceptance(session);
  if (provenIn(session, lack).length > 0 || !takesOtherCategories || !mayCreate(session)) return grown;
  // A page may lack the animals of other categories, or hold one of each alone.
  return growPage(session, sight.page, petAsLargeAs(session, sight, drawUnknownId(session)));
}

/** The claim after its first look: it goes on with the animals for which the page had room, as far as they are still missing. */
async function afterFirstLook(session: Session, lack: Lack): Promise<Lack | undefined> {
  const proven = provenIn(session, lack);
  if (proven.length > 0) return { ...lack, missing: proven };
  const grown = await showRoom(session, lack);
  const provenNow = provenIn(session, lack);
  if (grown?.page === undefined || provenNow.length === 0) return undefined;
  const { page, pet } = grown;
  const lacks = missingAnimals(worldOf(session), page);
  const missing = provenNow.filter((one) => lacks.includes(one));
  if (missing.length > 0) return { ...lack, missing };
  // A page that always lacks the newest animal shows it once there is another, which it lacks instead.
  if (pet === undefined || !lacks.includes(pet)) return undefined;
  return { ...lack, missing: [pet], sights: [{ page, lacks }], firstShown: [page.exchange] };
}

/** The claim after its last look, with the animals for which the page had room at every look. */
async function afterLastLook(session: Session, lack: Lack): Promise<Lack | undefined> {
  if (provenIn(session, lack).length === 0) await showRoom(session, lack);
  const missing = provenIn(session, lack);
  return missing.length === 0 ? undefined : { ...lack, missing };
}

/** The claim with one more look, as far as the page has room; `shown`: the answers of this look. */
async function withSight(
  session: Session,
  lack: Lack,
  sight: PageSight,
  shown: readonly Exchange[],
  place: PlaceOfLook,
): Promise<Look> {
  if (arePagesVarying(worldOf(session))) return unprovable;
  const next: Lack = {
    ...lack,
    missing: missedAgain(lack, sight.lacks),
    sights: [...lack.sights, sight],
    firstShown: lack.sights.length === 0 ? shown : lack.firstShown,
  };
  if (place === 'between') return { sight: 'stands', claim: claimOf(session, next) };
  const proven = await (place === 'first' ? afterFirstLook : afterLastLook)(session, next);
  if (proven === undefined) return unprovable;
  return { sight: 'stands', claim: claimOf(session, proven) };
}

/** A page lacks the animal, twice. The control is the animal itself, or that nothing else of the run is gone. */
async function lookAtPage(session: Session, lack: Lack, place: PlaceOfLook): Promise<Look> {
  const page = await askForPage(session, queryOfPage(lack.view));
  if (page === undefined) return settled;
  const [smallest] = missedAgain(lack, missingAnimals(worldOf(session), page));
  if (smallest === undefined) return settled;
  if (!isRemoved(session)) {
    const read = await session.send(getPet(smallest.id));
    const isThere = statusOf(read) !== 404 || (await wasNeverStored(session, smallest));
    if (!isThere) return moved;
  }
  const again = await askForPage(session, queryOfPage(lack.view));
  if (again === undefined || again.entries.length !== page.entries.length || !isComparable(again)) return settled;
  const lacks = missingAnimals(worldOf(session), again);
  if (!missedAgain(lack, lacks).includes(smallest)) return settled;
  return withSight(session, lack, { page: again, lacks }, [page.exchange], place);
}

/**
 * A page by status lacks an animal, twice, that the unfiltered page of the same limit shows with that status in between. A
 * service may apply the limit before the filter, so the unfiltered page must not be full.
 */
async function lookAtFilter(session: Session, lack: Lack, place: PlaceOfLook): Promise<Look> {
  const { most, status } = lack.view;
  const filtered = await askForPage(session, queryOfPage(lack.view));
  if (filtered === undefined) return settled;
  const whole = await askForPage(session, `limit=${most}`);
  if (whole === undefined || isFull(whole)) return settled;
  const again = await askForPage(session, queryOfPage(lack.view));
  if (again === undefined || again.entries.length !== filtered.entries.length) return settled;
  const shown = animalsOf(whole.exchange).flatMap((animal) => (animal['status'] === status ? [animal['id']] : []));
  // Animals that come after those of the unfiltered page may have no room on either.
  const lacks = missingAnimals(worldOf(session), again).filter(({ id }) => shown.includes(id) && !filtered.ids.has(id));
  const proven = missingDespiteRoom(worldOf(session), again, lacks);
  if (missedAgain(lack, proven).length === 0) return settled;
  return withSight(session, lack, { page: again, lacks }, [whole.exchange, again.exchange], place);
}

/** What the looks show: the plainest missing animal, its creation, and the first and the last page without it. */
function failureOfLack({ view, missing, sights, firstShown }: Lack, seconds: number): Failing {
  const [pet] = missing as [CreatedPet];
  const last = sights.at(-1)!.page;
  const { length } = last.entries;
  const { status, most, exchange } = view;
  const shown = length === 0 ? 'an empty page' : `${counted(length, 'animal')} without it`;
  const isEmptyFilter = status !== 'any' && length === 0;
  const found = isEmptyFilter ? `status=${status} finds nothing; it is on the page without a filter` : shown;
  const others = missing.length === 1 ? '' : `; ${missing.length} animals of the run are missing`;
  const facts = {
    expected: `the animal ${pet.id} from GET ${exchange.request.target}, a page with room for ${most}`,
    received: `${found}${others}, ${sights.length} times, until ${seconds} s after its creation`,
  };
  const cited = new Set([...firstShown, last.exchange]);
  return fails('list-complete', 'animal-missing', facts, pet.exchange, ...cited);
}

/** How many animals the longest page of a limit has. */
function longestOf(world: World, most: number): number {
  const ofLimit = listedPages(world).filter((page) => page.most === most);
  return Math.max(0, ...ofLimit.map(({ entries }) => entries.length));
}

function claimOf(session: Session, lack: Lack): Claim {
  const { view, missing } = lack;
  const { status, most, exchange } = view;
  const isFiltered = status !== 'any';
  const world = worldOf(session);
  // The page twice, and the animal, or the page without a filter; and an older animal, once one was seen.
  const cost = isFiltered || sightings(world).size === 0 ? 3 : 4;
  return {
    requirement: 'list-complete',
    // Once a page of this limit is longer, the question may be asked again.
    key: `${exchange.request.target}, at most ${longestOf(world, most)} so far`,
    since: Math.max(...missing.map((pet) => pet.exchange.endedAt)),
    takesTime: true,
    cost,
    // A page without a filter may have to grow.
    costOfProof: isFiltered || hasRoomForAny(view) ? 0 : 2,
    look: (own, place) => (isFiltered ? lookAtFilter : lookAtPage)(own, lack, place),
    failures: (seconds) => [failureOfLack(lack, seconds)],
  };
}

/** The claim of a page that lacks animals, before its first look. */
export function claimOfMissing(session: Session, view: ListedPage): Claim {
  const missing = smallestFirst(missingAnimals(worldOf(session), view));
  return claimOf(session, { view, missing, sights: [], firstShown: [] });
}
