/** §4.3: reads of known animals, of unknown ids, and of petIds that are no int64. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PetStatus } from '../../../../spec/operations.ts';
import type { RequirementId } from '../../../../spec/requirements.ts';
import { rateLimitKey } from '../../../http/credentials.ts';
import { getPet } from '../../../sections/requests.ts';
import { busy, manyAnimals } from '../../../services/other-clients.ts';
import { isListingOrRead, isRead, lagging } from '../../../services/visibility-changes.ts';
import {
  changeAnswer,
  changeCreated,
  changeRequest,
  errorAnswer,
  keysOfTrials,
  limitKey,
  type Wrap,
  withTarget,
} from '../../../services/wraps.ts';
import { keepingNewest } from '../../sandboxes.ts';
import { codesOf, judgeAfter, type Server, type TestClient } from '../test-client.ts';

/** Answers getPet of some animals with 404, although pages show them. */
const losing = (...ids: readonly bigint[]): Wrap =>
  changeAnswer((answer, { operation, request }) =>
    operation === 'getPet' && ids.some((id) => request.target === `/v1/pets/${id}`)
      ? errorAnswer(404, answer)
      : undefined,
  );

async function judge(
  requirement: RequirementId,
  server: Server,
  ask: (client: TestClient) => Promise<void>,
): Promise<readonly string[]> {
  return codesOf(await judgeAfter(requirement, server, ask));
}

test('a 404 fails only when no cache can have a copy from before the creation any more', async () => {
  const ask =
    (...waitsMs: readonly number[]) =>
    async ({ create, get, wait }: TestClient) => {
      const id = await create();
      for (const waitMs of waitsMs) {
        await wait(waitMs);
        await get(id);
      }
    };
  const never = { wrap: lagging(600_000, isRead) };
  for (const requirement of ['get-answer', 'get-until-removal'] as const) {
    assert.equal(await judge(requirement, { wrap: lagging(1_000, isRead) }, ask(0, 2_000)), ['holds']);
    assert.equal(await judge(requirement, never, ask(0, 2_000, 59_000)), []);
    // After an earlier read, a cache may answer the next one with its old copy.
    assert.equal(await judge(requirement, never, ask(0, 63_000)), []);
    // Without a page that shows the animal, the store may have lost it: §9 has nothing to report.
    const codes = requirement === 'get-answer' ? ['unexpected-status'] : [];
    assert.equal(await judge(requirement, never, ask(0, 63_000, 1_000)), codes);
    assert.equal(await judge(requirement, never, ask(63_000)), codes);
  }
  const listed = await judge('get-until-removal', never, async (client) => {
    await ask(63_000)(client);
    await client.list();
  });
  assert.equal(listed, ['removed-early']);
});

test('any status other than 200, 404 and 410 fails at once; 410 is judged by §9', async () => {
  for (const status of [201, 204, 301, 400, 500]) {
    const wrap = changeAnswer((answer, { operation }) => (operation === 'getPet' ? { ...answer, status } : undefined));
    const codes = await judge('get-answer', { wrap }, async ({ create, get }) => {
      await get(await create());
    });
    assert.equal(codes, ['unexpected-status'], String(status));
  }
});

test('an animal of another client may appear late and be removed', async () => {
  const server = { animals: manyAnimals(1), wrap: losing(1n) };
  const codes = (waitMs: number, hasNewer: boolean) =>
    judge('get-answer', server, async ({ create, list, get, wait }) => {
      await list('limit=100');
      await wait(waitMs);
      await get(1n);
      if (hasNewer) await create();
      await list('limit=100');
    });
  assert.equal(await codes(63_000, true), ['unexpected-status']);
  assert.equal(await codes(59_000, true), []);
  // A page without a newer animal may be an old copy, two of them long after the read are none.
  assert.equal(await codes(63_000, false), []);
  const listedLongAfter = await judge('get-answer', server, async ({ list, get, wait }) => {
    await list('limit=100');
    await wait(63_000);
    await get(1n);
    await wait(63_000);
    await list('limit=100');
    await wait(1_000);
    await list('limit=100');
  });
  assert.equal(listedLongAfter, ['unexpected-status']);
});

