/** No requirement fails on a neighbour, whatever it chose where the interface is silent, at any budget and concurrency. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fetchTransport, type Transport } from '../../http/transport.ts';
import { createClock, type SteppedClock } from '../../proof/in-process.ts';
import { trialSettings } from '../../proof/trial.ts';
import { runConformance } from '../../run/run.ts';
import { apiKey, limitKey } from '../../sections/fault.ts';
import { conformanceSuite } from '../../sections/index.ts';
import type { EvidenceScope, Report } from '../../verdict/report.ts';
import { disclosuresIn } from '../encodings.ts';
import { type Neighbour, neighbours } from './index.ts';

const budgets = [20, 60, 300];
/** With concurrency 1, the run gets only the options that it cannot find out itself; with 8, it gets all of them. */
const concurrencies = [1, 8];
/** Each answer takes this long on the stepped clock. */
const latencyMs = 3;

function onClock(transport: Transport, clock: SteppedClock): Transport {
  return async (outgoing) => {
    const incoming = await transport(outgoing);
    clock.advance(latencyMs);
    return incoming;
  };
}

async function judge(
  neighbour: Neighbour,
  maxRequests: number,
  concurrency: number,
  keys = { api: apiKey, rateLimit: limitKey } as { readonly api: string; readonly rateLimit: string },
  scope: EvidenceScope = 'failures',
): Promise<Report> {
  const clock = createClock();
  const { baseUrl, close } = await neighbour.start({ now: clock.now, keys });
  const transport = fetchTransport(5_000);
  const { plan, rateLimitPlan, nameTemplate } = neighbour;
  const categoryIds = concurrency === 1 ? undefined : neighbour.categoryIds;
  const report = await runConformance({
    suite: conformanceSuite,
    settings: trialSettings(maxRequests, {
      baseUrl,
      concurrency,
      ...(plan === undefined ? {} : { plan }),
      ...(rateLimitPlan === undefined ? {} : { rateLimitPlan }),
      ...(categoryIds === undefined ? {} : { categoryIds }),
      ...(nameTemplate === undefined ? {} : { nameTemplate }),
    }),
    keys,
    scope,
    transport: onClock(transport, clock),
    clock,
    runTag: 'abc123',
  });
  transport.close();
  await close();
  return report;
}

/** The failures and errors of a run, in words. */
function complaints({ requirements }: Report): readonly string[] {
  return requirements.flatMap(({ id, verdict, reason, failures }) =>
    verdict === 'fail' || verdict === 'error' ? [`${id}: ${failures[0]?.message ?? reason}`] : [],
  );
}

for (const neighbour of neighbours) {
  const { id } = neighbour;
  for (const maxRequests of budgets) {
    for (const concurrency of concurrencies) {
      test(`${id} conforms at ${maxRequests} requests, ${concurrency} at a time`, async () => {
        const report = await judge(neighbour, maxRequests, concurrency);
        assert.equal(complaints(report), []);
        assert.is(report.exitCode, 0, report.reason);
      });
    }
  }
}

test('the key is in no report on a server that repeats it with the escapes of its language', async () => {
  const keys = { api: 'Sample+Key/4711==Zz', rateLimit: "Other'Key+/0815<>Yy" };
  for (const neighbour of neighbours.filter(({ id }) => /dot-net|php/.test(id))) {
    const report = await judge(neighbour, 60, 1, keys, 'all');
    const text = JSON.stringify(report);
    assert.match(text, 'one is [key]');
    for (const key of Object.values(keys)) assert.equal(disclosuresIn(text, key), [], neighbour.id);
  }
});

test('every neighbour lists its choices, and no two made the same', () => {
  const all = neighbours.map(({ choices }) => choices.join());
  assert.is(new Set(all).size, neighbours.length);
  for (const { choices } of neighbours) assert.ok(choices.length >= 10);
});

test.run();
