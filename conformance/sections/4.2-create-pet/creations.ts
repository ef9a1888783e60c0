/** §4.2 Creations: each carries a name, a category, a status and a way of writing; a refused one is split into its parts. */

import { defined } from '../../../spec/defined.ts';
import type { PetStatus } from '../../../spec/operations.ts';
import { type JsonObject, writeJson } from '../../http/json.ts';
import { statusOf } from '../../http/read-response.ts';
import type { Session } from '../../run/session.ts';
import type { Probe } from '../../run/suite.ts';
import { shapeOf } from '../../world/names.ts';
import { createPetFrom, idsIn, likelyCategories, plainCategory, plainPet } from '../requests.ts';
import { acceptedIn, attemptsIn } from './attempts.ts';
import type { NameOf } from './names.ts';
import type { Writing } from './writings.ts';

/** A target that has refused so many hard names gets no more; each of the first may hold another part that it refuses. */
const mostRefused = 4;

interface LearnedAcceptance {
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
  const isWorthTrying = attempts.length === 0 || accepted.length > 0;
  const refusedHard = refused.filter(({ shape, categoryId }) => shape === undefined && categories.has(categoryId));
  const refusesOther = refused.some(({ shape, categoryId }) => shapes.has(shape) && !likely.has(categoryId));
  return {
    // A shared target gets plain names alone.
    takesHardNames:
      session.settings.isDisposable &&
      isWorthTrying &&
      (refusedHard.length < mostRefused || accepted.some(({ shape }) => shape === undefined)),
    takesOtherCategories: isWorthTrying && (!refusesOther || accepted.some((one) => !likely.has(one.categoryId))),
  };
}

/** The ids of the animals that the run has created; those of others are not put at risk. */
export function createdIds(session: Session): readonly bigint[] {
  return session.exchanges.filter((exchange) => statusOf(exchange) === 201).flatMap(idsIn);
}

/** Whether the target has accepted an animal. */
const hasAccepted = (session: Session): boolean => acceptedIn(session).categories.size > 0;

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

const plainest = (session: Session, changes: JsonObject = {}): string =>
  writeJson({ ...plainPet(session), ...changes });

function bodyOf(session: Session, { name, categoryId, status, write = writeJson }: Creation): string {
  const tag = session.newName();
  return write(defined({ name: name?.(tag) ?? tag, categoryId: categoryId ?? plainCategory(session), status }));
}

const post = (rank: number, body: (session: Session) => string, next?: Probe['next']): Probe => ({
  rank,
  request: (session) => createPetFrom(body(session)),
  ...defined({ next }),
});

/** The creations of one run; what they find out, each knows of the others. */
export function creationsOf(): (rank: number, creation: Creation) => Probe {
  let count = 0;
  let arePlainerSent = false;
  const confirmed = new Set<string>();

  /** The creation without what the target is known to refuse. */
  function worthSending(session: Session, { name, categoryId, ...rest }: Creation): Creation {
    const { takesHardNames, takesOtherCategories } = learnedAcceptance(session);
    // The categories that the user names are worth sending, all of them.
    const { categoryIds } = session.settings;
    count += 1;
    const known = hasAccepted(session) ? categoryIds[count % Math.max(1, categoryIds.length)] : undefined;
    return {
      ...rest,
      ...(takesHardNames && defined({ name })),
      ...defined({ categoryId: takesOtherCategories ? categoryId : known }),
    };
  }

  /** Repeats a refused ordinary body, unchanged and then with a new name, between accepted ones. */
  function confirm(rank: number, creation: Creation, body: string): readonly Probe[] {
    if (confirmed.has(shapeOf(body))) return [];
    confirmed.add(shapeOf(body));
    const control = post(rank, (session) => {
      const { status } = attemptsIn(session).find(({ isAccepted }) => isAccepted) ?? {};
      return plainest(session, defined({ status }));
    });
    const again = post(rank, (session) => bodyOf(session, creation));
    return [post(rank, () => body), control, again, control];
  }

  /** The plainest animals that a target may take, after a plain one was refused and none accepted: one after the other. */
  function plainer(rank: number, session: Session, refused: Creation, body: string, step = 0): readonly Probe[] {
    const isPlainer = step === 0 && session.usePlainerNames();
    const categoryId = isPlainer ? undefined : likelyCategories(session)[step === 0 ? 1 : step];
    if (!isPlainer && (categoryId === undefined || step > 2)) return [];
    return [
      post(
        rank,
        (own) => plainest(own, defined({ categoryId })),
        (own, exchange) =>
          statusOf(exchange) === 201 ? confirm(rank, refused, body) : plainer(rank, own, refused, body, step + 1),
      ),
    ];
  }

  function send(rank: number, wish: Creation, isPart = false): Probe {
    let sent: Creation = wish;
    return {
      rank,
      request(session) {
        if (session.settings.isReadOnly || ((rank > 0 || isPart) && !hasAccepted(session))) return undefined;
        sent = isPart ? wish : worthSending(session, wish);
        return createPetFrom(bodyOf(session, sent));
      },
      next(session, exchange) {
        const { name, categoryId, ...rest } = sent;
        const status = statusOf(exchange) ?? 0;
        if (status < 400 || status >= 500 || status === 401) return [];
        const plain = send(rank, rest);
        if (name !== undefined && categoryId !== undefined) {
          // Either may be the reason.
          const parts = [defined({ name, ...rest }), defined({ categoryId, ...rest })];
          return hasAccepted(session) ? parts.map((part) => send(rank, part, true)) : [plain];
        }
        if (name !== undefined || categoryId !== undefined) return [plain];
        const body = exchange.request.body ?? '';
        if (hasAccepted(session)) return confirm(rank, rest, body);
        if (arePlainerSent) return [];
        arePlainerSent = true;
        return plainer(rank, session, rest, body);
      },
    };
  }
  return (rank, creation) => send(rank, creation);
}