async function createMany({ create }: TestClient, count: number): Promise<readonly bigint[]> {
  const ids: bigint[] = [];
  for (let at = 0; at < count; at += 1) ids.push(await create((['sold', 'pending'] satisfies PetStatus[])[at % 2]));
  return ids;
}

test('a service that keeps only its newest animals does not fail', async () => {
  for (const wrap of [
    keepingNewest(4),
    (handle) => keepingNewest(4)(busy(handle, keysOfTrials), keysOfTrials),
  ] satisfies Wrap[]) {
    const codes = await judge('get-answer', { wrap }, async (client) => {
      const ids = await createMany(client, 7);
      await client.wait(63_000);
      await client.list('limit=100');
      for (const id of ids) await client.get(id);
      await client.list('limit=100');
    });
    assert.equal(codes, ['holds']);
  }
});

test('a service that keeps its newest animals beside those of other clients does not fail', async () => {
  const server = { wrap: keepingNewest(4), animals: manyAnimals(3) };
  const codes = await judge('get-answer', server, async (client) => {
    await client.list('limit=100');
    const first = await createMany(client, 3);
    await client.list('limit=100');
    const ids = [...first, ...(await createMany(client, 4))];
    await client.wait(63_000);
    await client.list('limit=100');
    for (const id of ids) await client.get(id);
  });
  assert.equal(codes, ['holds']);
});

test('an animal that was created during a read may have evicted the one it asks for', async () => {
  const sinceCreation = async (isDuring: boolean) =>
    judge(
      'get-answer',
      { wrap: keepingNewest(4), settings: { concurrency: 2 } },
      async ({ session, create, get, list, wait }) => {
        const ids: bigint[] = [];
        for (let at = 0; at < 4; at += 1) ids.push(await create());
        await list('limit=100');
        await wait(63_000);
        await (isDuring ? Promise.all([create(), get(ids[0]!)]) : session.send(getPet(ids[0]!)));
      },
    );
  assert.equal(await sinceCreation(true), []);
  assert.equal(await sinceCreation(false), ['holds']);
});

test('a lost animal was not evicted where an older one is found or a page was longer', async () => {
  const ask =
    (lost: readonly number[], listsAtLast = true) =>
    async (client: TestClient) => {
      const ids = await createMany(client, 5);
      await client.list('limit=100');
      await client.wait(63_000);
      for (const at of lost) await client.get(ids[at]!);
      await client.get(ids[4]!);
      if (listsAtLast) await client.list('limit=100');
    };
  // Pages show it still.
  assert.equal(await judge('get-answer', { wrap: losing(1n) }, ask([0])), ['holds', 'unexpected-status']);
  // A page had held all five, of which only four are newer.
  assert.equal(await judge('get-answer', { wrap: losing(1n) }, ask([0], false)), ['holds', 'unexpected-status']);
  // Animals of other clients take no room from the five.
  const amongOthers = { wrap: losing(4n), animals: manyAnimals(3) };
  assert.equal(await judge('get-answer', amongOthers, ask([0], false)), ['holds', 'unexpected-status']);
  // The first is found.
  assert.equal(await judge('get-answer', { wrap: losing(2n) }, ask([1, 0], false)), ['holds', 'unexpected-status']);
});

test('an animal was not evicted where it is found later or an older one is found', async () => {
  let reads = 0;
  const losesOnce = changeAnswer((answer, { operation }) => {
    reads += operation === 'getPet' ? 1 : 0;
    return reads === 1 && operation === 'getPet' ? errorAnswer(404, answer) : undefined;
  });
  const ask =
    (...order: readonly number[]) =>
    async (client: TestClient) => {
      const ids = await createMany(client, 4);
      await client.wait(63_000);
      for (const at of order) await client.get(ids[at]!);
    };
  assert.equal(await judge('get-answer', { wrap: losesOnce }, ask(0, 3, 0)), ['holds', 'unexpected-status']);
  assert.equal(await judge('get-answer', { wrap: losing(2n) }, ask(1, 3, 0)), ['holds', 'unexpected-status']);
  assert.equal(await judge('get-answer', { wrap: losing(1n) }, ask(0, 3)), ['holds']);
});

