/** §4.1 Pages that claims ask for, and how a page is made to grow, so that it shows its room. */

import { defined } from '../../../spec/defined.ts';
import type { JsonObject } from '../../http/json.ts';
import { idsShownIn, statusOf } from '../../http/read-response.ts';
import { waitToAppear } from '../../run/confirm.ts';
import type { Session } from '../../run/session.ts';
import { type ListedPage, listedPages } from '../../world/animals.ts';
import { namePattern } from '../../world/names.ts';
import { largestOf, textSizeOf } from '../../world/room.ts';
import type { CreatedPet } from '../../world/world.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { createPet, getPet, listPets, plainPet, worldOf } from '../requests.ts';

export const queryOfPage = ({ exchange }: ListedPage): string => exchange.request.target.split('?')[1] ?? '';

/** Sends a listing; undefined if the answer is no page. */
export async function askForPage(session: Session, query: string): Promise<ListedPage | undefined> {
  const exchange = await session.send(listPets(query));
  return listedPages(worldOf(session)).find((page) => page.exchange === exchange);
}

/** A look at a page, and the animals of the run that it should show and lacks. */
export interface PageSight {
  readonly page: ListedPage;
  readonly lacks: readonly CreatedPet[];
}

/** Small animals first, since they fit on a page that has room for anything; of equal ones the newest. */
export function smallestFirst(pets: readonly CreatedPet[]): readonly CreatedPet[] {
  return pets
    .toReversed()
    .toSorted((one, other) => textSizeOf(one.returned).escaped - textSizeOf(other.returned).escaped);
}

/** An animal like those on a page, with a text that is no shorter than that of any animal that the page lacks. */
export function petAsLargeAs(session: Session, { page, lacks }: PageSight, categoryId?: bigint): JsonObject {
  const shown = worldOf(session).created.find(({ id }) => page.ids.has(id))?.sent?.status;
  const plain = plainPet(session, page.status === 'any' ? shown : page.status);
  const tag = String(plain['name']);
  // A name that was accepted, with a tag of its own.
  const longest = smallestFirst(lacks).at(-1)!.sent?.name;
  const name = longest?.replace(namePattern(session.settings), tag) ?? tag;
  const pet = { ...plain, name, ...defined({ categoryId }) };
  const size = textSizeOf(pet);
  const { bytes, units, escaped } = largestOf(lacks);
  const less = Math.max(0, bytes - size.bytes, units - size.units, escaped - size.escaped);
  return { ...pet, name: name + 'a'.repeat(less) };
}

/** A page after an animal was created, and that animal. */
export interface Grown {
  readonly page: ListedPage | undefined;
  readonly pet: CreatedPet | undefined;
}

/** Creates an animal, and asks for the page; once more where that animal is not there yet, as behind a replica. */
export async function growPage(session: Session, view: ListedPage, animal: JsonObject): Promise<Grown> {
  const [id] = idsShownIn(await session.send(createPet(animal)));
  const page = await askForPage(session, queryOfPage(view));
  const pet = id === undefined ? undefined : worldOf(session).createdById.get(id);
  if (pet === undefined || page?.ids.has(pet.id) || isRemoved(session)) return { page, pet };
  if (statusOf(await session.send(getPet(pet.id))) !== 404) return { page, pet };
  await waitToAppear(session, session.settings.settleMs);
  return { page: await askForPage(session, queryOfPage(view)), pet };
}
