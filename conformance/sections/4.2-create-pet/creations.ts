/** §4.2 Creations: each carries a name, a category, a status and a way of writing; a refused one is split into its parts. */

import { defined } from '../../../spec/defined.ts';
import type { PetStatus } from '../../../spec/operations.ts';
import { writeJson } from '../../http/json.ts';
import { statusOf } from '../../http/read-response.ts';
import type { Session } from '../../run/session.ts';
import type { Probe } from '../../run/suite.ts';
import { shapeOf } from '../../world/names.ts';
import { createPetFrom, likelyCategories, plainCategory } from '../requests.ts';
import { attemptsIn, learnedIn } from './attempts.ts';
import type { NameOf } from './names.ts';
import type { Writing } from './writings.ts';

/** A target that has refused so many hard names gets no more; each of the first may hold another part that it refuses. */
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
  // Takes turns; undefined if the user names none.
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

/** So many plainer animals are tried, with other categories. */
const mostPlainer = 3;

/** The creations of one run; they share what the answers to them have shown. */
export function creationsOf(): (rank: number, creation: Creation) => Probe {
  let arePlainerSent = false;
  const sentAgain = new Set<string>();

  /**
   * Asks twice more for an animal that was refused although it is ordinary, with new names, between two creations that were
   * accepted before: they show that the key may still create, and that the refused animal is the reason.
   */
  function sendAgain(rank: number, creation: Creation, body: string): readonly Probe[] {
    if (sentAgain.has(shapeOf(body))) return [];
    sentAgain.add(shapeOf(body));
    const control = post(rank, (session) => {
      const { status } = attemptsIn(session).find(({ isAccepted }) => isAccepted) ?? {};
      return bodyFor(session, { status });
    });
    const again = post(rank, (session) => bodyFor(session, creation));
    return [control, again, again, control];
  }

  /** Plainer animals, one after the other, after a plain one was refused and none accepted. */
  function plainer(rank: number, refused: Creation, body: string, left = mostPlainer): readonly Probe[] {
    const next: Probe['next'] = (_session, exchange) =>
      statusOf(exchange) === 201 ? sendAgain(rank, refused, body) : plainer(rank, refused, body, left - 1);
    return left === 0 ? [] : [post(rank, (session) => bodyFor(session, {}), next)];
  }

  return function send(rank: number, wish: Creation): Probe {
    let sent = wish;
    return {
      rank,
      request(session) {
        if (session.settings.isReadOnly || (rank > 0 && !hasAccepted(session))) return undefined;
        sent = worthSending(session, wish);
        return createPetFrom(bodyFor(session, sent));
      },
      next(session, exchange) {
        const { name, categoryId, ...rest } = sent;
        const status = statusOf(exchange) ?? 0;
        if (status < 400 || status >= 500 || status === 401) return [];
        // The name or the category may be the reason, so each is sent without the other.
        if (name !== undefined && categoryId !== undefined && hasAccepted(session))
          return [send(rank, { ...rest, name }), send(rank, { ...rest, categoryId })];
        if (name !== undefined || categoryId !== undefined) return [send(rank, rest)];
        const body = exchange.request.body ?? '';
        if (hasAccepted(session)) return sendAgain(rank, rest, body);
        if (arePlainerSent) return [];
        arePlainerSent = true;
        return plainer(rank, rest, body);
      },
    };
  };
}
