/** What the exchanges so far show, for each key: animals by identity, where they were seen, pages, accepted categories. */

import { defined } from '../../spec/defined.ts';
import { removalOfGetPet } from '../../spec/facts.ts';
import type { PetStatus } from '../../spec/operations.ts';
import { hasLargeBody } from '../http/documented.ts';
import { type Exchange, happenedBefore } from '../http/exchange.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue } from '../http/json.ts';
import { memoize } from '../http/memoize.ts';
import { isPetStatus, readNewPet, type SentPet } from '../http/read-request.ts';
import { animalsOf, bodyOf, idsShownIn, pageOf, readBody, statusOf } from '../http/read-response.ts';
import type { Settings } from '../verdict/settings.ts';
import { type Answered, type Evidence, evidenceOf, type Outages, readOutages } from './evidence.ts';

/** An animal that this run created, as it was sent and as it was returned. */
export interface CreatedPet {
  readonly id: bigint;
  readonly exchange: Answered;
  readonly sent?: SentPet;
  readonly returned: JsonObject;
}

/** An animal that the target has shown, whoever created it. */
export interface KnownPet {
  readonly status: PetStatus | undefined;
  readonly name: JsonValue | undefined;
  /** The event number since which it is known. */
  readonly since: number;
  readonly shownBy: Exchange;
}

/** The page of a listing. Only the first entries are read if it is too long. */
export interface Page {
  readonly exchange: Answered;
  readonly entries: readonly JsonValue[];
  readonly ids: ReadonlySet<bigint>;
  /** Whether the page has more entries than were read. */
  readonly isCut: boolean;
}

/** Everything that judges and observers see. */
export interface World {
  readonly exchanges: readonly Exchange[];
  readonly settings: Settings;
  readonly evidence: ReadonlyMap<Exchange, Evidence>;
  readonly outages: Outages;
  /** The answers of the service itself; no 429 is among them. */
  readonly answered: readonly Answered[];
  readonly pages: readonly Page[];
  readonly created: readonly CreatedPet[];
  readonly createdById: ReadonlyMap<bigint, CreatedPet>;
  readonly known: ReadonlyMap<bigint, KnownPet>;
  /** By the id of an animal: the event number of the last request whose answer shows it, in a page or alone. */
  readonly lastShown: ReadonlyMap<bigint, number>;
  /** Categories that the target accepts: those that the user named, and those of accepted animals. */
  readonly knownCategories: ReadonlySet<bigint>;
  /** The worlds of each key by itself: another key may have another world. */
  readonly perKey: readonly World[];
}

/** Whether its operation was removed (§9) when an exchange ended. A run starts at `today`, and time passes during it. */
export function isRemovedFor(
  { settings, exchanges }: Pick<World, 'settings' | 'exchanges'>,
  { operation, endedAt }: Pick<Exchange, 'operation' | 'endedAt'>,
): boolean {
  return operation === 'getPet' && settings.today + endedAt - (exchanges[0]?.startedAt ?? endedAt) >= removalOfGetPet;
}

/** Whether getPet is removed at the end of a record, so that a run asks for no more animals. */
export function isRemoved(record: Pick<World, 'settings' | 'exchanges'>): boolean {
  return isRemovedFor(record, { operation: 'getPet', endedAt: record.exchanges.at(-1)?.endedAt ?? 0 });
}

/** Whether the request carried a valid key, so that the operation itself had to answer it. */
export function isAuthorized(exchange: Exchange): boolean {
  const { kind } = exchange.credential;
  const status = statusOf(exchange);
  // A key that exceeded its limit may be banned (§8).
  if (kind === 'rate-limit') return status !== 401 && status !== 403;
  const isOpen = kind === 'lenient' || kind === 'unseen';
  return kind === 'valid' || (isOpen && status !== 401);
}

const isLimitKey = ({ credential }: Exchange): boolean => credential.kind === 'rate-limit';

/** Whether two requests carry the same key. The interface does not say whether two keys see the same animals. */
export function isSameKey(one: Exchange, other: Exchange): boolean {
  return isLimitKey(one) === isLimitKey(other);
}

const createdBy = memoize((exchange: Exchange): readonly CreatedPet[] => {
  if (exchange.operation !== 'createPet' || statusOf(exchange) !== 201) return [];
  const returned = bodyOf(exchange);
  if (!isJsonObject(returned) || !isInt64(returned['id'])) return [];
  const reading = readNewPet(exchange);
  const sent = reading.kind === 'invalid' ? undefined : reading.pet;
  return [{ id: returned['id'], exchange: exchange as Answered, returned, ...defined({ sent }) }];
});

