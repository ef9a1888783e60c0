/** §4.3 Get an animal: judges the answers of getPet until its removal (§9). */

import type { Exchange } from '../../http/exchange.ts';
import { isInt64, isJsonObject, showJson } from '../../http/json.ts';
import { memoize } from '../../http/memoize.ts';
import { readPetId } from '../../http/read-request.ts';
import { bodyOf, idsShownIn, isAnimal, pageOf, statusOf } from '../../http/read-response.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { getPet, listPets } from '../../world/requests.ts';
import {
  type CreatedPet,
  createdBefore,
  isAuthorized,
  isKnownBefore,
  isRemovedFor,
  type World,
} from '../../world/world.ts';
import { roundingHint } from '../2-resources/differing-texts.ts';
import { unrefusedExcess } from '../8-limits/excess.ts';
import type { Claim, Judge, Look, Means } from '../judge.ts';

/** The answered reads with a valid key before the removal. §4.3 shows no query: how one is answered is open. */
export const reads = memoize((world: World): readonly Exchange[] => {
  const excess = unrefusedExcess(world);
  return world.answered.filter(
    (exchange) =>
      exchange.operation === 'getPet' &&
      isAuthorized(exchange) &&
      !exchange.request.target.includes('?') &&
      !isRemovedFor(world, exchange) &&
      !excess.has(exchange),
  );
});

/** Whether an answer says that the operation is gone, which §9 judges. */
export function saysRemoved(exchange: Exchange): boolean {
  return statusOf(exchange) === 410 || statusOf(exchange) === 405;
}

/** The run draws unknown ids from a range so large that no client meets one by chance. */
const drawn = { from: 2n ** 60n, to: 2n ** 62n };
/** An id may belong to another client where a known id is as near as this. */
const neighbourhood = 2n ** 54n;

/** Whether another client may have an animal with this id, judging by the known ids. */
function mayExist({ known }: World, id: bigint): boolean {
  const isNear = (other: bigint): boolean => other - id < neighbourhood && id - other < neighbourhood;
  return id < drawn.from || id > drawn.to || [...known.keys()].some(isNear);
}

function judgeKnown(world: World, exchange: Exchange, id: bigint): readonly Finding[] {
  const status = statusOf(exchange);
  // §9 reports an operation that is gone; a 404 leaves a claim.
  if (status === 401 || status === 403 || status === 404 || saysRemoved(exchange)) {
    if (status !== 403) return [];
    // Scopes are not shown, unless the key may read at other times.
    if (!reads(world).some((read) => statusOf(read) === 200)) return [];
  }
  if (status !== 200) {
    const facts = { expected: `200 for the animal ${id}, which exists`, received: `${status}`, status };
    return [fails('get-answer', 'unexpected-status', facts, exchange)];
  }
  const body = bodyOf(exchange);
  // §1 reports a body that is no JSON.
  if (body === undefined) return [];
  if (!isAnimal(body)) {
    const facts = { expected: `an animal from getPet`, received: `${showJson(body)}` };
    return [fails('get-answer', 'not-an-animal', facts, exchange)];
  }
  // §2 reports a missing or malformed id.
  if (!isInt64(body['id'])) return [];
  if (body['id'] === id) return [holds('get-answer', exchange)];
  const facts = {
    expected: `the animal ${id}`,
    received: `the animal ${body['id']}${roundingHint(id, body['id'])}`,
    pointer: '/id',
  };
  return [fails('get-answer', 'another-animal', facts, exchange)];
}

function judgeUnknown(world: World, exchange: Exchange, id: bigint): readonly Finding[] {
  const status = statusOf(exchange);
  // Scopes are not shown, unless the key may read at other times.
  if (status === 401 || (status === 403 && !reads(world).some((read) => statusOf(read) === 200))) return [];
  // §9 reports an operation that is gone.
  if (saysRemoved(exchange) && reads(world).some((read) => saysRemoved(read) && isKnownRead(world, read))) return [];
  if (status === 404) return [holds('get-not-found', exchange)];
  const body = bodyOf(exchange);
  const isReturned = isJsonObject(body) && body['id'] === id;
  // §2 reports a missing or malformed id; without it the animal may be the one that was asked for.
  const isNameless = isJsonObject(body) && !isInt64(body['id']) && Object.hasOwn(body, 'name');
  if (status === 200 && (isReturned || isNameless || body === undefined) && mayExist(world, id)) return [];
  const facts = {
    expected: `404 for the id ${id}, which no animal has`,
    received: `${status}`,
    status,
    input: { name: 'petId', value: String(id) },
  };
  return [fails('get-not-found', 'unexpected-status', facts, exchange)];
}

function isKnownRead(world: World, exchange: Exchange): boolean {
  const id = readPetId(exchange);
  return typeof id === 'bigint' && isKnownBefore(world, exchange, id);
}

