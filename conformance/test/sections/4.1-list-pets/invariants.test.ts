/** §4.1: which pages prove that an animal is missing. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rateLimitKey } from '../../../http/credentials.ts';
import { isJsonObject, type JsonValue } from '../../../http/json.ts';
import { createPet, listPets } from '../../../sections/requests.ts';
import { manyAnimals } from '../../../services/other-clients.ts';
import { changePage, exchanging, fromWholeCatalogue, hasStatus, limitIn } from '../../../services/page-changes.ts';
import {
  cappedAt,
  cappedAtBytes,
  isListing,
  lagging,
  limitBeforeFilter,
} from '../../../services/visibility-changes.ts';
import {
  changeAnimals,
  changeAnswer,
  keysOfTrials,
  layers,
  limitKey,
  mapField,
  type Wrap,
} from '../../../services/wraps.ts';
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
async function askRepeatedly({ list, wait }: TestClient, query: string, times = 3): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await list(query);
    await wait(1_000);
  }
}

test('an empty page fails when it stays empty for longer than any cache keeps a copy', async () => {
  for (const [waitMs, times, codes] of [
    [59_000, 3, []],
    [61_900, 3, ['animal-missing']],
    [61_900, 2, []],
    [200_000, 1, []],
  ] as const) {
    const wrap = lagging(600_000, isListing);
    const findings = await judgeAfter('list-complete', { wrap }, async (client) => {
      await client.create();
      await client.wait(waitMs);
      await askRepeatedly(client, 'limit=100', times);
    });
    assert.equal(codesOf(findings), codes, `${waitMs} ${times}`);
  }
});

test('the settle time, Age and max-age lengthen the time', async () => {
  const aged = (headers: object): Wrap => {
    const typed = changeAnswer((answer, { operation }) =>
      operation === 'listPets' ? { ...answer, headers: { ...answer.headers, ...headers } } : undefined,
    );
    return (handle) => typed(lagging(600_000, isListing)(handle, keysOfTrials), keysOfTrials);
  };
  const judge = async (headers: object, waitMs: number, settleMs = 2_000) =>
    codesOf(
      await judgeAfter('list-complete', { wrap: aged(headers), settings: { settleMs } }, async (client) => {
        await client.create();
        await client.wait(waitMs);
        await askRepeatedly(client, 'limit=100');
      }),
    );
  assert.equal(await judge({}, 70_000), ['animal-missing']);
  assert.equal(await judge({}, 70_000, 80_000), []);
  assert.equal(await judge({}, 81_000, 80_000), ['animal-missing']);
  const controls = ['public, max-age=90', 's-maxage="90"'].map((control) => ({ 'Cache-Control': control }));
  for (const headers of [{ Age: '90' }, ...controls]) {
    assert.equal(await judge(headers, 70_000), [], JSON.stringify(headers));
    assert.equal(await judge(headers, 95_000), ['animal-missing']);
  }
});

test('a page that grows by an animal of the run had room for the one that it lacks', async () => {
  const ask = (before: string, after: string, times: number) => async (client: TestClient) => {
    await createSome(client, 5);
    await client.wait(2_000);
    for (let time = 0; time < times; time += 1) await client.list(before);
    await client.create();
    await client.list(after);
  };
  const judge = (...asked: Parameters<typeof ask>) => judgeAfter('list-complete', { wrap: losing(2n) }, ask(...asked));
  const { failure, exchanges } = (await judge('limit=50', 'limit=50', 3)).find((one) => one.failure !== undefined)!;
  assert.is(
    sentenceOf(failure!),
    'expected the animal 2 from GET /pets?limit=50, a page with room for 50, received 4 animals without it',
  );
  assert.equal(
    exchanges.map(({ number }) => number),
    [2, 6, 7, 8, 9, 10],
  );
  // Two equal pages may be equal by chance, and pages of other queries may be cut at another length.
  assert.equal(codesOf(await judge('limit=50', 'limit=50', 2)), ['holds']);
  assert.equal(codesOf(await judge('limit=50', 'limit=100', 3)), ['holds']);
  assert.equal(codesOf(await judge('limit=50', 'limit=49', 3)), ['holds']);
});

test('a page that is capped by its size proves no room for a long name that comes next', async () => {
  const cut = layers(
    cappedAtBytes(65_536),
    changePage((page) => page.toReversed()),
  );
  const judge = (wrap: Wrap, moreAnimals: number) =>
    judgeAfter('list-complete', { wrap }, async (client) => {
      await client.session.send(createPet({ name: `long-${'x'.repeat(65_300)}`, categoryId: 1n }));
      await createSome(client, 4);
      await client.wait(2_000);
      for (let time = 0; time < 3; time += 1) await client.list('limit=50');
      await createSome(client, moreAnimals);
      await client.list('limit=50');
      await client.get(1n);
    });
  assert.equal(codesOf(await judge(cut, 1)), ['holds']);
  assert.equal(codesOf(await judge(losing(1n), 1)), ['holds']);
  // Later pages show how long a page may be: there was room for a short name, but none is known for the long one.
  assert.equal(codesOf(await judge(losing(2n), 3)), ['animal-missing', 'holds']);
  assert.equal(codesOf(await judge(losing(1n), 3)), ['holds']);
});

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

const filtersLackSold = changePage((page, { query }) => (query.get('status') === 'sold' ? page.slice(1) : undefined));

test('the whole catalogue before and after a filtered page proves that the page had room', async () => {
  const ask = (before: string, filtered: string, after: string) => async (client: TestClient) => {
    await createSome(client, 6);
    await client.wait(2_000);
    if (before !== '') await client.list(before);
    for (const _time of [1, 2, 3]) await client.list(filtered);
    await client.create('sold');
    await client.list(filtered);
    await client.wait(2_000);
    if (after !== '') await client.list(after);
  };
  const judge = async (...queries: Parameters<typeof ask>) =>
    codesOf(await judgeAfter('list-complete', { wrap: filtersLackSold }, ask(...queries)));
  const filtered = 'status=sold&limit=100';
  assert.equal(await judge('limit=100', filtered, 'limit=100'), ['animal-missing', 'holds']);
  assert.equal(await judge('limit=100', 'status=sold&limit=8', 'limit=100'), ['animal-missing', 'holds']);
  assert.equal(await judge('limit=100', 'status=sold&limit=6', 'limit=100'), ['holds']);
  assert.equal(await judge('limit=100', filtered, ''), ['holds']);
  assert.equal(await judge('', filtered, 'limit=100'), ['holds']);
  assert.equal(await judge('limit=6', filtered, 'limit=6'), ['holds']);
  // A page that lacks another animal of the run is not the whole catalogue.
  const wrap: Wrap = (handle) => losing(1n)(filtersLackSold(handle, keysOfTrials), keysOfTrials);
  const findings = await judgeAfter('list-complete', { wrap }, ask('limit=100', filtered, 'limit=100'));
  assert.equal(codesOf(findings), ['holds']);
});

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