function knownFrom(inOrder: readonly Exchange[]): ReadonlyMap<bigint, KnownPet> {
  const known = new Map<bigint, KnownPet>();
  for (const exchange of inOrder) {
    // A client knows the id that it asks for already.
    if (exchange.operation === 'getPet' || !isAuthorized(exchange)) continue;
    for (const { id, status, name } of animalsOf(exchange)) {
      if (!isInt64(id) || known.has(id)) continue;
      const shown = isPetStatus(status) ? status : undefined;
      known.set(id, { status: shown, name, since: exchange.answered, shownBy: exchange });
    }
  }
  return known;
}

const readPage = memoize((exchange: Answered): Page | undefined => {
  const entries = pageOf(exchange);
  if (entries === undefined) return undefined;
  const ids = new Set(entries.flatMap((entry) => (isJsonObject(entry) && isInt64(entry['id']) ? [entry['id']] : [])));
  return { exchange, entries, ids, isCut: readBody(exchange.response).isCut === true };
});

function lastShownIn(answered: readonly Exchange[]): ReadonlyMap<bigint, number> {
  const last = new Map<bigint, number>();
  for (const exchange of answered) {
    if (exchange.operation === 'createPet' || !isAuthorized(exchange)) continue;
    for (const id of idsShownIn(exchange)) last.set(id, Math.max(last.get(id) ?? 0, exchange.sent));
  }
  return last;
}

function collect(
  exchanges: readonly Exchange[],
  settings: Settings,
  outages: Outages,
  evidence: World['evidence'],
  perKey: readonly World[],
): World {
  const answered = exchanges.filter((exchange): exchange is Answered => evidence.get(exchange) === 'answer');
  const inOrder = answered.toSorted((one, other) => one.answered - other.answered);
  const created = inOrder.flatMap(createdBy);
  const accepted = created.filter((pet) => isAuthorized(pet.exchange)).flatMap((pet) => pet.sent?.categoryId ?? []);
  let lastShown: World['lastShown'] | undefined;
  return {
    exchanges,
    settings,
    evidence,
    outages,
    answered,
    pages: answered.filter(isAuthorized).flatMap((exchange) => readPage(exchange) ?? []),
    created,
    createdById: new Map(created.toReversed().map((pet) => [pet.id, pet])),
    known: knownFrom(inOrder),
    get lastShown() {
      lastShown ??= lastShownIn(inOrder);
      return lastShown;
    },
    knownCategories: new Set([...settings.categoryIds, ...accepted]),
    perKey,
  };
}

const worlds = new WeakMap<readonly Exchange[], { readonly count: number; readonly world: World }>();

/** Reads a record. Exchanges are only ever added to one, so with as many as last time the world is the same. */
export function readWorld(exchanges: readonly Exchange[], settings: Settings): World {
  const last = worlds.get(exchanges);
  if (last?.count === exchanges.length && last.world.settings === settings) return last.world;
  const outages = readOutages(exchanges);
  const evidence = evidenceOf(exchanges, outages);
  const ofKey = (part: readonly Exchange[]): World => collect(part, settings, outages, evidence, []);
  const { limit = [], main = [] } = Object.groupBy(exchanges, (one) => (isLimitKey(one) ? 'limit' : 'main'));
  const perKey = limit.length === 0 ? undefined : [ofKey(main), ofKey(limit)];
  const keys: World[] = [...(perKey ?? [])];
  const world = collect(exchanges, settings, outages, evidence, keys);
  if (perKey === undefined) keys.push(world);
  worlds.set(exchanges, { count: exchanges.length, world });
  return world;
}

/** How many requests to which an answer was due got none, not even when they were repeated. */
export function countUnanswered(exchanges: readonly Exchange[]): number {
  const repeated = new Set(exchanges.map(({ repeats }) => repeats));
  const isDue = (exchange: Exchange): boolean =>
    exchange.operation !== 'other' && exchange.credential.kind !== 'rate-limit' && !hasLargeBody(exchange);
  const isLast = ({ number, repeats }: Exchange): boolean => repeats !== undefined || !repeated.has(number);
  const last = new Map(exchanges.filter(isLast).map((exchange) => [exchange.repeats ?? exchange.number, exchange]));
  return [...last.values()].filter((exchange) => exchange.response === undefined && isDue(exchange)).length;
}

/** How many animals with a status (or any) were known before an exchange was sent. */
export function countKnownBefore({ known }: World, exchange: Exchange, status: PetStatus | 'any'): number {
  let count = 0;
  for (const pet of known.values())
    if (pet.since < exchange.sent && (status === 'any' || pet.status === status)) count += 1;
  return count;
}

/** Whether the target had shown an animal with this id before an exchange was sent. */
export function isKnownBefore({ known }: World, exchange: Exchange, id: bigint): boolean {
  const pet = known.get(id);
  return pet !== undefined && pet.since < exchange.sent;
}

/** The animals that the run had created before an exchange was sent. */
export function createdBefore({ created }: World, exchange: Exchange): readonly CreatedPet[] {
  return created.filter((pet) => happenedBefore(pet.exchange, exchange));
}