function judgeNotInt64(exchange: Exchange): readonly Finding[] {
  const status = statusOf(exchange) ?? 0;
  if (status >= 500 || status === 401) return [];
  if (status < 200 || status >= 300) return [holds('get-id-not-int64', exchange)];
  const petId = showJson(exchange.request.target.slice('/pets/'.length));
  const facts = {
    expected: `no animal for the petId ${petId}, which is no int64`,
    received: `${status}`,
    status,
    input: { name: 'petId', value: petId },
  };
  return [fails('get-id-not-int64', 'found', facts, exchange)];
}

function judgeRead(world: World, exchange: Exchange): readonly Finding[] {
  const id = readPetId(exchange);
  if (id === 'unusual') return [];
  if (id === 'not-int64') return judgeNotInt64(exchange);
  return isKnownBefore(world, exchange, id) ? judgeKnown(world, exchange, id) : judgeUnknown(world, exchange, id);
}

/** The animals of the run whose last read answered 404, each with that read. */
function missing(world: World): readonly (readonly [CreatedPet, Exchange])[] {
  const last = new Map<bigint, Exchange>();
  for (const exchange of reads(world)) {
    const id = readPetId(exchange);
    if (typeof id === 'bigint' && exchange.sent > (last.get(id)?.sent ?? 0)) last.set(id, exchange);
  }
  return [...last].flatMap(([id, exchange]) => {
    const pet = world.createdById.get(id);
    const isOwn = pet !== undefined && createdBefore(world, exchange).includes(pet);
    return isOwn && statusOf(exchange) === 404 ? [[pet, exchange] as const] : [];
  });
}

function claimOf(pet: CreatedPet, exchange: Exchange): Claim {
  return {
    requirement: 'get-answer',
    code: 'unexpected-status',
    key: `get-answer ${pet.id}`,
    exchange,
    takesTime: true,
    cost: 3,
    look: (means) => lookFor(pet, means),
  };
}

async function lookFor(pet: CreatedPet, { ask, world: now }: Means): Promise<Look> {
  const read = await ask(getPet(pet.id));
  if (statusOf(read) !== 404) return { result: statusOf(read) === 200 ? 'refuted' : 'moved' };
  const world = now();
  const page = await ask(listPets('limit=100'));
  const isListed = idsShownIn(page).includes(pet.id);
  if (isListed) return { result: 'shown', failing: failureOf(world, pet, read, page) };
  const newest = world.created.at(-1);
  const wasSeen = (world.lastShown.get(pet.id) ?? 0) > pet.exchange.answered;
  // The newest animal that no answer ever showed was not stored; nothing came after it that could have taken its place.
  if (newest === pet && !wasSeen && pageOf(page) !== undefined)
    return { result: 'shown', failing: failureOf(world, pet, read) };
  // An older animal that is still found shows that animals are not removed with time.
  const older = world.created.find(
    ({ id, exchange }) => exchange.answered < pet.exchange.sent && world.lastShown.has(id),
  );
  const found = older === undefined ? undefined : await ask(getPet(older.id));
  return found !== undefined && statusOf(found) === 200
    ? { result: 'shown', failing: failureOf(world, pet, read, found) }
    : { result: 'moved' };
}

function failureOf(world: World, pet: CreatedPet, read: Exchange, control?: Exchange) {
  const known = reads(world).filter((one) => isKnownRead(world, one));
  // §9: an operation that finds nothing of what is listed is removed.
  const isGone = control?.operation === 'listPets' && !known.some((one) => statusOf(one) === 200);
  const where =
    control === undefined
      ? 'no page shows it either'
      : control.operation === 'listPets'
        ? 'a page shows it'
        : 'an older one is found';
  const facts = {
    expected: `200 for the animal ${pet.id} (${showJson(pet.returned['name'])}, categoryId ${showJson(pet.returned['categoryId'])})`,
    received: `404; ${where}`,
  };
  const exchanges = [pet.exchange, read, ...(control === undefined ? [] : [control])];
  return isGone
    ? fails('get-until-removal', 'removed-early', facts, ...exchanges)
    : fails('get-answer', 'unexpected-status', facts, ...exchanges);
}

export const getPetJudges: readonly Judge[] = [
  {
    id: 'reads-answer',
    verifies: ['get-answer', 'get-not-found', 'get-id-not-int64'],
    title: 'A known id answers with its animal, any other with 404',
    scope: 'key',
    judge: (world) => reads(world).flatMap((exchange) => judgeRead(world, exchange)),
    *claims(world) {
      const ambiguous = Map.groupBy(world.created, ({ id }) => id);
      for (const [pet, exchange] of missing(world).toReversed())
        if (ambiguous.get(pet.id)!.length === 1) yield claimOf(pet, exchange);
    },
  },
];
