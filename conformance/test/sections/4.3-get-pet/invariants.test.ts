/** §4.3: reads of known animals, of unknown ids, and of petIds that are no int64. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PetStatus } from '../../../../spec/operations.ts';
import type { RequirementId } from '../../../../spec/requirements.ts';
import { rateLimitKey } from '../../../http/credentials.ts';
import { getPet } from '../../../sections/requests.ts';
import { busy, manyAnimals } from '../../../services/other-clients.ts';
import {
  changeAnswer,
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

test('any status other than 200, 404 and 410 fails at once; 410 is judged by §9', async () => {
  for (const status of [201, 204, 301, 400, 500]) {
    const wrap = changeAnswer((answer, { operation }) => (operation === 'getPet' ? { ...answer, status } : undefined));
    const codes = await judge('get-answer', { wrap }, async ({ create, get }) => {
      await get(await create());
    });
    assert.equal(codes, ['unexpected-status'], String(status));
  }
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

test('another key need not find the animal', async () => {
  const codes = await judge('get-answer', { wrap: losing(1n) }, async ({ session, create, wait }) => {
    const id = await create();
    await wait(63_000);
    await session.send(getPet(id, rateLimitKey(limitKey)));
  });
  assert.equal(codes, []);
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

test.run();
