/** §4.2 Creations: each carries a name, a category, a status and a way of writing; a refused one is split into its parts. */

import { defined } from '../../../spec/defined.ts';
import { type PetStatus, petStatuses } from '../../../spec/operations.ts';
import { type JsonObject, writeJson } from '../../http/json.ts';
import { statusOf } from '../../http/read-response.ts';
import type { Probe } from '../../run/probe.ts';
import type { Session } from '../../run/session.ts';
import { createPetFrom, idsIn, likelyCategories, plainCategory, plainPet } from '../requests.ts';
import { acceptedIn, attemptsIn } from './accepted.ts';
import { maySend, type NameOf } from './names.ts';
import type { Writing } from './writings.ts';

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
  const refusesHard = refused.some(({ shape, categoryId }) => shape === undefined && categories.has(categoryId));
  const refusesOther = refused.some(({ shape, categoryId }) => shapes.has(shape) && !likely.has(categoryId));
  return {
    takesHardNames:
      session.settings.isDisposable &&
      isWorthTrying &&
      (!refusesHard || accepted.some(({ shape }) => shape === undefined)),
    takesOtherCategories: isWorthTrying && (!refusesOther || accepted.some((one) => !likely.has(one.categoryId))),
  };
}

/** The ids of the animals that the run has created; those of others are not put at risk. */
export function createdIds(session: Session): readonly bigint[] {
  return session.exchanges.filter((exchange) => statusOf(exchange) === 201).flatMap(idsIn);
}

/** Whether the run may create another animal, and the target has accepted one. */
export function mayCreate(session: Session): boolean {
  const { settings, budget } = session;
  return !settings.isReadOnly && budget.creationsLeft() > 0 && acceptedIn(session).categories.size > 0;
}

/** Names of one kind: once the target has refused two and accepted none, no more of them are sent. */
type NameKind = 'first' | 'part' | 'affixed' | 'look-alike' | 'packed' | 'drawn';

export interface Name {
  readonly kind: NameKind;
  readonly of: NameOf;
  /** Names that hold a part of this one each, for a target that refuses it. */
  readonly parts?: readonly NameOf[];
}

export interface Creation {
  readonly name?: Name | undefined;
  readonly categoryId?: bigint | undefined;
  readonly status?: PetStatus | undefined;
  readonly write?: Writing | undefined;
  /** Set where the interface leaves open whether the written body is accepted. */
  readonly isOpen?: true;
  /** Set for a part of what was refused: it shows something only once the target has accepted an animal. */
  readonly isPart?: true;
}

const mostRefused = 2;

/** Whether the target has refused every animal so far, so that only plain ones are worth sending. */
function isRefusedSoFar(session: Session): boolean {
  return attemptsIn(session).length > 0 && acceptedIn(session).categories.size === 0;
}

function wasSentPlain(session: Session, { status }: Creation): boolean {
  return attemptsIn(session).some(
    (one) => one.shape !== undefined && one.status === status && one.categoryId === plainCategory(session),
  );
}

/** A user's own template of names, or a shared target, may leave nothing but plain names. */
const plainest = (session: Session, changes: JsonObject = {}): string =>
  writeJson({ ...plainPet(session), ...changes });

