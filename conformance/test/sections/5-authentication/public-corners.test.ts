/** Requests that were just served to the key are repeated without it. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../../http/exchange.ts';
import { runInProcess, trialSettings } from '../../../proof/trial.ts';
import { handleOf } from '../../../services/index.ts';

test('every public corner is asked for with the key and at once without it', async () => {
  const all: Exchange[] = [];
  await runInProcess(handleOf({ id: 'plain' }), trialSettings(300), { onExchange: (exchange) => all.push(exchange) });
  const corners = all.filter(({ check }) => check === 'public-corners');
  const reads = corners.filter(({ request }) => request.method === 'GET');
  assert.ok(reads.length >= 10, String(reads.length));
  for (const [at, exchange] of reads.entries()) {
    assert.is(exchange.response?.status, at % 2 === 0 ? 200 : 401);
    if (at % 2 === 1) assert.is(exchange.request.target, reads[at - 1]!.request.target);
  }
});

test.run();
