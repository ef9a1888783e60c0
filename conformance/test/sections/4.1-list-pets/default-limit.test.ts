/** §4.1: which pages prove that the default limit is 20, and that a page is too long. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isVarying } from '../../../sections/4.1-list-pets/completeness.ts';
import { changePage, changeQuery, fromWholeCatalogue, limitIn } from '../../../services/page-changes.ts';
import { cappedAt } from '../../../services/visibility-changes.ts';
import type { Wrap } from '../../../services/wraps.ts';
import { keysOfTrials } from '../../../services/wraps.ts';
import { readHistory } from '../../../verdict/history.ts';
import { codesOf, createSome, judgeAfter, type TestClient } from '../test-client.ts';

function withDefault(limit: number): Wrap {
  return changeQuery((query) => query.has('limit') || query.set('limit', String(limit)));
}

test('a page without a limit is as long as those with limit 20 right before and after it', async () => {
  const ask =
    (...queries: readonly string[]) =>
    async (client: TestClient) => {
      await createSome(client, 22);
      await client.wait(63_000);
      for (const query of queries) {
        query === 'create' ? await client.create() : await client.list(query);
        await client.wait(500);
      }
    };
  const judge = async (limit: number, ...queries: readonly string[]) =>
    codesOf(await judgeAfter('list-limit-default', { wrap: withDefault(limit) }, ask(...queries)));
  const round = ['limit=20', '', 'limit=20'];
  assert.equal(await judge(19, ...round, ...round), ['default-differs']);
  assert.equal(await judge(20, ...round), ['holds']);
  assert.equal(await judge(21, ''), ['too-many']);
  // One round may be answered with old copies.
  assert.equal(await judge(19, ...round), []);
  assert.equal(await judge(19, 'limit=20', '', 'limit=20', ''), []);
  assert.equal(await judge(19, ...round, 'create', ...round), []);
  assert.equal(await judge(19, 'limit=20', 'status=sold', 'limit=20', 'status=sold', 'limit=20'), []);
  const sold = ['limit=20&status=sold', 'status=sold', 'limit=20&status=sold'];
  assert.equal(await judge(3, ...sold, ...sold), []);
});

test('two rounds at once suffice where all pages show the newest animal', async () => {
  const ask = async (client: TestClient, isNewestFirst: boolean) => {
    await createSome(client, 22);
    await client.wait(2_000);
    for (const query of ['limit=20', '', 'limit=20', '', 'limit=20']) await client.list(query);
    assert.is((await client.list('limit=1')).includes(22n), isNewestFirst);
  };
  const newestFirst: Wrap = (handle) =>
    withDefault(19)(
      fromWholeCatalogue((page, query) => page.toReversed().slice(0, limitIn(query, 20)))(handle, keysOfTrials),
      keysOfTrials,
    );
  const fresh = await judgeAfter('list-limit-default', { wrap: newestFirst }, (client) => ask(client, true));
  assert.equal(codesOf(fresh), ['default-differs']);
  const old = await judgeAfter('list-limit-default', { wrap: withDefault(19) }, (client) => ask(client, false));
  assert.equal(codesOf(old), []);
});

test('rounds that agree by chance prove nothing where another has other lengths', async () => {
  const lengthsOf = async (...lengths: readonly number[]): Promise<readonly string[]> => {
    let asked = 0;
    const varying = changePage((page, { query }) => {
      if (limitIn(query, 20) < 20) return undefined;
      asked += 1;
      return page.slice(-(lengths[asked - 1] ?? 20));
    });
    const findings = await judgeAfter('list-limit-default', { wrap: varying }, async (client) => {
      await createSome(client, 20);
      await client.wait(2_000);
      for (const query of lengths.map((_length, at) => (at % 3 === 1 ? '' : 'limit=20'))) await client.list(query);
    });
    return codesOf(findings).filter((code) => code !== 'holds');
  };
  assert.equal(await lengthsOf(12, 9, 12, 12, 9, 12), ['default-differs']);
  assert.equal(await lengthsOf(12, 9, 12, 12, 9, 12, 14, 9, 14), []);
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

test('pages vary where one of the same query, with room, lacks an animal that those around it show', async () => {
  const varies = async (...lengths: readonly number[]): Promise<boolean> => {
    let asked = 0;
    const wrap = changePage((page) => {
      asked += 1;
      return page.slice(0, lengths[asked - 1]);
    });
    let isSeen = false;
    await judgeAfter('list-complete', { wrap }, async (client) => {
      await createSome(client, 3);
      for (const _length of lengths) await client.list('limit=3');
      isSeen = isVarying(readHistory(client.session.exchanges, client.session.settings));
    });
    return isSeen;
  };
  assert.ok(await varies(3, 2, 3));
  assert.ok(await varies(2, 1, 2));
  for (const lengths of [
    [3, 3, 3],
    [3, 2],
    [3, 2, 2],
    [1, 2, 3],
  ]) {
    assert.not.ok(await varies(...lengths), String(lengths));
  }
});

test.run();
