/** What the budget leaves buys more values for every rule, drawn by the seed of the run. */

import fc from 'fast-check';
import type { Check, Scenario } from '../check.ts';
import { plainCategory, plainPet } from '../checks/4.2-bodies.ts';
import { isRemoved } from '../checks/4.3-get-pet.ts';
import { idsSeen } from '../checks/seen.ts';
import { noKey, refusedCredentials } from '../credentials.ts';
import type { JsonObject } from '../json.ts';
import { createPet, createPetFrom, getPet, listPets } from '../requests.ts';
import type { PlannedRequest, Session } from '../session.ts';
import { type DrawnPet, drawnPets, invalidBodies, listQueries, unknownIds } from './arbitraries.ts';

function petOf(session: Session, { tail, categoryId, status }: DrawnPet): JsonObject {
  return {
    name: session.newName() + tail,
    categoryId: categoryId ?? plainCategory(session),
    ...(status === undefined ? {} : { status }),
  };
}

function draw<Value>(session: Session, values: fc.Arbitrary<Value>): Value {
  return fc.sample(values, { seed: Math.floor(session.random() * 2 ** 31), numRuns: 1 })[0]!;
}

function pick<Value>(session: Session, values: readonly Value[]): Value | undefined {
  return values[Math.floor(session.random() * values.length)];
}

function drawCreation(session: Session): PlannedRequest {
  return session.random() < 0.5
    ? createPet(petOf(session, draw(session, drawnPets)))
    : createPetFrom(draw(session, invalidBodies(plainPet(session))));
}

function drawRead(session: Session): PlannedRequest {
  const known = session.random() < 0.7 ? pick(session, idsSeen(session)) : undefined;
  return getPet(known ?? draw(session, unknownIds));
}

function drawRefused(session: Session): PlannedRequest {
  const credential = pick(session, refusedCredentials(session.keys.api)) ?? noKey;
  return { ...drawRequest(session, ['list', 'read']), credential };
}

type Kind = 'create' | 'list' | 'read' | 'refused';

function drawRequest(session: Session, kinds: readonly Kind[]): PlannedRequest {
  switch (pick(session, kinds)) {
    case 'create':
      return drawCreation(session);
    case 'read':
      return isRemoved(session) ? listPets() : drawRead(session);
    case 'refused':
      return drawRefused(session);
    default:
      return listPets(draw(session, listQueries));
  }
}

const drawnValues: Scenario = {
  kind: 'scenario',
  id: 'drawn-values',
  rank: 7,
  verifies: [
    'create-answer',
    'create-invalid-values',
    'create-malformed-body',
    'pet-name-kept',
    'pet-category-id-kept',
    'pet-status-kept',
    'list-limit',
    'list-status-filter',
    'list-complete',
    'get-answer',
    'get-not-found',
  ],
  title: 'Sends drawn animals, invalid bodies, listings and reads in any order, until the budget is spent',
  run: async (session) => {
    while (session.budget.requestsLeft() > 0) {
      const mayCreate = !session.settings.isReadOnly && session.budget.creationsLeft() > 0;
      const kinds: readonly Kind[] = mayCreate
        ? ['create', 'create', 'list', 'read', 'refused']
        : ['list', 'read', 'refused'];
      await session.send(drawRequest(session, kinds));
    }
  },
};

export const exploration: readonly Check[] = [drawnValues];
