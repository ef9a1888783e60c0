/** No requirement fails on a neighbour, whatever it chose where the interface is silent, alone or behind a gateway. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fetchTransport, type Transport } from '../../http/transport.ts';
import { trialSettings } from '../../proof/trial.ts';
import { createClock } from '../../services/in-process.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import type { Report } from '../../verdict/report.ts';
import { failedIn, runOver } from '../run/bench.ts';
import { behind, failingEvery } from './gateway.ts';
import type { Neighbour } from './neighbour.ts';
import { sqlite } from './sqlite.ts';
import { textOnly } from './text-only.ts';

/** Runs the kit against a neighbour over sockets, on a clock that only waits and answers move. */
async function judge(start: Neighbour, maxRequests: number, concurrency: number): Promise<Report> {
  const clock = createClock();
  const baseUrl = await start(clock.now);
  const transport = fetchTransport(5_000, {}, undefined, concurrency);
  const settings = trialSettings(maxRequests, { baseUrl, concurrency, hasRateLimitKey: start !== textOnly });
  const timed: Transport = async (outgoing) => {
    const incoming = await transport(outgoing);
    clock.advance(3);
    return incoming;
  };
  const report = await runOver(timed, settings, { clock });
  transport.close();
  return report;
}

/** A neighbour → the requests of its run, and how many of them go at a time. */
const neighbours: Readonly<Record<string, readonly [Neighbour, maxRequests: number, concurrency: number]>> = {
  'text only': [textOnly, 300, 1],
  SQLite: [sqlite, 300, 8],
  'SQLite behind a gateway that breaks every seventh connection': [behind(sqlite, failingEvery(7)), 300, 1],
  'text only behind a gateway that fails every fifth time': [behind(textOnly, failingEvery(5, 502)), 300, 8],
};

for (const [id, [neighbour, maxRequests, concurrency]] of Object.entries(neighbours)) {
  test(`${id} conforms`, async () => {
    const report = await judge(neighbour, maxRequests, concurrency);
    assert.equal([report.exitCode, ...failedIn(report)], [0], reasonInWords(report.reason));
  });
}

test.run();
