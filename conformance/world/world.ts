/** Reads from the recorded exchanges what is known about the target: its answers, its pages and its animals. */

import { defined } from '../../spec/defined.ts';
import { removalOfGetPet } from '../../spec/facts.ts';
import type { PetStatus } from '../../spec/operations.ts';
import { type Exchange, happenedBefore } from '../http/exchange.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue } from '../http/json.ts';
import { memoize } from '../http/memoize.ts';
import { isPetStatus, type readPetId, type SentPet, sentPetOf } from '../http/read-request.ts';
import { animalsOf, bodyOf, createdId, pageOf, statusOf } from '../http/read-response.ts';
import { type Answered, isOfService, lastingOutages } from './evidence.ts';
import type { Settings } from './settings.ts';

/** An animal that this run created, as it was sent and as it was returned. */
export interface CreatedPet {
  readonly id: bigint;
  readonly exchange: Exchange;
  readonly sent?: SentPet;
  readonly returned: JsonObject;
}

/** An animal that the target has shown, whoever created it. */
export interface KnownPet {
  readonly status: PetStatus | undefined;
  /** The exchange that first showed it. */
  readonly shownBy: Exchange;
}

/** The page of a listing. Only the first entries are read if it is too long. */
export interface Page {
  readonly exchange: Exchange;
  readonly entries: readonly JsonValue[];
}

/** What the exchanges of a run show: everything that judges and observers see. */
export interface World {
  readonly exchanges: readonly Exchange[];
  readonly settings: Settings;
  /** The answers of the service, and the last response of each lasting outage. */
  readonly answered: readonly Answered[];
  /** The lasting outages (evidence.ts): the last attempt of a request → the exchanges that show it. */
  readonly lasting: ReadonlyMap<Exchange, readonly Exchange[]>;
  readonly pages: readonly Page[];
  readonly created: readonly CreatedPet[];
  readonly createdById: ReadonlyMap<bigint, CreatedPet>;
  readonly known: ReadonlyMap<bigint, KnownPet>;
}

/** Whether the operation of an exchange was removed (§9) when it ended. A run starts at `today`, and time passes during it. */
export function isRemovedFor(
  { settings, exchanges }: Pick<World, 'settings' | 'exchanges'>,
  { operation, endedAt }: Pick<Exchange, 'operation' | 'endedAt'>,
): boolean {
  const now = settings.today + endedAt - (exchanges[0]?.startedAt ?? endedAt);
  return operation === 'getPet' && now >= removalOfGetPet;
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

/** Whether two requests carry the same key. The interface does not say whether two keys see the same animals. */
export function isSameKey(one: Exchange, other: Exchange): boolean {
  return (one.credential.kind === 'rate-limit') === (other.credential.kind === 'rate-limit');
}

/** The animals that a request created: one at most. */
const createdBy = memoize((exchange: Exchange): readonly CreatedPet[] => {
  const id = createdId(exchange);
  if (id === undefined) return [];
  return [defined({ id, exchange, returned: bodyOf(exchange) as JsonObject, sent: sentPetOf(exchange) })];
});

/** The animals that answers prove to exist, without those of getPet: its client already knew the id that it asked for. */
function knownFrom(inOrder: readonly Exchange[]): ReadonlyMap<bigint, KnownPet> {
  const known = new Map<bigint, KnownPet>();
  for (const exchange of inOrder.filter((one) => one.operation !== 'getPet' && isAuthorized(one))) {
    for (const { id, status } of animalsOf(exchange)) {
      if (!isInt64(id) || known.has(id)) continue;
      known.set(id, { status: isPetStatus(status) ? status : undefined, shownBy: exchange });
    }
  }
  return known;
}

const readPage = memoize((exchange: Answered): Page | undefined => {
  const entries = pageOf(exchange);
  return entries && { exchange, entries };
});

export const idsOf = memoize(({ entries }: Page): readonly bigint[] =>
  entries.flatMap((entry) => (isJsonObject(entry) && isInt64(entry['id']) ? [entry['id']] : [])),
);

/** For each array of exchanges, the world that was last read from it. */
const worlds = new WeakMap<readonly Exchange[], { readonly count: number; readonly world: World }>();

/** Reads exchanges. An array of them only ever grows, so the last world is valid while its length is the same. */
export function readWorld(exchanges: readonly Exchange[], settings: Settings): World {
  const last = worlds.get(exchanges);
  if (last?.count === exchanges.length && last.world.settings === settings) return last.world;
  const world = collect(exchanges, settings);
  worlds.set(exchanges, { count: exchanges.length, world });
  return world;
}

function collect(exchanges: readonly Exchange[], settings: Settings): World {
  const lasting = lastingOutages(exchanges);
  const inOrder = exchanges.toSorted((one, other) => one.answered - other.answered);
  const created = inOrder.flatMap(createdBy);
  const answered = exchanges.filter(
    (exchange): exchange is Answered =>
      isOfService(exchange) || (lasting.has(exchange) && exchange.response !== undefined),
  );
  const pages = answered.filter(isAuthorized).flatMap((exchange) => readPage(exchange) ?? []);
  return {
    exchanges,
    settings,
    answered,
    lasting,
    pages,
    created,
    createdById: new Map(created.toReversed().map((pet) => [pet.id, pet])),
    known: knownFrom(inOrder),
  };
}

/** The animals that the run had created with the same key before an exchange was sent. */
export function createdBefore(world: World, exchange: Exchange): readonly CreatedPet[] {
  return world.created.filter((pet) => happenedBefore(pet.exchange, exchange) && isSameKey(pet.exchange, exchange));
}

/** How many animals with a status (or any) were known before an exchange was sent, or are known now. */
export function countKnownBefore({ known }: World, exchange: Exchange | undefined, status: PetStatus | 'any'): number {
  const isCounted = (pet: KnownPet): boolean =>
    (status === 'any' || pet.status === status) && (exchange === undefined || happenedBefore(pet.shownBy, exchange));
  return [...known.values()].filter(isCounted).length;
}

/** Whether the target had shown an animal with this id before an exchange was sent. */
export function isKnownBefore(world: World, exchange: Exchange, id: ReturnType<typeof readPetId>): boolean {
  const known = world.known.get(id as bigint);
  return known !== undefined && happenedBefore(known.shownBy, exchange);
}
