/** §4.1: which pages prove that an animal is missing. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rateLimitKey } from '../../../http/credentials.ts';
import { isJsonObject, type JsonValue } from '../../../http/json.ts';
import { createPet, listPets } from '../../../sections/requests.ts';
import { manyAnimals } from '../../../services/other-clients.ts';
import { changePage, exchanging, fromWholeCatalogue, hasStatus, limitIn } from '../../../services/page-changes.ts';
import { cappedAt, isListing, lagging, limitBeforeFilter } from '../../../services/visibility.ts';
import { changeAnimals, keysOfTrials, limitKey, mapField, type Wrap } from '../../../services/wraps.ts';
import { sentenceOf } from '../../../verdict/failure.ts';
import { keepingNewest } from '../../sandboxes.ts';
import { codesOf, createSome, judgeAfter, type TestClient } from '../test-client.ts';

/** Leaves one animal out of every page. */
const losing = (id: bigint): Wrap =>
  changePage((page) => page.filter((entry: JsonValue) => !isJsonObject(entry) || entry['id'] !== id));

test('an animal that appears within the settle time fails nothing', async () => {
  const findings = await judgeAfter('list-complete', { wrap: lagging(1_000, isListing) }, async (client) => {
    await createSome(client, 5);
    assert.equal(await client.list('limit=100'), []);
    assert.equal(await client.list('status=sold&limit=100'), []);
    await client.wait(2_000);
    assert.is((await client.list('limit=100')).length, 5);
  });
  assert.equal(codesOf(findings), ['holds']);
});

/** Asks for the same several times, a second apart. */
async function _askRepeatedly({ list, wait }: TestClient, query: string, times = 3): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await list(query);
    await wait(1_000);
  }
}

test('pages of varying length prove nothing', async () => {
  let pages = 0;
  const varying = changePage((page) => {
    pages += 1;
    return page.slice(0, [3, 4, 3, 3, 3, 4][pages - 1] ?? 5);
  });
  const findings = await judgeAfter('list-complete', { wrap: varying }, async (client) => {
    await createSome(client, 6);
    await client.wait(2_000);
    for (let time = 0; time < 5; time += 1) await client.list('limit=50');
    await client.create();
    for (let time = 0; time < 3; time += 1) await client.list('limit=50');
  });
  assert.equal(codesOf(findings), ['holds']);
});

test('an animal that pages show under another id fails at once', async () => {
  const wrap = changeAnimals(
    mapField('id', (id) => (typeof id === 'bigint' ? id + 100n : id)),
    'listPets',
  );
  const findings = await judgeAfter('list-complete', { wrap }, async ({ create, list }) => {
    await create();
    await list('limit=100');
  });
  assert.equal(codesOf(findings), ['id-differs']);
  assert.match(
    sentenceOf(findings[0]!.failure!),
    /^expected the animal 1 in pages .* received its name with the id 101$/,
  );
});

test('two animals of the run that exchange their names or ids in a page fail; in another order or sharing a name they do not', async () => {
  const reversed = changePage((page) => page.toReversed());
  for (const [wrap, codes] of [
    [exchanging('name'), ['id-differs']],
    [exchanging('id'), ['id-differs']],
    [reversed, []],
  ] as const) {
    for (const query of ['limit=100', undefined]) {
      const findings = await judgeAfter('list-complete', { wrap }, async ({ create, list }) => {
        await create();
        await create();
        await list(query);
      });
      const failing = codesOf(findings).filter((code) => code !== 'holds');
      assert.equal(failing, codes, query ?? 'without a limit');
    }
  }
  const namesakes = await judgeAfter('list-complete', { wrap: exchanging('id') }, async ({ session, list }) => {
    const name = session.newName();
    for (let time = 0; time < 2; time += 1) await session.send(createPet({ name, categoryId: 1n }));
    await list('limit=100');
  });
  assert.equal(codesOf(namesakes), ['holds']);
});

test('services that cap pages or keep only the newest animals fail nothing', async () => {
  for (const wrap of [cappedAt(3), keepingNewest(3)]) {
    const findings = await judgeAfter('list-complete', { wrap }, async (client) => {
      for (let round = 0; round < 4; round += 1) {
        await createSome(client, 2);
        await client.wait(2_000);
        await client.list('limit=100');
        await client.list('status=available&limit=100');
      }
    });
    assert.equal(codesOf(findings), ['holds']);
  }
});

test('an animal that appeared in between proves no room: a page may be cut before new animals are left out', async () => {
  const newestThree = fromWholeCatalogue((page, query) => page.toReversed().slice(0, Math.min(3, limitIn(query, 20))));
  const wrap: Wrap = (handle) => lagging(1_000, isListing)(newestThree(handle, keysOfTrials), keysOfTrials);
  const findings = await judgeAfter('list-complete', { wrap }, async (client) => {
    await createSome(client, 3);
    await client.wait(2_000);
    await client.create();
    assert.equal(await client.list('limit=100'), [3n, 2n]);
    await client.wait(2_000);
    assert.equal(await client.list('limit=100'), [4n, 3n, 2n]);
  });
  assert.equal(codesOf(findings), ['holds']);
});

const _filtersLackSold = changePage((page, { query }) => (query.get('status') === 'sold' ? page.slice(1) : undefined));

test('an animal whose status changed need not match a filter any more', async () => {
  let requests = 0;
  const turns = changePage((page, { query }) => {
    requests += 1;
    if (requests < 3) return undefined;
    const turned = page.map((entry) => (isJsonObject(entry) ? { ...entry, status: 'pending' } : entry));
    return turned.filter(hasStatus(query.get('status') ?? 'pending'));
  });
  const findings = await judgeAfter('list-complete', { wrap: turns }, async ({ create, list, wait }) => {
    await create('sold');
    await wait(2_000);
    for (const query of ['limit=100', 'limit=100', 'status=sold&limit=100', 'limit=100']) await list(query);
  });
  assert.equal(codesOf(findings), ['holds']);
});

test('a limit that is applied before the filter fails nothing', async () => {
  for (const animals of [[], manyAnimals(40)]) {
    const findings = await judgeAfter('list-complete', { wrap: limitBeforeFilter, animals }, async (client) => {
      await createSome(client, 9);
      await client.wait(2_000);
      for (const limit of [100, 20, 3]) {
        for (const query of ['', 'status=sold&', '']) await client.list(`${query}limit=${limit}`);
      }
    });
    assert.equal(codesOf(findings), ['holds']);
  }
});

test('another key may see other animals', async () => {
  const wrap: Wrap = (handle) => (request, now) => {
    const isOther = request.headers.some(([, value]) => value.includes('Limit-Key'));
    return changePage((page) => (isOther ? [] : page))(handle, keysOfTrials)(request, now);
  };
  const asOther = listPets('limit=5', rateLimitKey(limitKey));
  const fewer = await judgeAfter('list-complete', { wrap }, async ({ session, create, wait }) => {
    await create();
    await wait(2_000);
    await session.send(asOther);
  });
  assert.equal(codesOf(fewer), []);
  const onlyForOthers: Wrap = (handle) => (request, now) => {
    const isOther = request.headers.some(([, value]) => value.includes('Limit-Key'));
    return (isOther ? handle : losing(1n)(handle, keysOfTrials))(request, now);
  };
  const more = await judgeAfter('list-complete', { wrap: onlyForOthers }, async (client) => {
    await createSome(client, 3);
    await client.wait(2_000);
    await client.list('limit=5');
    await client.session.send(asOther);
  });
  assert.equal(codesOf(more), ['holds']);
});

test.run();
