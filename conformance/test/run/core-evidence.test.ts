/** Whether a run has seen each operation at work that it may use, and what it says of the first that it has not. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalOfGetPet } from '../../../spec/facts.ts';
import { noKey } from '../../http/credentials.ts';
import { trialSettings } from '../../proof/trial.ts';
import { whyUnserved } from '../../run/core-evidence.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import type { Settings } from '../../world/settings.ts';
import { readWorld } from '../../world/world.ts';
import { animalOf, created, exchangesOf, type HandMadeAnswer, page, read } from '../sections/evidence.ts';

function unservedIn(answers: readonly HandMadeAnswer[], settings: Partial<Settings> = {}): string {
  return reasonInWords(whyUnserved(readWorld(exchangesOf(answers), trialSettings(60, settings)))) ?? 'nothing';
}

const listed = page('');
const found = read(1, animalOf(1));

test('a success shows an operation at work, and so does the 404 of an id that no animal has', () => {
  assert.is(unservedIn([listed, created(1), found]), 'nothing');
  assert.is(unservedIn([listed, created(1), read(9, 404)]), 'nothing');
});

test('an answer of another status, a 404 of no id, no answer, or an answer to no key does not', () => {
  for (const one of [read(1, 500), read(1, 403), read(1, 300), read(1, 199), read('x', 404)])
    assert.match(unservedIn([listed, created(1), one]), /getPet.*(500|403|300|199|404)/);
  assert.match(unservedIn([listed, created(1), { ...found, isBroken: true }]), /getPet.*\(no answer\)/);
  assert.match(unservedIn([listed, created(1), { ...found, credential: noKey }]), /getPet.*none was sent/);
  assert.match(unservedIn([listed, { ...created(1), status: 404 }, found]), /createPet.*404/);
});

test('the first operation that was not served is named with its answers, and with what may help', () => {
  assert.is(
    unservedIn([]),
    'No request of listPets was served with the API key (none was sent): raise --max-requests.',
  );
  assert.is(
    unservedIn([listed, created(1), read(1, 500), read(1, 403), read(2, 500)]),
    'No request of getPet was served with the API key (500, 403): check that the scope of the key allows it.',
  );
});

test('an operation that the run may not use is not asked for', () => {
  assert.is(unservedIn([listed, found], { isReadOnly: true }), 'nothing');
  assert.is(unservedIn([listed, created(1)], { today: removalOfGetPet }), 'nothing');
  assert.match(unservedIn([listed, found]), /createPet.*none was sent/);
});

test('getPet is asked for until the run ends after its removal', () => {
  const today = removalOfGetPet - 2_000;
  const early = [listed, { ...created(1), seconds: 1 }];
  assert.match(unservedIn(early, { today }), /getPet.*none was sent/);
  assert.is(unservedIn([...early, { ...listed, seconds: 2 }], { today }), 'nothing');
});

test.run();
