/** §4.1 Claims about pages: an animal of the run is missing where it has room, and a page without a limit is no page of 20. */

import { petStatuses } from '../../../spec/operations.ts';
import { happenedBefore } from '../../http/exchange.ts';
import type { JsonObject } from '../../http/json.ts';
import { animalsOf, idsShownIn, pageOf, statusOf } from '../../http/read-response.ts';
import { type Claim, type Look, settled, waitToAppear } from '../../run/confirm.ts';
import type { Session } from '../../run/session.ts';
import { fails } from '../../verdict/finding.ts';
import { counted } from '../../verdict/reasons.ts';
import { isFull, type ListedPage, listedPages, missingAnimals, pagesByQuery, sightings } from '../../world/animals.ts';
import { type CreatedPet, createdBefore, type World } from '../../world/world.ts';
import { learnedAcceptance } from '../4.2-create-pet/creations.ts';
import { wasNeverStored } from '../4.3-get-pet/claims.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { createPet, drawUnknownId, getPet, listPets, plainPet, worldOf } from '../requests.ts';

const queryOf = ({ exchange }: ListedPage): string => exchange.request.target.split('?')[1] ?? '';

/** Sends a listing; undefined if the answer is no page. */
async function askForPage(session: Session, query: string): Promise<ListedPage | undefined> {
  const exchange = await session.send(listPets(query));
  return listedPages(worldOf(session)).find((page) => page.exchange === exchange);
}

/** The claim that pages lack an animal: the newest missing one that is older than one on the latest page, or else the newest. */
interface Lack {
  readonly view: ListedPage;
  pet: CreatedPet;
  /** Whether the latest page shows a later animal, and so is no copy from before this one. */
  isFresh: boolean;
}

/** Asks for the page again; undefined where all animals that count are there now. */
async function askLacking(session: Session, lack: Lack, counts = (_pet: CreatedPet): boolean => true) {
  const page = await askForPage(session, queryOf(lack.view));
  if (page === undefined) return undefined;
  const missing = missingAnimals(worldOf(session), page).filter(counts);
  const newest = worldOf(session).created.findLast(({ id }) => page.ids.has(id))?.exchange;
  const older = newest && missing.findLast(({ exchange }) => happenedBefore(exchange, newest));
  // A page that always lacks the newest animal shows it once there is another.
  const pet = older ?? missing.at(-1);
  if (pet === undefined) return undefined;
  Object.assign(lack, { pet, isFresh: older !== undefined });
  return page;
}

/** A page lacks the animal. The control is the animal itself, or that nothing else of the run is gone. */
async function lookAtPage(session: Session, lack: Lack): Promise<Look> {
  const page = await askLacking(session, lack);
  if (page === undefined) return settled;
  const seen = { exchanges: [page.exchange], isFresh: lack.isFresh };
  if (isRemoved(session)) return { sight: 'shown', ...seen };
  const read = await session.send(getPet(lack.pet.id));
  const isThere = statusOf(read) !== 404 || (await wasNeverStored(session, lack.pet));
  return { sight: isThere ? 'shown' : 'moved', ...seen };
}

/**
 * A page by status lacks an animal that the unfiltered page of the same limit shows with that status. A service may apply the
 * limit before the filter and may cap its pages, so the unfiltered page must be longer, and not full.
 */
async function lookAtFilter(session: Session, lack: Lack): Promise<Look> {
  const { most, status } = lack.view;
  const whole = await askForPage(session, `limit=${most}`);
  if (whole === undefined || isFull(whole)) return settled;
  const shown = animalsOf(whole.exchange).flatMap((animal) => (animal['status'] === status ? [animal['id']] : []));
  const filtered = await askLacking(session, lack, ({ id }) => shown.includes(id));
  if (filtered === undefined || whole.entries.length <= filtered.entries.length) return settled;
  return { sight: 'shown', exchanges: [whole.exchange, filtered.exchange], isFresh: lack.isFresh };
}

