/** A catalogue that was emptied may assign its ids anew; one that loses some animals, or all of them all the time, may not. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RequirementId } from '../../../spec/requirements.ts';
import { isJsonObject } from '../../http/json.ts';
import { cache } from '../../services/caches.ts';
import { manyAnimals } from '../../services/other-clients.ts';
import { changePage } from '../../services/page-changes.ts';
import { changeCreated, layers, type Wrap } from '../../services/wraps.ts';
import { startsAnew } from '../sandboxes.ts';
import { codesOf, createSome, judgeAfter, type TestClient } from '../sections/test-client.ts';

const ofAnimals = ['pet-id-unique', 'list-complete', 'get-answer', 'get-until-removal'] as const;

/** Four animals that are listed and read, then `count` more, all listed and read. */
const asks =
  (count: number) =>
  async (client: TestClient): Promise<void> => {
    const look = async (): Promise<void> => {
      await client.wait(70_000);
      for (let time = 0; time < 3; time += 1) await client.list('limit=50');
      for (const id of [1n, 2n, 3n, 4n]) await client.get(id);
    };
    await createSome(client, 4);
    await look();
    await createSome(client, count);
    await look();
    await createSome(client, 1);
    await look();
  };

async function failures(wrap: Wrap, count = 2): Promise<readonly string[]> {
  const codes = ofAnimals.map(async (id: RequirementId) => codesOf(await judgeAfter(id, { wrap }, asks(count))));
  return (await Promise.all(codes)).flat().filter((code) => code !== 'holds');
}

test('what was shown before the catalogue was emptied is neither missing nor in use', async () => {
  for (const after of [11, 12, 13]) assert.equal(await failures(startsAnew(after)), [], String(after));
});

test('copies of a cache may show the animals from before while their ids are assigned again', async () => {
  const judge = async (wrap: Wrap, requirement: RequirementId): Promise<readonly string[]> =>
    codesOf(
      await judgeAfter(requirement, { wrap }, async (client) => {
        const look = async (): Promise<void> => {
          for (let time = 0; time < 2; time += 1) await client.list('limit=50');
          await client.get(1n);
        };
        await createSome(client, 4);
        await look();
        await createSome(client, 2);
        await look();
        await client.wait(11_000);
        await look();
      }),
    );
  const ttl = { ttlMs: 10_000 };
  for (const requirement of ['pet-id-unique', 'pet-name-kept', 'get-answer'] as const) {
    assert.equal(await judge(layers(cache(ttl), startsAnew(7)), requirement), ['holds'], requirement);
  }
  const twice = changeCreated((pet, _call, count) => (count > 4 ? { ...pet, id: BigInt(count - 4) } : pet));
  assert.equal(await judge(layers(cache(ttl), twice), 'pet-id-unique'), ['holds', 'id-assigned-twice']);
});

test('an id that is assigned twice fails where an earlier animal is still shown', async () => {
  const again = changeCreated((pet, _call, count) => (count === 5 ? { ...pet, id: 2n } : pet));
  assert.ok((await failures(again)).includes('id-assigned-twice'));
});

test('an animal that is missing beside an older one fails', async () => {
  let requests = 0;
  const losing = layers(
    changePage((page) => {
      requests += 1;
      return requests > 3 ? page.filter((entry) => !isJsonObject(entry) || entry['id'] !== 3n) : undefined;
    }),
  );
  assert.ok((await failures(losing)).includes('animal-missing'));
});

test('the id of an animal of another client fails only where that animal is shown again', async () => {
  const judge = (isRemoved: boolean) => {
    const wrap = layers(
      changePage((page, _call, count) => {
        const [first, ...rest] = page;
        return count > 1 && isRemoved ? rest : isJsonObject(first) ? [first, ...rest] : undefined;
      }),
      changeCreated((pet) => ({ ...pet, id: 1n })),
    );
    return judgeAfter('pet-id-unique', { wrap, animals: manyAnimals(3) }, async ({ create, list }) => {
      await list('limit=50');
      await create();
      await list('limit=50');
    });
  };
  assert.equal(codesOf(await judge(true)), ['holds']);
  assert.equal(codesOf(await judge(false)), ['holds', 'id-in-use']);
});

test('ids of animals that were listed before fail where several are assigned again', async () => {
  const judge = async (times: number, areOthersShown: boolean, removed?: number) => {
    // Those that it replaces are shown no more.
    const counted = layers(
      changePage((page, _call, count) => {
        if (count === 2 && removed !== undefined) return page.slice(removed);
        return count === 1 ? page : page.slice(areOthersShown ? times : times + 3);
      }),
      changeCreated((pet, _call, count) => ({ ...pet, id: BigInt(count) })),
    );
    const server = { wrap: counted, animals: manyAnimals(times + 3) };
    return judgeAfter('pet-id-unique', server, async ({ create, list }) => {
      await list('limit=50');
      if (removed !== undefined) await list('limit=50');
      for (let time = 0; time < times; time += 1) await create();
      await list('limit=50');
    });
  };
  assert.equal(codesOf(await judge(1, true)), ['holds']);
  assert.equal(codesOf(await judge(2, true)), ['holds', 'id-in-use']);
  // Others may have removed all that was there.
  assert.equal(codesOf(await judge(2, false)), ['holds']);
  // A page shows that others had removed two animals, or that they removed some other animal.
  assert.equal(codesOf(await judge(2, true, 2)), ['holds']);
  assert.equal(codesOf(await judge(2, true, 0)), ['holds', 'id-in-use']);
});

test('a catalogue that is emptied again and again is judged as one that loses its animals', async () => {
  const judge = async (times: number): Promise<boolean> => {
    const wrap: Wrap = layers(...Array.from({ length: times }, (_nothing, at) => startsAnew((times - at) * 7)));
    const findings = await judgeAfter('pet-id-unique', { wrap }, async (client) => {
      for (let time = 0; time <= times; time += 1) {
        await createSome(client, 4);
        await client.wait(3_000);
        for (let page = 0; page < 3; page += 1) await client.list('limit=50');
      }
    });
    return codesOf(findings).includes('id-assigned-twice');
  };
  assert.is(await judge(1), false);
  assert.is(await judge(2), true);
});

test.run();
