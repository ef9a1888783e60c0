/** What a page proves: room that it has, a default that it keeps, and nothing about animals that had no time to appear. */

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
import { type Asking, codesOf, judgeAfter } from '../asking.ts';

async function createSome({ create }: Asking, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await create((['available', 'pending', 'sold'] as const)[at % 3]);
}

/** Lists nothing with an id, whatever is asked. */
const losing = (id: bigint): Wrap =>
  changePage((page) => page.filter((entry: JsonValue) => !isJsonObject(entry) || entry['id'] !== id));

test('an animal that is missing at first is no failure, nor where it is listed when it has settled', async () => {
  const findings = await judgeAfter('list-complete', { wrap: lagging(1_000, isListing) }, async (asking) => {
    await createSome(asking, 5);
    assert.equal(await asking.list('limit=100'), []);
    assert.equal(await asking.list('status=sold&limit=100'), []);
    await asking.wait(2_000);
    assert.is((await asking.list('limit=100')).length, 5);
  });
  assert.equal(codesOf(findings), ['holds']);
});

test('settled is what was answered as long ago as the settings say, not sooner', async () => {
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

test('a page that lacks a settled animal had room where a later one with no larger limit holds all of it and more', async () => {
  const ask = (query: string) => async (asking: Asking) => {
    await createSome(asking, 5);
    await asking.wait(2_000);
    await asking.list('limit=50');
    await asking.create();
    await asking.list(query);
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
  // A longer page of a larger limit leaves it open whether the service holds back more the less is asked for.
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

test('capped pages and services that keep the newest lack animals and break nothing', async () => {
  for (const wrap of [cappedAt(3), keepingNewest(3)]) {
    const findings = await judgeAfter('list-complete', { wrap }, async (asking) => {
      for (let round = 0; round < 4; round += 1) {
        await createSome(asking, 2);
        await asking.wait(2_000);
        await asking.list('limit=100');
        await asking.list('status=available&limit=100');
      }
    });
    assert.equal(codesOf(findings), ['holds']);
  }
});

test('what appeared meanwhile proves no room: a page may be cut before it leaves out what is not there yet', async () => {
  const newestThree = fromWholeCatalogue((page, query) => page.toReversed().slice(0, Math.min(3, limitIn(query, 20))));
  const wrap: Wrap = (handle) => lagging(1_000, isListing)(newestThree(handle));
  const findings = await judgeAfter('list-complete', { wrap }, async (asking) => {
    await createSome(asking, 3);
    await asking.wait(2_000);
    await asking.create();
    assert.equal(await asking.list('limit=100'), [3n, 2n]);
    await asking.wait(2_000);
    assert.equal(await asking.list('limit=100'), [4n, 3n, 2n]);
  });
  assert.equal(codesOf(findings), ['holds']);
});

const filtersLackSold = changePage((page, { query }) => (query.get('status') === 'sold' ? page.slice(1) : undefined));

test('a filtered page lacks an animal where the whole catalogue, shorter than its limit, shows it before and after', async () => {
  const ask =
    (...queries: readonly string[]) =>
    async (asking: Asking) => {
      await createSome(asking, 6);
      await asking.wait(2_000);
      for (const query of queries) await asking.list(query);
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
  // Where the whole lacks another animal, it is not the whole.
  const wrap: Wrap = (handle) => losing(1n)(filtersLackSold(handle));
  const findings = await judgeAfter('list-complete', { wrap }, ask('limit=100', filtered, 'limit=100'));
  assert.equal(codesOf(findings), ['holds']);
});

test('an animal whose status was seen to change need not be where it was', async () => {
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

test('a limit that is applied before the filter breaks nothing', async () => {
  for (const animals of [[], manyAnimals(40)]) {
    const findings = await judgeAfter('list-complete', { wrap: limitBeforeFilter, animals }, async (asking) => {
      await createSome(asking, 9);
      await asking.wait(2_000);
      for (const limit of [100, 20, 3]) {
        for (const query of ['', 'status=sold&', '']) await asking.list(`${query}limit=${limit}`);
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
  const more = await judgeAfter('list-complete', { wrap: onlyForOthers }, async (asking) => {
    await createSome(asking, 3);
    await asking.wait(2_000);
    await asking.list('limit=5');
    await asking.session.send(asOther);
  });
  assert.equal(codesOf(more), ['holds']);
});

function withDefault(limit: number): Wrap {
  return changeQuery((query) => query.has('limit') || query.set('limit', String(limit)));
}

test('a page without limit is as long as those with limit 20 right before and after, where nothing was added', async () => {
  const ask =
    (...queries: readonly string[]) =>
    async (asking: Asking) => {
      await createSome(asking, 22);
      await asking.wait(2_000);
      for (const query of queries) query === 'create' ? await asking.create() : await asking.list(query);
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

test('services with shorter pages than 20 have the same default as those with limit 20', async () => {
  const findings = await judgeAfter('list-limit-default', { wrap: cappedAt(7) }, async (asking) => {
    await createSome(asking, 22);
    await asking.wait(2_000);
    for (const query of ['limit=20', '', 'limit=20']) await asking.list(query);
  });
  assert.equal(codesOf(findings), []);
});

test('a page too long for its limit is told, whichever comes first in the query', async () => {
  const doubled = fromWholeCatalogue((page, query) => page.slice(0, 2 * limitIn(query, 10)));
  for (const query of ['limit=3', 'limit=1&status=sold']) {
    const findings = await judgeAfter('list-limit', { wrap: doubled }, async (asking) => {
      await createSome(asking, 12);
      await asking.list(query);
    });
    assert.equal(codesOf(findings), ['too-many'], query);
  }
});

test.run();
