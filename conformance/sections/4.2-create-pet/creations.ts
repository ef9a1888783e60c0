/** §4.2 Creations: each carries a name, a category, a status and a way of writing; a refused one is split into its parts. */

import { defined } from '../../../spec/defined.ts';
import type { PetStatus } from '../../../spec/operations.ts';
import { writeJson } from '../../http/json.ts';
import { statusOf } from '../../http/read-response.ts';
import type { Session } from '../../run/session.ts';
import type { Probe } from '../../run/suite.ts';
import { shapeOf } from '../../world/names.ts';
import { createPetFrom, likelyCategories, plainCategory } from '../requests.ts';
import { attemptsIn, isContentRefused, learnedIn } from './attempts.ts';
import type { NameOf } from './names.ts';
import type { Writing } from './writings.ts';

/** After so many refused hard names the target gets no more of them; each of the first ones may hold another part that it refuses. */
const mostRefused = 4;

/** Learns from the creations so far: a refusal is due to the name if its category is known to be accepted, and vice versa. */
export function learnedAcceptance(session: Session) {
  const attempts = attemptsIn(session);
  const { categories, isPlainAccepted } = learnedIn(session);
  const likely = new Set(likelyCategories(session));
  const accepted = attempts.filter((attempt) => attempt.isAccepted);
  const refused = attempts.filter((attempt) => attempt.isRefused);
  const isWorthTrying = attempts.length === 0 || accepted.length > 0;
  const refusedHard = refused.filter(({ isPlain, categoryId }) => !isPlain && categories.has(categoryId));
  const refusesOther = refused.some(({ isPlain, categoryId }) => isPlain && isPlainAccepted && !likely.has(categoryId));
  return {
    // A shared target gets plain names alone.
    takesHardNames:
      session.settings.isDisposable &&
      isWorthTrying &&
      (refusedHard.length < mostRefused || accepted.some(({ isPlain }) => !isPlain)),
    takesOtherCategories: isWorthTrying && (!refusesOther || accepted.some((one) => !likely.has(one.categoryId))),
  };
}

const hasAccepted = (session: Session): boolean => learnedIn(session).categories.size > 0;

/** Whether the run may create another animal, and the target has accepted one. */
export function mayCreate(session: Session): boolean {
  const { settings, budget } = session;
  return !settings.isReadOnly && budget.creationsLeft() > 0 && hasAccepted(session);
}

export interface Creation {
  readonly name?: NameOf | undefined;
  readonly categoryId?: bigint | undefined;
  readonly status?: PetStatus | undefined;
  readonly write?: Writing | undefined;
}

export function bodyFor(session: Session, { name, categoryId, status, write = writeJson }: Creation): string {
  const tag = session.newName();
  return write(defined({ name: name?.(tag) ?? tag, categoryId: categoryId ?? plainCategory(session), status }));
}

/** The creation without what the target is known to refuse; in place of its category, one of those that the user names. */
export function worthSending(session: Session, { name, categoryId, ...rest }: Creation): Creation {
  const { takesHardNames, takesOtherCategories } = learnedAcceptance(session);
  const { categoryIds } = session.settings;
  // One category after the other; undefined if the user names none.
  const named = categoryIds[attemptsIn(session).length % categoryIds.length];
  return {
    ...rest,
    ...(takesHardNames && { name }),
    ...(categoryId !== undefined && { categoryId: takesOtherCategories ? categoryId : named }),
  };
}

const post = (rank: number, body: (session: Session) => string, next?: Probe['next']): Probe => ({
  rank,
  request: (session) => createPetFrom(body(session)),
  ...defined({ next }),
});

/** What the creations of one run share: which further requests it has sent because of refusals. */
interface FollowUps {
  /** The shapes of the refused bodies that were sent again. */
  readonly repeatedShapes: Set<string>;
  arePlainerSent: boolean;
}

/**
 * Asks twice more for an animal that was refused although it is ordinary, with new names, between two creations that were
 * accepted before: they show that the key may still create, and that the refused animal is the reason.
 */
function repeatRefused(
  { repeatedShapes }: FollowUps,
  rank: number,
  creation: Creation,
  body: string,
): readonly Probe[] {
  if (repeatedShapes.has(shapeOf(body))) return [];
  repeatedShapes.add(shapeOf(body));
  const control = post(rank, (session) => {
    const { status } = attemptsIn(session).find(({ isAccepted }) => isAccepted) ?? {};
    return bodyFor(session, { status });
  });
  const again = post(rank, (session) => bodyFor(session, creation));
  return [control, again, again, control];
}

/** So many plainer animals are tried, with other categories. */
const mostPlainer = 3;

/** Plainer animals, one after the other, until one is accepted: then the refused one is sent again. */
function sendPlainer(
  followUps: FollowUps,
  rank: number,
  refused: Creation,
  body: string,
  left = mostPlainer,
): readonly Probe[] {
  if (left === 0) return [];
  const next: Probe['next'] = (_session, exchange) => {
    if (statusOf(exchange) === 201) return repeatRefused(followUps, rank, refused, body);
    return sendPlainer(followUps, rank, refused, body, left - 1);
  };
  return [post(rank, (session) => bodyFor(session, {}), next)];
}

/** A refused creation without its name and without its category, either of which may be the reason; none if it has neither. */
function partsOfCreation(session: Session, { name, categoryId, ...rest }: Creation): readonly Creation[] {
  if (name === undefined && categoryId === undefined) return [];
  if (name === undefined || categoryId === undefined || !hasAccepted(session)) return [rest];
  return [
    { ...rest, name },
    { ...rest, categoryId },
  ];
}

function creationProbe(followUps: FollowUps, rank: number, wish: Creation): Probe {
  let sent = wish;
  return {
    rank,
    request(session) {
      if (session.settings.isReadOnly || (rank > 0 && !hasAccepted(session))) return undefined;
      sent = worthSending(session, wish);
      return createPetFrom(bodyFor(session, sent));
    },
    next(session, exchange) {
      if (!isContentRefused(exchange)) return [];
      const parts = partsOfCreation(session, sent);
      if (parts.length > 0) return parts.map((part) => creationProbe(followUps, rank, part));
      const body = exchange.request.body ?? '';
      if (hasAccepted(session)) return repeatRefused(followUps, rank, sent, body);
      if (followUps.arePlainerSent) return [];
      followUps.arePlainerSent = true;
      return sendPlainer(followUps, rank, sent, body);
    },
  };
}

/** Makes the creations of one run. */
export function creationsOf(): (rank: number, creation: Creation) => Probe {
  const followUps: FollowUps = { repeatedShapes: new Set(), arePlainerSent: false };
  return (rank, creation) => creationProbe(followUps, rank, creation);
}
