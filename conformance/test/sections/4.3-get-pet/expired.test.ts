/** Animals that a service removes after a time are not missing; those that it loses otherwise are. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mayBeExpired } from '../../../sections/4.3-get-pet/expired.ts';
import { layers, type Wrap } from '../../../services/wraps.ts';
import { readHistory } from '../../../verdict/history.ts';
import { expiring } from '../../sandboxes.ts';
import { codesOf, judgeAfter, type TestClient } from '../test-client.ts';

const lost = ['holds', 'unexpected-status'];

/** Shows four animals, and asks for some of them twice when they are a hundred seconds old. */
const askLate =
  (...late: readonly bigint[]) =>
  async ({ create, list, get, wait }: TestClient): Promise<void> => {
    for (let count = 0; count < 4; count += 1) await create();
    await list('limit=100');
    await wait(30_000);
    for (const id of late) await get(id);
    for (const seconds of [70, 2]) {
      await wait(seconds * 1_000);
      for (const id of late) await get(id);
    }
  };

const judge = async (wrap: Wrap, ask: (client: TestClient) => Promise<void>): Promise<readonly string[]> =>
  codesOf(await judgeAfter('get-answer', { wrap }, ask));

test('animals that are gone for good, each older than any that was shown, were removed for their age', async () => {
  assert.equal(await judge(expiring(80_000), askLate(1n, 2n, 3n, 4n)), ['holds']);
});

test('animals that are gone while others as old are shown were lost', async () => {
  const wrap = expiring(80_000, (id) => id === 1n || id === 2n);
  assert.equal(await judge(wrap, askLate(1n, 2n, 3n, 4n)), lost);
  const isExpired: boolean[] = [];
  await judge(wrap, async (client) => {
    await askLate(1n, 2n, 3n, 4n)(client);
    const { exchanges, settings } = client.session;
    const history = readHistory(exchanges, settings);
    for (const pet of history.created) isExpired.push(mayBeExpired(history, pet, exchanges.at(-1)!));
  });
  assert.equal(isExpired, [false, false, false, false]);
});

test('a single animal that is gone, or animals that are gone within the settle time, were lost', async () => {
  assert.equal(await judge(expiring(80_000), askLate(1n)), lost);
  assert.equal(await judge(expiring(1_000), askLate(1n, 2n, 3n, 4n)), ['unexpected-status']);
});

test('an animal that is gone younger than others were shown was lost', async () => {
  const wrap = layers(
    expiring(80_000),
    expiring(0, (id) => id === 5n),
  );
  const ask = async (client: TestClient): Promise<void> => {
    await askLate(1n, 2n, 3n, 4n)(client);
    await client.create();
    await client.wait(63_000);
    for (let count = 0; count < 2; count += 1) await client.get(5n);
    await client.create();
    await client.wait(75_000);
    await client.get(6n);
  };
  assert.equal(await judge(wrap, ask), lost);
});

test.run();
