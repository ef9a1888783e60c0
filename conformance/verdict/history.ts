/** What the recorded exchanges tell about the target: the animals it is known to have, and since when. */

import { animalsShownBy, type Shown } from '../../spec/operation-roles.ts';
import type { PetStatus } from '../../spec/operations.ts';
import { hasLargeBody } from '../http/documented.ts';
import { type Exchange, happenedBefore, repeatedExchange } from '../http/exchange.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue } from '../http/json.ts';
import { isPetStatus, readNewPet, type SentPet } from '../http/read-request.ts';
import {
  animalsOf,
  bodyOf,
  idsShownIn,
  isAnswered,
  isGatewayError,
  pageOf,
  readBody,
  statusOf,
} from '../http/read-response.ts';
import type { Settings } from './settings.ts';
import { isSettled } from './settling.ts';

/** An animal that this run created: what was sent, what came back. */
export interface CreatedPet {
  readonly id: bigint;
  readonly exchange: Exchange;
  readonly sent?: SentPet;
  readonly returned: JsonObject;
}

/** An animal that the target has shown, by whoever it was created, or that the user names. */
export interface KnownPet {
  readonly status: PetStatus | undefined;
  /** The event number from which on it is known. */
  readonly since: number;
  /** The exchange that first showed it; undefined where the user names it. */
  readonly shownBy?: Exchange;
}

/** A page with the exchange that brought it; of one that is too long only the first entries are read. */
export interface Page {
  readonly exchange: Exchange;
  readonly entries: readonly JsonValue[];
  /** Set where the page has more of them. */
  readonly isCut: boolean;
}

/** All that invariants and observers see. */
export interface History {
  readonly exchanges: readonly Exchange[];
  readonly settings: Settings;
  /** Exchanges with an answer that is no 429, and none of a gateway that was gone when it was asked again. */
  readonly answered: readonly Exchange[];
  readonly pages: readonly Page[];
  readonly created: readonly CreatedPet[];
  readonly createdById: ReadonlyMap<bigint, CreatedPet>;
  readonly known: ReadonlyMap<bigint, KnownPet>;
  /** By status, and for all of them: the event numbers from which on animals are known, in order. */
  readonly knownSince: ReadonlyMap<PetStatus | 'any', readonly number[]>;
  /** The event number of the last request whose page shows an animal, by its id. */
  readonly lastListed: ReadonlyMap<bigint, number>;
  /** The event number of the last request whose answer shows an animal, in a page or alone, by its id. */
  readonly lastShown: ReadonlyMap<bigint, number>;
  /** Categories that the target is known to accept: those named by the user, and those of animals that it accepted. */
  readonly knownCategories: ReadonlySet<bigint>;
}

/** Whether the request was one of a client with a valid key, so that its operation had to carry it out. */
export function isAuthorized(exchange: Exchange): boolean {
  const { kind } = exchange.credential;
  const status = statusOf(exchange);
  // A key that exceeds its limit may be banned (§8).
  if (kind === 'rate-limit') return status !== 401 && status !== 403;
  const isOpen = kind === 'lenient' || kind === 'unseen';
  return kind === 'valid' || (isOpen && status !== 401);
}

/** Whether two requests carry the same key: whether two keys see the same animals is open. */
export function isSameKey(one: Exchange, other: Exchange): boolean {
  return (one.credential.kind === 'rate-limit') === (other.credential.kind === 'rate-limit');
}

function createdBy(exchange: Exchange): readonly CreatedPet[] {
  if (animalsShownBy(exchange.operation) !== 'new-animal' || statusOf(exchange) !== 201) return [];
  const returned = bodyOf(exchange);
  if (!isJsonObject(returned) || !isInt64(returned['id'])) return [];
  const reading = readNewPet(exchange);
  const sent = reading.kind === 'invalid' ? undefined : reading.pet;
  return [{ id: returned['id'], exchange, returned, ...(sent === undefined ? {} : { sent }) }];
}

/** Whether an answer proves that its animals exist for all later requests: each kind of answer must decide. */
const provesExistence: Readonly<Record<Shown, boolean>> = {
  page: true,
  'new-animal': true,
  // The client already knew the id that it asked for.
  'known-animal': false,
};

function revealsAnimals({ operation }: Exchange): boolean {
  const shown = animalsShownBy(operation);
  return shown === undefined || provesExistence[shown];
}

function knownFrom(inOrder: readonly Exchange[], { petIds }: Settings): ReadonlyMap<bigint, KnownPet> {
  const known = new Map<bigint, KnownPet>(petIds.map((id) => [id, { status: undefined, since: 0 }]));
  for (const exchange of inOrder.filter((candidate) => revealsAnimals(candidate) && isAuthorized(candidate))) {
    for (const { id, status } of animalsOf(exchange)) {
      if (!isInt64(id) || known.has(id)) continue;
      known.set(id, {
        status: isPetStatus(status) ? status : undefined,
        since: exchange.answered,
        shownBy: exchange,
      });
    }
  }
  return known;
}

/** The ids of the animals in a page. */
export function idsOf({ entries }: Page): readonly bigint[] {
  return entries.flatMap((entry) => (isJsonObject(entry) && isInt64(entry['id']) ? [entry['id']] : []));
}

/** The event number of the last request whose answer shows an animal, by its id. */
function lastSent(answers: readonly (readonly [Exchange, readonly bigint[]])[]): ReadonlyMap<bigint, number> {
  const last = new Map<bigint, number>();
  for (const [{ sent }, ids] of answers) {
    for (const id of ids) last.set(id, Math.max(last.get(id) ?? 0, sent));
  }
  return last;
}

