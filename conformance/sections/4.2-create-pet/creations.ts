/** §4.2 Creates animals on a target that may refuse names and categories: what is refused gives way to something plainer. */

import { defined } from '../../../spec/defined.ts';
import { type PetStatus, petStatuses } from '../../../spec/operations.ts';
import { type JsonObject, writeJson } from '../../http/json.ts';
import { readNewPet } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Session } from '../../run/session.ts';
import { createPet, createPetFrom, idsIn, likelyCategories, plainCategory, plainPet } from '../requests.ts';
import { acceptedIn, attemptsIn } from './accepted.ts';

export interface CreationWish {
  readonly name?: (tag: string) => string;
  /** Set if the name is worth trying on a target that refuses hard names. */
  readonly isModeratelyHard?: true;
  readonly categoryId?: bigint;
  readonly status?: PetStatus;
  /** How a body with the hard name is written. */
  readonly write?: (pet: JsonObject) => string;
}

/** Sends a creation, and tells whether it was accepted. */
export async function isAccepted(session: Session, request: PlannedRequest): Promise<boolean> {
  return statusOf(await session.send(request)) === 201;
}

interface LearnedAcceptance {
  readonly isUnknown: boolean;
  readonly takesHardNames: boolean;
  readonly takesOtherCategories: boolean;
}

/** Learns from the creations so far: a refusal is due to the name if its category is known to be accepted, and vice versa. */
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
    takesHardNames:
      session.settings.isDisposable &&
      isWorthTrying &&
      (!refusesHard || accepted.some(({ shape }) => shape === undefined)),
    takesOtherCategories: isWorthTrying && (!refusesOther || accepted.some((one) => !likely.has(one.categoryId))),
  };
}

export const boundaries: readonly bigint[] = [
  -1n,
  2n ** 32n + 5n,
  -(2n ** 63n),
  -(2n ** 53n) - 1n,
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
  2n ** 60n + 1n,
  -(2n ** 32n) - 5n,
  2n ** 24n + 1n,
  -(10n ** 18n) - 7n,
  -(2n ** 15n),
  123_456_789_012_345_678n,
  2n ** 7n,
  123_456_789n,
];

/** A boundary category by its position if the target accepts any category, else one that the user names. */
export function categoryAt(session: Session, at: number): bigint {
  if (learnedAcceptance(session).takesOtherCategories) return boundaries[at % boundaries.length]!;
  const { categoryIds } = session.settings;
  return categoryIds[at % Math.max(1, categoryIds.length)] ?? plainCategory(session);
}

/** The ids of the animals that the run has created; those of others are not put at risk. */
export function createdIds(session: Session): readonly bigint[] {
  return session.exchanges.filter((exchange) => statusOf(exchange) === 201).flatMap(idsIn);
}

export function plainNames({ exchanges }: Pick<Session, 'exchanges'>): readonly string[] {
  return exchanges.flatMap((exchange) => {
    if (exchange.operation !== 'createPet' || statusOf(exchange) !== 201) return [];
    const reading = readNewPet(exchange);
    return reading.kind === 'valid' && reading.isPlainName ? [reading.pet.name] : [];
  });
}

/** Whether the run may create another animal, and the target has accepted one. */
export function mayCreate(session: Session): boolean {
  const { settings, budget } = session;
  return !settings.isReadOnly && budget.creationsLeft() > 0 && acceptedIn(session).categories.size > 0;
}

/** Creates the plainest animal, after a plain name with a tag was refused; then tries other likely categories. */
async function createPlainest(session: Session, status: PetStatus | undefined): Promise<boolean> {
  if (session.usePlainerNames() && (await isAccepted(session, createPet(plainPet(session, status))))) return true;
  for (const categoryId of likelyCategories(session).slice(1, 3)) {
    if (await isAccepted(session, createPet({ ...plainPet(session, status), categoryId }))) return true;
  }
  return false;
}

/** Creates one animal as wished, or with plainer values in place of those that the target refuses. */
export async function createAccepted(session: Session, wish: CreationWish): Promise<boolean> {
  const { isUnknown, takesHardNames, takesOtherCategories } = learnedAcceptance(session);
  const { name, isModeratelyHard = false, categoryId, status, write = writeJson } = wish;
  for (const category of takesOtherCategories && categoryId !== undefined ? [categoryId, undefined] : [undefined]) {
    const rest = defined({ categoryId: category ?? plainCategory(session), status });
    if (name !== undefined && (takesHardNames || isModeratelyHard)) {
      if (await isAccepted(session, createPetFrom(write({ name: name(session.newName()), ...rest })))) return true;
    }
    if (await isAccepted(session, createPet({ name: session.newName(), ...rest }))) return true;
  }
  return isUnknown && createPlainest(session, status);
}

/** Builds a request with a new name. */
export type BuildRequest = () => PlannedRequest;

/** Repeats a refused request between accepted ones, which shows that the name was not the reason. */
async function confirmRefusal(session: Session, refused: BuildRequest, accepted: BuildRequest): Promise<void> {
  if (!(await isAccepted(session, accepted()))) return;
  if (!(await isAccepted(session, refused()))) await session.send(accepted());
}

/** Sends a creation that no open question allows to refuse; confirms a refusal. Resolves with whether it was accepted. */
export async function createOrConfirm(session: Session, build: BuildRequest, status?: PetStatus): Promise<boolean> {
  if (await isAccepted(session, build())) return true;
  await confirmRefusal(session, build, () => createPet(plainPet(session, status)));
  return false;
}

/** Repeats plain creations of a status (or none) that was refused, if another was accepted. */
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
