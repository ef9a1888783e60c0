/** The animals of earlier runs fail no later run: the interface has no way to delete them. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { names } from '../../services/creations.ts';
import type { Wrap } from '../../services/wraps.ts';
import { keysOfTrials } from '../../services/wraps.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import { failuresIn, type HandMadeAnswer } from './evidence.ts';

/** The failures of three consecutive runs against one server. */
async function failuresOfThree(wrap: Wrap, nameTemplate: string | undefined): Promise<readonly string[]> {
  const handle = wrap(createPetStore({ keys: trialKeys }).handle, keysOfTrials);
  const failures: string[] = [];
  for (const [at, runTag] of ['1a2b3c', '2b3c4d', '3c4d5e'].entries()) {
    const settings = trialSettings(300, {
      seed: at,
      plan: 'business',
      hasRateLimitKey: false,
      ...(nameTemplate === undefined ? {} : { nameTemplate }),
    });
    const startsAt = Date.UTC(2026, 10, 21, 12 + at);
    const report = await runInProcess(handle, settings, { runTag, startsAt });
    assert.is(report.exitCode, 0, reasonInWords(report.reason));
    failures.push(...report.requirements.flatMap((one) => (one.verdict === 'fail' ? [one.id] : [])));
  }
  return failures;
}

test('three consecutive runs against one server conform', async () => {
  assert.equal(await failuresOfThree((handle) => handle, undefined), []);
});

test('so do runs that use the same name', async () => {
  assert.equal(await failuresOfThree(names(400, /^Rex$/), 'Rex'), []);
  assert.equal(await failuresOfThree((handle) => handle, 'Rex'), []);
});

/** A creation, and a page with two animals of its name. */
function listedTwice(name: string): readonly HandMadeAnswer[] {
  const pet = (id: number) => ({ id, name, categoryId: 1 });
  const body = JSON.stringify({ name, categoryId: 1 });
  return [
    {
      request: { operation: 'createPet', method: 'POST', target: '/pets', body, contentType: 'application/json' },
      status: 201,
      body: JSON.stringify(pet(9)),
    },
    { request: { operation: 'listPets', target: '/pets' }, body: JSON.stringify([pet(2), pet(9)]) },
  ];
}

test('only a name that is unique to the run shows that a creation was carried out twice', () => {
  const codes = (name: string, changes?: { readonly nameTemplate: string }) =>
    failuresIn(listedTwice(name), /^create-answer$/, changes).map(({ failure }) => failure.code);
  assert.equal(codes('cf-1a2b3c-01'), ['created-twice']);
  assert.equal(codes('0'), []);
  assert.equal(codes('Pet bklcmdab', { nameTemplate: 'Pet {n}' }), ['created-twice']);
  assert.equal(codes('Pet', { nameTemplate: 'Pet' }), []);
});

test.run();
