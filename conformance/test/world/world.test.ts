/** What a world takes from its exchanges: the operation that is removed, the keys that count, and the answers that are judged. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalOfGetPet } from '../../../spec/facts.ts';
import { noKey, rateLimitKey, type SentCredential } from '../../http/credentials.ts';
import { trialSettings } from '../../proof/trial.ts';
import { findCredential } from '../../sections/5-authentication/credentials.ts';
import { isAuthorized, isRemovedFor, readWorld } from '../../world/world.ts';
import { animalOf, apiKey, exchangesOf, type HandMadeAnswer, page, read } from '../sections/evidence.ts';

const worldOf = (...answers: readonly HandMadeAnswer[]) => readWorld(exchangesOf(answers), trialSettings(60));

test('getPet alone is removed, from the moment that §9 names', () => {
  const isRemoved = (today: number, operation: 'getPet' | 'listPets') =>
    isRemovedFor({ settings: trialSettings(60, { today }), exchanges: [] }, { operation, endedAt: 0 });
  assert.ok(isRemoved(removalOfGetPet, 'getPet'));
  assert.not.ok(isRemoved(removalOfGetPet - 1, 'getPet'));
  assert.not.ok(isRemoved(removalOfGetPet, 'listPets'));
});

test('the API key is authorized whatever the answer, one in an open form unless it gets 401, a limited one unless it is banned', () => {
  const lenient = findCredential('lower-case-bearer', { api: apiKey })!;
  const authorized = (credential: SentCredential | undefined, status: number): boolean =>
    isAuthorized(exchangesOf([{ ...read(1, status), ...(credential && { credential }) }])[0]!);
  const statuses = [200, 401, 403, 429];
  for (const [credential, expected] of [
    [undefined, [true, true, true, true]],
    [lenient, [true, false, true, true]],
    [rateLimitKey('Key-2'), [true, false, false, true]],
    [noKey, [false, false, false, false]],
  ] as const)
    assert.equal(
      statuses.map((status) => authorized(credential, status)),
      expected,
    );
});

test('an animal is known by a page, not by a read, whose client knew the id before', () => {
  assert.equal([...worldOf(page('', animalOf(1)), read(2, animalOf(2))).known.keys()], [1n]);
});

test('the last answer of a lasting outage is judged, those before it are not', () => {
  const down = (seconds: number, repeats?: number): HandMadeAnswer => ({
    ...read(1, 503),
    seconds,
    ...(repeats !== undefined && { repeats }),
  });
  const world = worldOf(down(1), down(2, 1), { ...page(''), seconds: 3 }, down(4, 1), down(9, 1));
  assert.equal(
    world.answered.map(({ number }) => number),
    [3, 5],
  );
});

test.run();
