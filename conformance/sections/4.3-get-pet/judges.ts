/** §4.3 Get an animal: judges the answers of getPet until its removal (§9). */

import type { Exchange } from '../../http/exchange.ts';
import { isInt64, isJsonObject, showJson } from '../../http/json.ts';
import { readPetId } from '../../http/read-request.ts';
import { bodyOf, isAnimal, statusOf } from '../../http/read-response.ts';
import { type Finding, fails, holds, type Judge } from '../../verdict/finding.ts';
import { createdByName, isGroundSteady } from '../../world/animals.ts';
import { isKnownBefore, type World } from '../../world/world.ts';
import { isDrawnId } from '../requests.ts';
import { reads, readsOfKnown, saysRemoved } from './reads.ts';

/** A read of an animal that exists gets 200 with this animal (§4.3). */
function judgeKnown(world: World, exchange: Exchange, id: bigint): readonly Finding[] {
  const status = statusOf(exchange);
  const body = bodyOf(exchange);
  const isShown = isJsonObject(body) && body['id'] === id;
  // §9 reports an operation that is gone; a 404 without the animal is a claim (claims.ts).
  if (status === 401 || saysRemoved(exchange) || (status === 404 && !isShown)) return [];
  if (status !== 200) {
    const facts = { expected: `200 for the animal ${id}, which exists`, received: `${status}`, status };
    return [fails('get-answer', 'unexpected-status', facts, exchange)];
  }
  // §1 reports a body that is no JSON.
  if (body === undefined) return [];
  if (!isAnimal(body)) {
    const facts = { expected: 'an animal from getPet', received: showJson(body) };
    return [fails('get-answer', 'not-an-animal', facts, exchange)];
  }
  // §2 reports a missing or malformed id.
  if (!isInt64(body['id'])) return [];
  if (body['id'] !== id) {
    const facts = { expected: `the animal ${id}`, received: `the animal ${body['id']}`, status, pointer: '/id' };
    return [fails('get-answer', 'another-animal', facts, exchange)];
  }
  const named = createdByName(world).get(body['name'] ?? null);
  const asked = world.createdById.get(id);
  const isOther = named !== undefined && asked !== undefined && named.id !== id;
  if (!isOther || !isGroundSteady(world, exchange, asked)) return [holds('get-answer', exchange)];
  const expected = `the animal ${id} as its 201 showed it`;
  const facts = { expected, received: `the one that got the id ${named.id}`, status };
  return [fails('get-answer', 'another-animal', facts, asked.exchange, named.exchange, exchange)];
}

/** A read of an id that no animal has gets 404 (§4.3). */
function judgeUnknown(world: World, exchange: Exchange, id: bigint): readonly Finding[] {
  const status = statusOf(exchange);
  // §9 reports an operation that is gone.
  const isGone = saysRemoved(exchange) && readsOfKnown(world).some(saysRemoved);
  if (status === 401 || isGone) return [];
  if (status === 404) return [holds('get-not-found', exchange)];
  const body = bodyOf(exchange);
  const isReturned = isJsonObject(body) && body['id'] === id;
  // A body that cannot be read may hold the id; §1 reports one that is no JSON.
  const isUnreadable = body === undefined;
  // §2 reports a missing or malformed id; without it the animal may be the one that was asked for.
  const isNameless = isJsonObject(body) && !isInt64(body['id']) && Object.hasOwn(body, 'name');
  // Any id may be that of another client's animal, except for an id that the run has drawn.
  if (status === 200 && (isReturned || isNameless || isUnreadable) && !isDrawnId(id)) return [];
  const input = { name: 'petId', value: String(id) };
  const facts = { expected: `404 for the id ${id}, which no animal has`, received: `${status}`, status, input };
  return [fails('get-not-found', 'unexpected-status', facts, exchange)];
}

/** A petId that is no int64 (§4.3) names no animal, so a read with it is never served; the status of the refusal is open. */
function judgeNotInt64(exchange: Exchange): readonly Finding[] {
  const status = statusOf(exchange) ?? 0;
  if (status >= 500 || status === 401) return [];
  if (status < 200 || status >= 300) return [holds('get-id-not-int64', exchange)];
  const petId = showJson(exchange.request.target.slice('/pets/'.length));
  const input = { name: 'petId', value: petId };
  const expected = `no animal for the petId ${petId}, which is no int64`;
  const facts = { expected, received: `${status}`, status, input };
  return [fails('get-id-not-int64', 'found', facts, exchange)];
}

/** Judges a read by its petId: the id of a known animal, another int64, or no int64. */
function judgeRead(world: World, exchange: Exchange): readonly Finding[] {
  const id = readPetId(exchange);
  if (id === 'unusual') return [];
  if (id === 'not-int64') return judgeNotInt64(exchange);
  if (!isKnownBefore(world, exchange, id)) return judgeUnknown(world, exchange, id);
  return judgeKnown(world, exchange, id);
}

export const getPetJudges: readonly Judge[] = [
  {
    id: 'reads-answer',
    verifies: ['get-answer', 'get-not-found', 'get-id-not-int64'],
    judge: (world) => reads(world).flatMap((exchange) => judgeRead(world, exchange)),
  },
];