/** Known animals are in the order in which they became known. */
function sinceByStatus(known: Iterable<KnownPet>): ReadonlyMap<PetStatus | 'any', readonly number[]> {
  const since = new Map<PetStatus | 'any', number[]>([['any', []]]);
  for (const pet of known) {
    since.get('any')?.push(pet.since);
    if (pet.status === undefined) continue;
    const ofStatus = since.get(pet.status);
    if (ofStatus === undefined) since.set(pet.status, [pet.since]);
    else ofStatus.push(pet.since);
  }
  return since;
}

/** Whether an answer is one of a gateway, and not the second of two in a row: that the service gave it is not shown. */
function isTransientFailure(exchange: Exchange, exchanges: readonly Exchange[]): boolean {
  if (!isGatewayError(exchange)) return false;
  const first = repeatedExchange(exchanges, exchange);
  return first === undefined || !isGatewayError(first);
}

/** How many requests were owed an answer and got none. */
export function countUnanswered(exchanges: readonly Exchange[]): number {
  const isOwed = (exchange: Exchange): boolean =>
    exchange.operation !== 'other' && exchange.credential.kind !== 'rate-limit' && !hasLargeBody(exchange);
  return exchanges.filter((exchange) => exchange.response === undefined && isOwed(exchange)).length;
}

/** The last history of a record. */
const histories = new WeakMap<readonly Exchange[], { readonly count: number; readonly history: History }>();

/** What the exchanges of a record tell. They are only ever added: of as many as last time it is the same. */
export function readHistory(exchanges: readonly Exchange[], settings: Settings): History {
  const last = histories.get(exchanges);
  if (last?.count === exchanges.length && last.history.settings === settings) return last.history;
  const history = collect(exchanges, settings);
  histories.set(exchanges, { count: exchanges.length, history });
  return history;
}

function collect(exchanges: readonly Exchange[], settings: Settings): History {
  const inOrder = [...exchanges].sort((one, other) => one.answered - other.answered);
  const created = inOrder.flatMap(createdBy);
  const answered = exchanges.filter(isAnswered).filter((exchange) => !isTransientFailure(exchange, exchanges));
  const accepted = created.filter((pet) => isAuthorized(pet.exchange)).flatMap((pet) => pet.sent?.categoryId ?? []);
  const known = knownFrom(inOrder, settings);
  const pages = answered.filter(isAuthorized).flatMap((exchange) => {
    const entries = pageOf(exchange);
    return entries === undefined ? [] : [{ exchange, entries, isCut: readBody(exchange.response).isCut === true }];
  });
  const listed = pages.map((page) => [page.exchange, idsOf(page)] as const);
  const reads = answered.filter((exchange) => exchange.operation === 'getPet' && isAuthorized(exchange));
  return {
    exchanges,
    settings,
    answered,
    pages,
    created,
    createdById: new Map(created.toReversed().map((pet) => [pet.id, pet])),
    known,
    knownSince: sinceByStatus(known.values()),
    lastListed: lastSent(listed),
    lastShown: lastSent([...listed, ...reads.map((exchange) => [exchange, idsShownIn(exchange)] as const)]),
    knownCategories: new Set([...settings.categoryIds, ...accepted]),
  };
}

/** The animals that the run had created before an exchange was sent, with the same key. */
export function createdBefore(history: History, exchange: Exchange): readonly CreatedPet[] {
  return history.created.filter((pet) => happenedBefore(pet.exchange, exchange) && isSameKey(pet.exchange, exchange));
}

/** Those of them that had time to appear everywhere. */
export function settledBefore(history: History, exchange: Exchange): readonly CreatedPet[] {
  return createdBefore(history, exchange).filter((pet) => isSettled(history.settings, pet.exchange, exchange));
}

/** How many of some numbers, which are in order, are below another. */
export function countBelow(inOrder: readonly number[], limit: number): number {
  let [from, to] = [0, inOrder.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (inOrder[middle]! < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** How many animals with a status (or any) the target was known to have before an exchange was sent. */
export function countKnownBefore(history: History, exchange: Exchange, status: PetStatus | 'any'): number {
  return countBelow(history.knownSince.get(status) ?? [], exchange.sent);
}

/** Whether the target had shown an animal with this id before an exchange was sent. */
export function isKnownBefore(history: History, exchange: Exchange, id: bigint): boolean {
  const known = history.known.get(id);
  return known !== undefined && known.since < exchange.sent;
}

/** Whether it had time to appear, and to the same client. */
export function isSettledBefore(history: History, exchange: Exchange, id: bigint): boolean {
  const known = history.known.get(id);
  if (known === undefined || !isKnownBefore(history, exchange, id)) return false;
  const { shownBy } = known;
  return shownBy === undefined || (isSameKey(shownBy, exchange) && isSettled(history.settings, shownBy, exchange));
}

/** Other clients may remove their animals by operations that are not shown (§4.4), unless a later page has it still. */
export function mayBeGone(history: History, exchange: Exchange, id: bigint): boolean {
  if (history.createdById.has(id) || history.settings.petIds.includes(id)) return false;
  return (history.lastListed.get(id) ?? 0) <= exchange.answered;
}

/** How many animals with a status (or any) the target had before an exchange was sent, and has had since. */
export function countLastingBefore(history: History, exchange: Exchange, status: PetStatus | 'any'): number {
  const lasts = ([id, pet]: [bigint, KnownPet]): boolean =>
    pet.since < exchange.sent && (status === 'any' || pet.status === status) && !mayBeGone(history, exchange, id);
  return [...history.known].filter(lasts).length;
}