/** No service caps its pages at fewer animals. */
const smallestCap = 5;

/** Whether no other page is longer, so that this one may have reached a cap. */
const isLongest = (world: World, { entries }: ListedPage): boolean =>
  listedPages(world).every((other) => other.entries.length <= entries.length);

/** Creates an animal, and asks for the page; once more where that animal is not there yet, as behind a replica. */
async function growPage(session: Session, { view }: Lack, pet: JsonObject): Promise<ListedPage | undefined> {
  const [id] = idsShownIn(await session.send(createPet(pet)));
  const page = await askForPage(session, queryOf(view));
  if (id === undefined || page?.ids.has(id) || isRemoved(session)) return page;
  if (statusOf(await session.send(getPet(id))) !== 404) return page;
  await waitToAppear(session, session.settings.settleMs);
  return askForPage(session, queryOf(view));
}

/**
 * Whether the latest page of a query has room: it is shorter than any cap, shorter than another page, or grows by one more
 * animal. A page that grows is also no old copy.
 */
async function showRoom(session: Session, lack: Lack): Promise<boolean | undefined> {
  const { view } = lack;
  const world = worldOf(session);
  const before = pagesByQuery(world).get(view.query)!.at(-1)!;
  const hasRoom = before.entries.length < smallestCap || !isLongest(world, before);
  if (session.settings.isReadOnly || session.budget.creationsLeft() === 0) return hasRoom || undefined;
  const shown = world.created.find(({ id }) => before.ids.has(id))?.sent?.status;
  const pet = (): JsonObject => plainPet(session, view.status === 'any' ? shown : view.status);
  const grows = async (animal: JsonObject): Promise<boolean> => {
    const after = await growPage(session, lack, animal);
    return after !== undefined && after.entries.length > before.entries.length;
  };
  // A page may lack the animals of other categories, or hold one of each alone.
  if ((await grows(pet())) || hasRoom) return true;
  return learnedAcceptance(session).takesOtherCategories && grows({ ...pet(), categoryId: drawUnknownId(session) });
}

function claimOf(world: World, view: ListedPage, missing: readonly CreatedPet[]): Claim {
  const lack: Lack = { view, pet: missing.at(-1)!, isFresh: false };
  let hasGrown = false;
  const { status, most, exchange } = view;
  const isFiltered = status !== 'any';
  return {
    requirement: 'list-complete',
    // Once another page is longer, the question may be asked again.
    key: `${exchange.request.target}${isLongest(world, view) ? '' : ', shorter than another'}`,
    since: () => lack.pet.exchange.endedAt,
    // The page and the animal, or the page without a filter; and an older animal, once one was seen.
    cost: isFiltered || sightings(world).size === 0 ? 2 : 3,
    needsRoom: true,
    look: async (session, showsRoom) => {
      const look = await (isFiltered ? lookAtFilter : lookAtPage)(session, lack);
      if (look.sight !== 'shown' || !showsRoom) return look;
      const hasRoom = await showRoom(session, lack);
      hasGrown ||= hasRoom === true;
      return (hasRoom ?? hasGrown) ? look : { ...look, sight: 'unprovable' };
    },
    failures: (looks, seconds) => {
      const { pet } = lack;
      const since = looks.filter(({ exchanges: [first] }) => happenedBefore(pet.exchange, first!));
      const { length } = pageOf(since.at(-1)!.exchanges.at(-1)!)!;
      const shown = length === 0 ? 'an empty page' : `${counted(length, 'animal')} without it`;
      const found =
        isFiltered && length === 0 ? `status=${status} finds nothing; it is on the page without a filter` : shown;
      const others = missing.length === 1 ? '' : `; ${missing.length} animals of the run are missing`;
      const facts = {
        expected: `the animal ${pet.id} from GET ${exchange.request.target}, a page with room for ${most}`,
        received: `${found}${others}, ${since.length} times, until ${seconds} s after its creation`,
      };
      const pages = new Set([...since[0]!.exchanges, since.at(-1)!.exchanges.at(-1)!]);
      return [fails('list-complete', 'animal-missing', facts, pet.exchange, ...pages)];
    },
  };
}

