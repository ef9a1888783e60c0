/** No requirement fails on a neighbour, whatever it chose where the interface is silent, alone or behind a gateway. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore, listen } from '../../../reference-server/index.ts';
import { findFault } from '../../faults/index.ts';
import { fetchTransport } from '../../http/transport.ts';
import { trialSettings } from '../../proof/trial.ts';
import { runConformance } from '../../run/run.ts';
import { conformanceSuite } from '../../sections/index.ts';
import { createClock } from '../../services/in-process.ts';
import { keysOfTrials } from '../../services/wraps.ts';
import { sentenceOf } from '../../verdict/finding.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import type { Report } from '../../verdict/report.ts';
import { behind, flaky } from './gateway.ts';
import type { Neighbour } from './neighbour.ts';
import { sqlite } from './sqlite.ts';
import { textOnly } from './text-only.ts';

/** Runs the kit against a neighbour over sockets, on a clock that only waits and answers move. */
async function judge(start: Neighbour, maxRequests: number, concurrency: number): Promise<Report> {
  const clock = createClock();
  const { baseUrl, close } = await start(clock.now);
  const transport = fetchTransport(5_000, {}, undefined, concurrency);
  const settings = trialSettings(maxRequests, { baseUrl, concurrency, hasRateLimitKey: start !== textOnly });
  const report = await runConformance({
    ...{ suite: conformanceSuite, settings, keys: keysOfTrials, clock, runTag: 'abc123' },
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

/** A neighbour → the requests of its run, and how many of them go at a time. */
const neighbours: Readonly<Record<string, readonly [Neighbour, maxRequests: number, concurrency: number]>> = {
  'text only': [textOnly, 300, 1],
  SQLite: [sqlite, 300, 8],
  'SQLite behind a gateway that is down for ten seconds': [behind(sqlite, flaky(tenSeconds, 503)), 60, 8],
  'SQLite behind a gateway that breaks every seventh connection': [behind(sqlite, flaky(everyNth(7))), 300, 1],
  'text only behind a gateway that fails every fifth time': [behind(textOnly, flaky(everyNth(5), 502)), 300, 8],
};

for (const [id, [neighbour, maxRequests, concurrency]] of Object.entries(neighbours)) {
  test(`${id} conforms`, async () => conforms(await judge(neighbour, maxRequests, concurrency)));
}

test('an outage that lasts ends a run with 3, names the gateway and fails nothing', async () => {
  for (const status of [502, undefined] as const) {
    const report = await judge(
      behind(
        textOnly,
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
  const faulty: Neighbour = async (now) => {
    const { handle } = createPetStore({ keys: [{ key: keysOfTrials.api, plan: 'business' }] });
    const { url, close } = await listen(findFault('limit-one-too-many').wrap(handle, keysOfTrials), { port: 0, now });
    return { baseUrl: `${url}/v1`, close };
  };
  const report = await judge(behind(faulty, flaky(everyNth(5), 502)), 300, 1);
  assert.is(report.requirements.find(({ id }) => id === 'list-limit')?.verdict, 'fail');
  const notes = [...(report.notes ?? []), reasonInWords(report.reason)].join(' ');
  assert.match(notes, /\d+ of \d+ answers were a gateway's \(502\)/);
});

test.run();