test('another key need not find the animal', async () => {
  const codes = await judge('get-answer', { wrap: losing(1n) }, async ({ session, create, wait }) => {
    const id = await create();
    await wait(63_000);
    await session.send(getPet(id, rateLimitKey(limitKey)));
  });
  assert.equal(codes, []);
});

test('a service that stores nothing fails', async () => {
  const codes = await judge('get-answer', { wrap: lagging(600_000, isListingOrRead) }, async (client) => {
    const ids = await createMany(client, 3);
    await client.list('limit=100');
    await client.wait(63_000);
    await client.get(ids[0]!);
  });
  assert.equal(codes, ['unexpected-status']);
});

/** Reads another path segment than the requested one. */
const finding = (id: string): Wrap =>
  changeRequest((request, { operation }) => (operation === 'getPet' ? withTarget(request, `/v1/pets/${id}`) : request));

test('a petId that is no int64 must find no animal', async () => {
  const segments = [
    '1.5b',
    '1,1',
    '1abc',
    'x.json',
    'x;v=1',
    '1%3Bv=1',
    'x1',
    '1.5',
    '1e-1',
    '--1',
    '%221%22',
    '1%00',
    '1-',
    '0x',
    '.5',
  ];
  const large = [2n ** 63n, -(2n ** 63n) - 1n, 2n ** 64n + 1n, 2n ** 128n + 1n].map(String);
  for (const segment of [...segments, ...large, '0x10000000000000001', '00018446744073709551617', '1e300', 'NaN']) {
    const codes = await judge('get-id-not-int64', { wrap: finding('1') }, async ({ create, get }) => {
      await create();
      await get(segment);
    });
    assert.equal(codes, ['found'], segment);
  }
});

test('an int64 in another spelling or with a format or path parameters may be read as one; malformed escapes and escaped slashes are not judged', async () => {
  const spellings = ['+1', '%2B1', '01', '-01', '-0', '1.0', '1.', '1e0', '10e-1', '0x1', '0X1F', '0b1', '0o1', '1_0'];
  const others = ['%201', '1%20', '%0A1', '%D9%A1', '%31', '%', '%E0%A4%A', '1%'];
  const parts = ['1.json', '1.XML', '1;', '1;v=1', '1%2F..%2F1', '1%5c..%5c1'];
  for (const segment of [...spellings, ...others, ...parts]) {
    for (const requirement of ['get-id-not-int64', 'get-answer', 'get-not-found'] as const) {
      for (const wrap of [finding('1'), finding('999')]) {
        const codes = await judge(requirement, { wrap }, async ({ create, get }) => {
          await create();
          await get(segment);
        });
        assert.equal(codes, [], `${requirement} ${segment}`);
      }
    }
  }
});

test('an escape in a path may cause a 5xx', async () => {
  const wrap = changeAnswer((answer, { request }) =>
    request.target.includes('%') ? errorAnswer(500, answer) : undefined,
  );
  const codes = async (segment: string) =>
    judge('errors-listed', { wrap }, async ({ get }) => void (await get(segment)));
  assert.equal(await codes('%E0%A4%A'), []);
  assert.equal(await codes('%'), []);
  assert.equal(await codes('%00'), []);
});

test('an unknown id answers 404', async () => {
  const codes = (wrap: Wrap) => judge('get-not-found', { wrap }, async ({ get }) => void (await get(2n ** 61n + 5n)));
  assert.equal(await codes((handle) => handle), ['holds']);
  assert.equal(await codes(changeAnswer((answer) => errorAnswer(400, answer))), ['unexpected-status']);
});

test('where pages show other ids than the 201s, getPet need not find those of the 201s', async () => {
  const wrap = changeCreated((pet, _call, count) => ({ ...pet, id: 7_000_000_000n - BigInt(count) }));
  for (const [queries, codes] of [
    [['limit=100'], []],
    [[], ['unexpected-status']],
  ] as const) {
    const findings = await judgeAfter('get-answer', { wrap }, async ({ create, list, get, wait }) => {
      await create();
      for (const query of queries) await list(query);
      const id = await create();
      await wait(70_000);
      for (let time = 0; time < 3; time += 1) {
        await get(id);
        await wait(10_000);
      }
    });
    assert.equal(codesOf(findings), codes);
  }
});

test.run();
