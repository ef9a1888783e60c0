/** §4.1: which pages prove that an animal is missing, and that the default limit is 20. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rateLimitKey } from '../../../http/credentials.ts';
import { isJsonObject, type JsonValue } from '../../../http/json.ts';
import { manyAnimals } from '../../../proof/variants/other-clients.ts';
import {
  changePage,
  changeQuery,
  fromWholeCatalogue,
  hasStatus,
  limitIn,
} from '../../../sections/4.1-list-pets/page-changes.ts';
import {
  cappedAt,
  isListing,
  keepingNewest,
  lagging,
  limitBeforeFilter,
} from '../../../sections/4.1-list-pets/visibility-changes.ts';
import { limitKey, type Wrap } from '../../../sections/fault.ts';
import { listPets } from '../../../sections/requests.ts';
import { codesOf, judgeAfter, type TestClient } from '../test-client.ts';

async function createSome({ create }: TestClient, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await create((['available', 'pending', 'sold'] as const)[at % 3]);
}

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

test('the settle time is that of the settings', async () => {
  for (const [waitMs, codes] of [
    [490, []],
    [500, ['animal-missing']],
  ] as const) {
    const findings = await judgeAfter(
      'list-complete',
      { wrap: lagging(60_000, isListing), settings: { settleMs: 500 } },
      async ({ create, list, wait }) => {
        await create();
        await wait(waitMs);
        await list('limit=100');
      },
    );
    assert.equal(codesOf(findings), codes, String(waitMs));
  }
});

test('a later, longer page with no larger limit proves that a page had room', async () => {
  const ask = (query: string) => async (client: TestClient) => {
    await createSome(client, 5);
    await client.wait(2_000);
    await client.list('limit=50');
    await client.create();
    await client.list(query);
  };
  const { failure, exchanges } = (await judgeAfter('list-complete', { wrap: losing(2n) }, ask('limit=50'))).find(
    (finding) => finding.failure !== undefined,
  )!;
  assert.is(
    failure?.message,
    'expected the animal 2 in a page with room for 50, received 4 animals, without 1 that the run created',
  );
  assert.equal(
    exchanges.map(({ number }) => number),
    [2, 6, 8],
  );
  // A longer page with a larger limit proves nothing: the service may return fewer animals for a smaller limit.
  assert.equal(codesOf(await judgeAfter('list-complete', { wrap: losing(2n) }, ask('limit=100'))), ['holds']);
});

test('an empty page had room', async () => {
  const findings = await judgeAfter('list-complete', { wrap: changePage(() => []) }, async ({ create, list, wait }) => {
    await create();
    await wait(2_000);
    await list('limit=1');
  });
  assert.equal(codesOf(findings), ['animal-missing']);
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
  const wrap: Wrap = (handle) => lagging(1_000, isListing)(newestThree(handle));
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
  const ask =
    (...queries: readonly string[]) =>
    async (client: TestClient) => {
      await createSome(client, 6);
      await client.wait(2_000);
      for (const query of queries) await client.list(query);
    };
  const judge = async (...queries: readonly string[]) =>
    codesOf(await judgeAfter('list-complete', { wrap: filtersLackSold }, ask(...queries)));
  const filtered = 'status=sold&limit=100';
  assert.equal(await judge('limit=100', filtered, 'limit=100'), ['animal-missing', 'holds']);
  assert.equal(await judge('limit=100', 'status=sold&limit=7', 'limit=100'), ['animal-missing', 'holds']);
  assert.equal(await judge('limit=100', 'status=sold&limit=6', 'limit=100'), ['holds']);
  assert.equal(await judge('limit=100', filtered), ['holds']);
  assert.equal(await judge(filtered, 'limit=100'), ['holds']);
  assert.equal(await judge('limit=6', filtered, 'limit=6'), ['holds']);
  assert.equal(await judge('limit=7', filtered, 'limit=7'), ['holds']);
  // A page that lacks another animal of the run is not the whole catalogue.
  const wrap: Wrap = (handle) => losing(1n)(filtersLackSold(handle));
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
    return changePage((page) => (isOther ? [] : page))(handle)(request, now);
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
    return (isOther ? handle : losing(1n)(handle))(request, now);
  };
  const more = await judgeAfter('list-complete', { wrap: onlyForOthers }, async (client) => {
    await createSome(client, 3);
    await client.wait(2_000);
    await client.list('limit=5');
    await client.session.send(asOther);
  });
  assert.equal(codesOf(more), ['holds']);
});

function withDefault(limit: number): Wrap {
  return changeQuery((query) => query.has('limit') || query.set('limit', String(limit)));
}

test('a page without a limit is as long as those with limit 20 right before and after it', async () => {
  const ask =
    (...queries: readonly string[]) =>
    async (client: TestClient) => {
      await createSome(client, 22);
      await client.wait(2_000);
      for (const query of queries) query === 'create' ? await client.create() : await client.list(query);
    };
  const judge = async (limit: number, ...queries: readonly string[]) =>
    codesOf(await judgeAfter('list-limit-default', { wrap: withDefault(limit) }, ask(...queries)));
  assert.equal(await judge(19, 'limit=20', '', 'limit=20'), ['default-differs']);
  assert.equal(await judge(20, 'limit=20', '', 'limit=20'), ['holds']);
  assert.equal(await judge(21, ''), ['too-many']);
  assert.equal(await judge(19, 'limit=20', ''), []);
  assert.equal(await judge(19, '', 'limit=20'), []);
  assert.equal(await judge(19, 'limit=20', 'create', '', 'limit=20'), []);
  assert.equal(await judge(19, 'limit=20', 'status=sold', 'limit=20'), []);
  assert.equal(await judge(3, 'limit=20&status=sold', 'status=sold', 'limit=20&status=sold'), []);
});

test('a service that caps pages below 20 fails nothing', async () => {
  const findings = await judgeAfter('list-limit-default', { wrap: cappedAt(7) }, async (client) => {
    await createSome(client, 22);
    await client.wait(2_000);
    for (const query of ['limit=20', '', 'limit=20']) await client.list(query);
  });
  assert.equal(codesOf(findings), []);
});

test('a page that exceeds its limit fails, in any order of the parameters', async () => {
  const doubled = fromWholeCatalogue((page, query) => page.slice(0, 2 * limitIn(query, 10)));
  for (const query of ['limit=3', 'limit=1&status=sold']) {
    const findings = await judgeAfter('list-limit', { wrap: doubled }, async (client) => {
      await createSome(client, 12);
      await client.list(query);
    });
    assert.equal(codesOf(findings), ['too-many'], query);
  }
});

test.run();
