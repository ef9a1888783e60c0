/** No requirement fails on a neighbour, whatever it chose where the interface is silent, alone or behind a gateway. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore, listen } from '../../../reference-server/index.ts';
import { defined } from '../../../spec/defined.ts';
import { findFault } from '../../faults/index.ts';
import type { Exchange } from '../../http/exchange.ts';
import { fetchTransport } from '../../http/transport.ts';
import { trialSettings } from '../../proof/trial.ts';
import { runConformance } from '../../run/run.ts';
import { conformanceSuite } from '../../sections/index.ts';
import { createClock } from '../../services/in-process.ts';
import { keysOfTrials } from '../../services/wraps.ts';
import { sentenceOf } from '../../verdict/finding.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import type { Report } from '../../verdict/report.ts';
import { disclosuresIn } from '../encodings.ts';
import { behind, flaky } from './gateway.ts';
import type { Neighbour } from './neighbour.ts';
import { inOtherLanguages, oneFile } from './one-file.ts';
import { sqlite } from './sqlite.ts';

/** Runs the kit against a neighbour over sockets, on a clock that only waits and answers move. */
async function judge(
  { plan, start }: Neighbour,
  maxRequests: number,
  concurrency: number,
  keys = keysOfTrials,
  onExchange?: (exchange: Exchange) => void,
): Promise<Report> {
  const clock = createClock();
  const { baseUrl, close } = await start({ now: clock.now, keys });
  const transport = fetchTransport(5_000, {}, undefined, concurrency);
  const settings = trialSettings(maxRequests, { baseUrl, concurrency, ...defined({ plan }) });
  const report = await runConformance({
    ...{ suite: conformanceSuite, settings, keys, clock, runTag: 'abc123', ...defined({ onExchange }) },
    async transport(outgoing) {
      const incoming = await transport(outgoing);
      clock.advance(3);
      return incoming;
    },
  });
  transport.close();
  await close();
  return report;
}

function conforms(report: Report, exitCode = 0): void {
  const complaints = report.requirements.flatMap(({ id, verdict, failures: [failure] }) =>
    verdict === 'fail' || verdict === 'error' ? [`${id}: ${failure && sentenceOf(failure)}`] : [],
  );
  assert.equal(complaints, []);
  assert.is(report.exitCode, exitCode, reasonInWords(report.reason));
}

const everyNth = (n: number) => (_elapsedMs: number, count: number) => count % n === 0;
const tenSeconds = (elapsedMs: number): boolean => elapsedMs < 10_000;

for (const [id, neighbour] of Object.entries({
  'one file': oneFile,
  SQLite: sqlite,
  'one file behind a gateway that is down for ten seconds': behind(oneFile, flaky(tenSeconds, 503)),
  'SQLite behind a gateway that breaks every seventh connection': behind(sqlite, flaky(everyNth(7))),
  'one file behind a gateway that fails every fifth time': behind(oneFile, flaky(everyNth(5), 502)),
})) {
  test(`${id} conforms at any budget and concurrency`, async () => {
    for (const [maxRequests, concurrency] of [
      [20, 1],
      [60, 8],
      [300, 1],
      [300, 8],
    ] as const)
      if (maxRequests > 20 || !id.includes('behind')) conforms(await judge(neighbour, maxRequests, concurrency));
  });
}

test('an outage that lasts ends a run with 3, names the gateway and fails nothing', async () => {
  for (const status of [502, undefined] as const) {
    const report = await judge(
      behind(
        oneFile,
        flaky((elapsedMs) => elapsedMs >= 150, status),
      ),
      300,
      1,
    );
    conforms(report, 3);
    assert.match(reasonInWords(report.reason) ?? '', /out of service/);
  }
});

test('a failure of the service is found behind a gateway, whose answers are counted apart', async () => {
  const faulty: Neighbour = {
    id: 'faulty',
    async start({ now, keys }) {
      const { handle } = createPetStore({ keys: [{ key: keys.api, plan: 'business' }] });
      const { url, close } = await listen(findFault('limit-one-too-many').wrap(handle, keysOfTrials), { port: 0, now });
      return { baseUrl: `${url}/v1`, close };
    },
  };
  const report = await judge(behind(faulty, flaky(everyNth(5), 502)), 300, 1);
  assert.is(report.requirements.find(({ id }) => id === 'list-limit')?.verdict, 'fail');
  const notes = [...(report.notes ?? []), reasonInWords(report.reason)].join(' ');
  assert.match(notes, /\d+ of \d+ answers were a gateway's \(502\)/);
});

test('the key is in no report on a server that repeats it with the escapes of its language', async () => {
  const keys = { api: 'Sample+Key/4711==Zz', rateLimit: "Other'Key+/0815<>Yy" };
  for (const neighbour of inOtherLanguages) {
    const exchanges: Exchange[] = [];
    const report = await judge(neighbour, 60, 1, keys, (exchange) => exchanges.push(exchange));
    const text = JSON.stringify([report, exchanges]);
    conforms(report);
    assert.match(text, 'one is [key]');
    for (const key of Object.values(keys)) assert.equal(disclosuresIn(text, key), [], neighbour.id);
  }
});

test.run();
