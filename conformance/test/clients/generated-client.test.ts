/** A careful client of generated code: openapi-fetch, typed by openapi-typescript from the description. */

import { setTimeout as sleep } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { paths } from '../../../spec/openapi.ts';
import { runCompatibility } from '../../clients/compatibility.ts';
import { attemptOf } from '../../clients/example.ts';
import { judgeClient } from '../../clients/judge-client.ts';
import { askedWait, expect } from '../../clients/polite.ts';
import { variations } from '../../clients/variations/index.ts';

/** What waits in front of the generated code: it knows nothing of limits. */
async function patientFetch(request: Request): Promise<Response> {
  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(request.clone());
    if (response.status !== 429 || attempt === 5) return response;
    await sleep(Math.max(0, askedWait(response.headers.get('retry-after') ?? '1')) + 200 * 2 ** attempt);
  }
}

const attempt = attemptOf({
  id: 'openapi-fetch',
  title: 'It creates an animal and lists those that are available.',
  run: async ({ baseUrl, key, categoryId }) => {
    const client = createClient<paths>({ baseUrl, fetch: patientFetch, headers: { Authorization: `Bearer ${key}` } });
    const created = await client.POST('/pets', {
      body: { name: 'Ida', categoryId: Number(categoryId), status: 'available' },
    });
    expect(created.data?.name === 'Ida', 'Ida');
    const { data = [], error } = await client.GET('/pets', { params: { query: { status: 'available', limit: 10 } } });
    expect(error === undefined && data.length <= 10, 'a page');
    expect(
      data.every(({ status }) => status === 'available'),
      'available animals',
    );
  },
});

test('no world fails a client that is generated from the description', async () => {
  const signal = new AbortController().signal;
  const tour = await runCompatibility({ attempt, worlds: variations.length + 10, seed: 3, lanes: 4, signal });
  const broken = judgeClient(tour).filter(({ verdict }) => verdict === 'fail');
  assert.equal(
    broken.map(({ failures }) => failures[0]?.failure.message),
    [],
  );
  assert.ok(tour.reference.exchanges.length === 2 && tour.runs.length > variations.length);
});

test.run();