/** Makes the creations of one run, which learn from each other which names are worth sending. */
export function creationsOf(): (rank: number, creation: Creation) => Probe {
  const refused = new Map<NameKind, number>();
  const accepted = new Set<NameKind>();
  let arePlainerSent = false;
  let known = 0;

  /** What of a creation the target has not refused yet. */
  function worthSending(session: Session, { name, categoryId, ...rest }: Creation): Creation {
    if (isRefusedSoFar(session)) return rest;
    const { takesOtherCategories } = learnedAcceptance(session);
    const isRefused = name !== undefined && !accepted.has(name.kind) && (refused.get(name.kind) ?? 0) >= mostRefused;
    const isSent = name !== undefined && !isRefused && maySend(session, name.of(session.newName()));
    // The categories that the user names are worth sending, all of them.
    const { categoryIds } = session.settings;
    known += 1;
    const category = takesOtherCategories ? categoryId : categoryIds[known % Math.max(1, categoryIds.length)];
    return { ...rest, ...(isSent && { name }), ...defined({ categoryId: category }) };
  }

  function bodyOf(session: Session, { name, categoryId, status, write = writeJson }: Creation): string {
    const tag = session.newName();
    const pet = defined({ name: name?.of(tag) ?? tag, categoryId: categoryId ?? plainCategory(session), status });
    return write(pet);
  }

  /** Repeats a refused ordinary body between accepted ones, which shows that only what is ordinary in it was refused. */
  function confirmed(rank: number, creation: Creation): readonly Probe[] {
    const control: Probe = { rank, request: (session) => createPetFrom(plainest(session)) };
    return [control, { rank, request: (session) => createPetFrom(bodyOf(session, creation)) }, control];
  }

  /** The plainest animals that a target may take, after a plain one was refused and none accepted: one after the other. */
  function plainer(rank: number, session: Session, step = 0): readonly Probe[] {
    const isPlainer = step === 0 && session.usePlainerNames();
    const categoryId = isPlainer ? undefined : likelyCategories(session)[step === 0 ? 1 : step];
    if (!isPlainer && (categoryId === undefined || step > 2)) return [];
    return [
      {
        rank,
        request: (own) => createPetFrom(plainest(own, defined({ categoryId }))),
        next: (own, exchange) => (statusOf(exchange) === 201 ? [] : plainer(rank, own, step + 1)),
      },
    ];
  }

  function send(rank: number, wish: Creation): Probe {
    let sent: Creation = wish;
    return {
      rank,
      request(session) {
        if (session.settings.isReadOnly) return undefined;
        if ((rank > 0 || wish.isPart) && acceptedIn(session).categories.size === 0) return undefined;
        sent = worthSending(session, wish);
        return createPetFrom(bodyOf(session, sent));
      },
      next(session, exchange) {
        const { name, categoryId, ...rest } = sent;
        const status = statusOf(exchange) ?? 0;
        if (status === 201 && name !== undefined) accepted.add(name.kind);
        if (status < 400 || status >= 500 || status === 401) return [];
        if (rest.isOpen) return [send(rank, { name, categoryId, status: rest.status })];
        const hasAny = acceptedIn(session).categories.size > 0;
        if (name !== undefined && categoryId !== undefined) {
          // Either may be the reason.
          const parts = [
            { name, ...rest },
            { categoryId, ...rest },
          ].map((part) => send(rank, { ...part, isPart: true }));
          return [...(hasAny ? [] : [send(rank, rest)]), ...parts];
        }
        if (name !== undefined) {
          refused.set(name.kind, (refused.get(name.kind) ?? 0) + (hasAny ? 1 : 0));
          if (name.kind === 'part') return [];
          const parts = (name.parts ?? []).map((of) =>
            send(rank, { name: { kind: 'part', of }, ...rest, isPart: true }),
          );
          return [...(wasSentPlain(session, rest) ? [] : [send(rank, rest)]), ...parts];
        }
        if (categoryId !== undefined) return wasSentPlain(session, rest) ? [] : [send(rank, rest)];
        if (hasAny) return confirmed(rank, rest);
        if (arePlainerSent) return [];
        arePlainerSent = true;
        return plainer(rank, session);
      },
    };
  }
  return send;
}

/** Repeats plain creations of each status that was refused, and of none, if another was accepted. */
export function unconfirmedStatuses(session: Session): readonly (PetStatus | undefined)[] {
  const plain = attemptsIn(session).filter(({ shape }) => shape !== undefined);
  const categoryId = plainCategory(session);
  return [...petStatuses, undefined].filter((status) => {
    const alike = plain.filter((one) => one.status === status && one.categoryId === categoryId);
    return alike.some(({ isRefused }) => isRefused) && !alike.some(({ isAccepted }) => isAccepted);
  });
}
