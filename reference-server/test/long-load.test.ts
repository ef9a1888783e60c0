/** Hours of load on a stepped clock: the server's memory does not grow. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../index.ts';
import { askHandle, key, noon, type Question, write } from './client.ts';
import { heldBytes } from './garbage.ts';

const test = suite('long-load');

const hour = 3_600_000;
const mebibyte = 2 ** 20;
/** Rounds of eight requests: a leak of twelve bytes a request shows in six hours. */
const perHour = 2_000;

/** One request for each kind of answer, none of which adds an animal; the number makes queries, names and addresses new. */
function questions(number: number): readonly Question[] {
  const address = `192.0.2.${number % 200}`;
  return [
    { target: '/v1/pets/1' },
    { target: '/v1/pets?limit=100&status=available' },
    { target: `/v1/pets?limit=50&x=${number}` },
    { target: `/v1/pets/${number + 1_000}` },
    { body: write({ name: `name ${number}`, status: 'unknown' }) },
    { target: `/nowhere/${number}` },
    { authorization: null, address },
    { authorization: `Bearer wrong-${number}`, address },
  ];
}

for (const window of ['tightest', 'sliding'] as const) {
  test(`eight hours of load do not grow memory, at the limit too: ${window}`, () => {
    const { handle } = createPetStore({
      keys: [{ key, plan: 'free', perDay: 50_000 }],
      gaps: { 'rate-limit-window': window },
      animals: Array.from({ length: 200 }, (_nothing, at) => ({ name: `Animal ${at}`, categoryId: 1n })),
    });
    let number = 0;
    function loadFor(hours: number): void {
      const until = number + hours * perHour;
      for (; number < until; number += 1) {
        for (const question of questions(number)) askHandle(handle, question, noon + (number * hour) / perHour);
      }
    }
    loadFor(2);
    const before = heldBytes();
    loadFor(6);
    const grown = heldBytes() - before;
    assert.ok(grown < mebibyte, `${grown} bytes more are held`);
  });
}

test('the memory of a hundred thousand addresses is freed once they stop sending requests', () => {
  const { handle } = createPetStore();
  const ask = (address: string, now: number) => askHandle(handle, { authorization: null, address }, now);
  ask('192.0.2.1', noon);
  const before = heldBytes();
  for (let at = 0; at < 100_000; at += 1) ask(`2001:db8::${at}`, noon);
  const held = heldBytes() - before;
  assert.ok(held > 10 * mebibyte && held < 80 * mebibyte, `${held} bytes are held for them`);
  ask('192.0.2.1', noon + 24 * hour);
  ask('192.0.2.1', noon + 48 * hour);
  const left = heldBytes() - before;
  assert.ok(left < mebibyte, `${left} bytes are left of them`);
});

test.run();
