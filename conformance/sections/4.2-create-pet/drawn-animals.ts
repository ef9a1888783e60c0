/** §4.2 Creates animals drawn from all classes of valid bodies: names, categories, statuses, writings, unknown fields. */

import { defined } from '../../../spec/defined.ts';
import { petStatuses } from '../../../spec/operations.ts';
import { type JsonObject, type JsonValue, writeJson } from '../../http/json.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { createPetFrom, drawUnknownId, getPet, idsIn, listPets, plainCategory } from '../requests.ts';
import { boundaries, createdIds, learnedAcceptance, mayCreate } from './creations.ts';
import { pick, unknownFields } from './invalid-values.ts';
import { type Writing, writeEscaped, writeFreely, writings } from './json-texts.ts';
import { drawName } from './name-classes.ts';
import { maySend } from './names.ts';

/** So many animals are drawn, as far as the budget has creations left for the sequences that follow. */
const mostDrawn = 60;
const keptCreations = 20;

function drawCategory(session: Session): bigint {
  const { random } = session;
  if (!learnedAcceptance(session).takesOtherCategories) return plainCategory(session);
  const magnitude = 2n ** BigInt(Math.floor(random() * 63));
  const near = magnitude + BigInt(Math.floor(random() * 5) - 2);
  return random() < 0.3 ? pick(boundaries, random) : random() < 0.5 ? near : -near;
}

/** An id of every JSON type: the service must neither fail nor use it. */
function clientIds(session: Session): readonly JsonValue[] {
  const [existing] = createdIds(session);
  return [null, '5', true, 1.5, [], {}, 0n, -1n, 2n ** 63n, drawUnknownId(session), existing ?? 1n];
}

function drawPet(session: Session, at: number): JsonObject {
  const { random } = session;
  const tag = session.newName();
  const name = learnedAcceptance(session).takesHardNames ? drawName(tag, random) : tag;
  const ids = clientIds(session);
  return defined({
    name: maySend(session, name) ? name : tag,
    categoryId: drawCategory(session),
    status: pick([undefined, ...petStatuses], random),
    // One in three carries unknown fields, one in six an id.
    ...(at % 3 === 0 ? pick(unknownFields, random) : {}),
    ...(at % 6 === 0 ? { id: ids[(at / 6) % ids.length]! } : {}),
  });
}

function drawCreation(session: Session, at: number): PlannedRequest {
  const { random } = session;
  const write: Writing = pick([writeJson, ...writings, writeFreely, writeEscaped], random);
  const contentType = random() < 0.2 ? 'application/json; charset=utf-8' : 'application/json';
  return createPetFrom(write(drawPet(session, at)), undefined, contentType);
}

export const drawnAnimals: Scenario = {
  kind: 'scenario',
  id: 'drawn-animals',
  rank: 7,
  verifies: ['create-answer', 'pet-name-kept', 'pet-category-id-kept', 'pet-status-kept', 'pet-id-assigned'],
  title: 'Creates animals with drawn names, categories, statuses, unknown fields and writings, and reads some of them',
  run: async (session) => {
    if (!mayCreate(session)) return;
    const count = Math.min(mostDrawn, session.budget.creationsLeft() - keptCreations);
    if (count <= 0) return;
    const created = await session.doAll(
      Array.from({ length: count }, (_nothing, at) => async () => {
        const request = drawCreation(session, at);
        const exchange = await session.send(request);
        // The same body twice: two animals, or a refusal.
        if (at % 10 === 9) await session.send(request);
        return idsIn(exchange);
      }),
    );
    const ids = created.flat().filter((_id, at) => at % 4 === 0);
    if (!isRemoved(session)) await session.sendAll(ids.map((id) => getPet(id)));
    await session.send(listPets('limit=100'));
  },
};
