/** A careful client of generated code: openapi-fetch with types from the description. */

import createClient from 'openapi-fetch';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { paths } from '../../../spec/openapi.ts';
import { runCompatibility } from '../../clients/compatibility.ts';
import { judgeClient } from '../../clients/judge-client.ts';
import { type ExampleEnvironment, simulate } from './examples/example-client.ts';
import { askedWait, expect } from './examples/polite-client.ts';

/** The generated code knows nothing of limits, so that its fetch waits. */
function patientFetch({ fetch, sleep, now }: ExampleEnvironment): (request: Request) => Promise<Response> {
  return async (request) => {
    for (let attempt = 0; ; attempt += 1) {
      const response = await fetch(request.clone());
      if (response.status !== 429 || attempt === 5) return response;
      await sleep(askedWait(response.headers.get('retry-after') ?? '1', now()) + 200 * 2 ** attempt);
    }
  };
}

const runClient = simulate({
  id: 'openapi-fetch',
  run: async (environment) => {
    const { baseUrl, key, categoryId } = environment;
    const headers = { Authorization: `Bearer ${key}` };
    const client = createClient<paths>({ baseUrl, fetch: patientFetch(environment), headers });
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

test('no service fails a client that is generated from the description', async () => {
  const { signal } = new AbortController();
  const made = await runCompatibility({ runClient, maxRuns: 80, concurrency: 4, signal });
  const broken = judgeClient(made).filter(({ verdict }) => verdict === 'fail');
  assert.equal(
    broken.map(({ failures }) => failures[0]?.failure),
    [],
  );
  assert.is(made.usual.exchanges.length, 2);
  assert.ok(made.runs.length > 25, String(made.runs.length));
});

test.run();
