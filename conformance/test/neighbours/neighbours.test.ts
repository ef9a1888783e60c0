/** No requirement fails on a neighbour, whatever it chose where the interface is silent, alone or behind a gateway. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fetchTransport, type Transport } from '../../http/transport.ts';
import { trialSettings } from '../../proof/trial.ts';
import { createClock } from '../../services/in-process.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import type { Report } from '../../verdict/report.ts';
import type { Settings } from '../../world/settings.ts';
import { patienceMs } from '../http/servers.ts';
import { failedIn, runOver } from '../run/bench.ts';
import { behind, failingEvery } from './gateway.ts';
import type { Neighbour } from './neighbour.ts';
import { sqlite } from './sqlite.ts';
import { textOnly } from './text-only.ts';

/** Runs the kit against a neighbour over sockets with 300 requests, on a clock that only waits and answers move. */
async function judge(start: Neighbour, changes: Partial<Settings>): Promise<Report> {
  const clock = createClock();
  const settings = trialSettings(300, { ...changes, baseUrl: await start(clock.now) });
  const transport = fetchTransport(patienceMs, {}, { mostOpen: settings.concurrency });
  const timed: Transport = async (outgoing) => {
    const incoming = await transport(outgoing);
    clock.advance(3);
    return incoming;
  };
  const report = await runOver(timed, settings, { clock });
  transport.close();
  return report;
}

/** A neighbour, and what a user sets for it. The one of text alone knows one key. */
const neighbours: Readonly<Record<string, readonly [Neighbour, settings: Partial<Settings>]>> = {
  'text only': [textOnly, { hasRateLimitKey: false }],
  SQLite: [sqlite, { concurrency: 8 }],
  'SQLite behind a gateway that breaks every seventh connection': [behind(sqlite, failingEvery(7)), {}],
  'text only behind a gateway that fails every fifth time': [
    behind(textOnly, failingEvery(5, 502)),
    { hasRateLimitKey: false, concurrency: 8 },
  ],
};

for (const [id, [neighbour, settings]] of Object.entries(neighbours)) {
  test(`${id} conforms`, async () => {
    const report = await judge(neighbour, settings);
    assert.equal([report.exitCode, ...failedIn(report)], [0], reasonInWords(report.reason));
  });
}

test.run();