const filters = ['any', ...petStatuses] as const;

/** For each filter one claim, for the longest page that lacks animals: the same mistake makes several. */
function claimsOfPages(world: World): readonly Claim[] {
  const latest = [...pagesByQuery(world).values()].map((pages) => pages.at(-1)!);
  // A page without a limit may have another one, which is a claim of its own.
  const lacking = latest
    .filter(({ isDefault, exchange }) => !isDefault && exchange.credential.kind === 'valid')
    .filter(({ ids, entries }) => ids.size === entries.length)
    .map((view) => ({ view, missing: missingAnimals(world, view) }))
    .filter(({ missing }) => missing.length > 0);
  const inOrder = lacking.toSorted((one, other) => other.view.most - one.view.most);
  const chosen = filters.map((filter) => inOrder.find(({ view }) => view.status === filter));
  return chosen.flatMap((one) => (one === undefined ? [] : [claimOf(world, one.view, one.missing)]));
}

/** A page without a limit between two with limit 20 that are as long as each other: other clients change the catalogue. */
async function lookAtDefault(session: Session, without: string, twenty: string): Promise<Look> {
  const before = await askForPage(session, twenty);
  const page = await askForPage(session, without);
  const after = await askForPage(session, twenty);
  if (before === undefined || page === undefined || after === undefined) return settled;
  const { length } = before.entries;
  if (after.entries.length !== length || page.entries.length === length) return settled;
  return { sight: 'shown', exchanges: [before.exchange, after.exchange, page.exchange] };
}

function claimOfDefault(world: World, view: ListedPage): Claim {
  const without = queryOf(view);
  const twenty = `limit=20${without && `&${without}`}`;
  return {
    requirement: 'list-limit-default',
    key: `default ${view.status}`,
    since: () => world.created.at(-1)?.exchange.endedAt ?? view.exchange.endedAt,
    cost: 3,
    look: (session) => lookAtDefault(session, without, twenty),
    failures: (looks) => {
      const { exchanges } = looks.at(-1)!;
      const lengths = exchanges.map((exchange) => pageOf(exchange)?.length);
      const facts = {
        expected: `${lengths.at(0)} animals from GET /pets${without && `?${without}`}, as from GET /pets?${twenty} just before and after`,
        received: `${lengths.at(-1)}`,
      };
      return [fails('list-limit-default', 'default-differs', facts, ...exchanges)];
    },
  };
}

/** The filters with which the latest page without a limit differs from what other pages show. */
function claimsOfDefaults(world: World): readonly Claim[] {
  return filters.flatMap((filter): readonly Claim[] => {
    const ofFilter = listedPages(world).filter(
      ({ status, exchange }) => status === filter && exchange.credential.kind === 'valid',
    );
    const view = ofFilter.findLast(({ isDefault }) => isDefault);
    const length = view?.entries.length ?? 0;
    if (view === undefined || length > 20) return [];
    // Only a page that the run added no animal before or since can be compared.
    const count = createdBefore(world, view.exchange).length;
    const comparable = ofFilter.filter(({ exchange }) => createdBefore(world, exchange).length === count);
    const twenty = comparable.findLast(({ most, isDefault }) => most === 20 && !isDefault);
    const longest = Math.max(0, ...comparable.filter(({ most }) => most >= 20).map(({ entries }) => entries.length));
    // Without a page of 20 to compare with, only one that is longer raises the question; a filtered one may be capped.
    const expected = twenty?.entries.length ?? Math.min(20, Math.max(length, longest));
    return length === expected ? [] : [claimOfDefault(world, view)];
  });
}

export const claimsOfListings = (session: Session): readonly Claim[] => {
  const world = worldOf(session);
  return [...claimsOfPages(world), ...claimsOfDefaults(world)];
};
