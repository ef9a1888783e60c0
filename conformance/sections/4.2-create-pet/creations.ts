/** §4.2 How animals are created on a target that may refuse names and categories: what it refuses gives way to plainer. */

import { type PetStatus, petStatuses } from '../../../spec/operations.ts';
import { type JsonObject, writeJson } from '../../http/json.ts';
import { statusOf } from '../../http/read-response.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Session } from '../../run/session.ts';
import { createPet, createPetFrom, idsIn, likelyCategories, plainCategory, plainPet } from '../requests.ts';
import { acceptedIn, attemptsIn } from './accepted.ts';

/** What a creation should carry where the target takes it. */
export interface CreationWish {
  readonly name?: (tag: string) => string;
  /** Set where a name is worth trying on a target that refuses hard ones. */
  readonly isModeratelyHard?: true;
  readonly categoryId?: bigint;
  readonly status?: PetStatus;
  /** How a hard name is written; the same as all others where nothing is said. */
  readonly write?: (pet: JsonObject) => string;
}

async function isAccepted(session: Session, request: PlannedRequest): Promise<boolean> {
  return statusOf(await session.send(request)) === 201;
}

/** What is worth trying, by what the target did with it so far. */
interface LearnedAcceptance {
  readonly isUnknown: boolean;
  readonly takesHardNames: boolean;
  readonly takesOtherCategories: boolean;
}

/** A refusal tells of a name where the category beside it is accepted, and of a category where the name is. */
export function learnedAcceptance(session: Session): LearnedAcceptance {
  const attempts = attemptsIn(session);
  const { categories, shapes } = acceptedIn(session);
  const likely = new Set(likelyCategories(session));
  const accepted = attempts.filter((attempt) => attempt.isAccepted);
  const refused = attempts.filter((attempt) => attempt.isRefused);
  const isUnknown = attempts.length === 0;
  const isWorthTrying = isUnknown || accepted.length > 0;
  const refusesHard = refused.some(({ shape, categoryId }) => shape === undefined && categories.has(categoryId));
  const refusesOther = refused.some(({ shape, categoryId }) => shapes.has(shape) && !likely.has(categoryId));
  return {
    isUnknown,
    takesHardNames: isWorthTrying && (!refusesHard || accepted.some(({ shape }) => shape === undefined)),
    takesOtherCategories: isWorthTrying && (!refusesOther || accepted.some((one) => !likely.has(one.categoryId))),
  };
}

/** Where integers of some size turn, each with a neighbour. */
const turns = [
  -1n,
  2n ** 32n + 5n,
  -(2n ** 53n) - 1n,
  0n,
  2n ** 31n,
  2n ** 31n - 1n,
  -(2n ** 31n) - 1n,
  2n ** 53n - 1n,
  10n ** 18n + 7n,
  2n ** 32n - 1n,
  -(2n ** 53n),
  2n ** 62n + 1n,
  -(2n ** 63n) + 1n,
  2n ** 63n - 2n,
  2n ** 16n,
  -(2n ** 31n),
  2n ** 53n,
  2n ** 8n,
];

/** A category of a turn where the target takes any, else one that the user names, in turn. */
export function categoryInTurn(session: Session, at: number): bigint {
  if (learnedAcceptance(session).takesOtherCategories) return turns[at % turns.length]!;
  const { categoryIds } = session.settings;
  return categoryIds[at % Math.max(1, categoryIds.length)] ?? plainCategory(session);
}

/** The ids of the animals that the run has created: those of others are not put at risk. */
export function createdIds(session: Session): readonly bigint[] {
  return session.exchanges.filter((exchange) => statusOf(exchange) === 201).flatMap(idsIn);
}

/** Whether any animal was created, so that another may be. */
export function mayCreate(session: Session): boolean {
  return !session.settings.isReadOnly && acceptedIn(session).categories.size > 0;
}

/** The plainest of all, where not even plain names with a tag are taken; then of other categories that there may be. */
async function createPlainest(session: Session, status: PetStatus | undefined): Promise<boolean> {
  if (session.usePlainerNames() && (await isAccepted(session, createPet(plainPet(session, status))))) return true;
  for (const categoryId of likelyCategories(session).slice(1, 3)) {
    if (await isAccepted(session, createPet({ ...plainPet(session, status), categoryId }))) return true;
  }
  return false;
}

/** Creates one animal with what is wanted, or without what the target refuses of it. */
export async function createAccepted(session: Session, wanted: CreationWish): Promise<boolean> {
  const { isUnknown, takesHardNames, takesOtherCategories } = learnedAcceptance(session);
  const { name, isModeratelyHard: isMild = false, categoryId, status, write = writeJson } = wanted;
  const state = status === undefined ? {} : { status };
  for (const category of takesOtherCategories && categoryId !== undefined ? [categoryId, undefined] : [undefined]) {
    const rest = { categoryId: category ?? plainCategory(session), ...state };
    if (name !== undefined && (takesHardNames || isMild)) {
      if (await isAccepted(session, createPetFrom(write({ name: name(session.newName()), ...rest })))) return true;
    }
    if (await isAccepted(session, createPet({ name: session.newName(), ...rest }))) return true;
  }
  return isUnknown && createPlainest(session, status);
}

/** Makes a request anew, each time with a name of its own. */
export type Make = () => PlannedRequest;

/** Sends what is accepted around what was refused: only that tells that it was not the name. */
async function confirmRefusal(session: Session, refused: Make, accepted: Make): Promise<void> {
  if (!(await isAccepted(session, accepted()))) return;
  if (!(await isAccepted(session, refused()))) await session.send(accepted());
}

/** Creates one animal in a way that the interface fixes, `make`; false where it is refused. */
export async function createInWay(session: Session, make: Make, status?: PetStatus): Promise<boolean> {
  if (await isAccepted(session, make())) return true;
  await confirmRefusal(session, make, () => createPet(plainPet(session, status)));
  return false;
}

/** Asks again for plain animals of each status, or of none, that was refused where another was accepted. */
export async function confirmStatuses(session: Session): Promise<void> {
  const attempts = attemptsIn(session);
  const plain = attempts.filter(({ shape }) => shape !== undefined);
  const accepted = [...plain, ...attempts].find(({ isAccepted: is }) => is);
  if (accepted === undefined) return;
  const categoryId = plainCategory(session);
  for (const status of [...petStatuses, undefined]) {
    const alike = plain.filter((one) => one.status === status && one.categoryId === categoryId);
    if (!alike.some(({ isRefused }) => isRefused) || alike.some(({ isAccepted: is }) => is)) continue;
    await confirmRefusal(
      session,
      () => createPet(plainPet(session, status)),
      () => createPet(plainPet(session, accepted.status)),
    );
  }
}
