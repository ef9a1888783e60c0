/** Runs the kit against a neighbour, on a clock that only waits and answers move. */

import { defined } from '../../../spec/defined.ts';
import { fetchTransport, type Transport } from '../../http/transport.ts';
import { trialSettings } from '../../proof/trial.ts';
import { type RunOptions, runConformance } from '../../run/run.ts';
import { conformanceSuite } from '../../sections/index.ts';
import { createClock } from '../../services/in-process.ts';
import { apiKey, limitKey } from '../../services/wraps.ts';
import { sentenceOf } from '../../verdict/finding.ts';
import type { Report } from '../../verdict/report.ts';
import type { Neighbour } from './index.ts';

/** Each answer takes this long on the stepped clock. */
const latencyMs = 3;

interface JudgeOptions extends Pick<RunOptions, 'onWait' | 'onExchange'> {
  readonly keys?: { readonly api: string; readonly rateLimit: string };
  /** For one exchange, by the clock of the machine. */
  readonly timeoutMs?: number;
}

/** Runs the kit against a neighbour over sockets. */
export async function judge(
  { plan, start }: Neighbour,
  maxRequests: number,
  concurrency: number,
  options: JudgeOptions = {},
): Promise<Report> {
  const { keys = { api: apiKey, rateLimit: limitKey }, timeoutMs = 5_000, ...watching } = options;
  const clock = createClock();
  const { baseUrl, close } = await start({ now: clock.now, keys });
  const transport = fetchTransport(timeoutMs, {}, undefined, concurrency);
  const onClock: Transport = async (outgoing) => {
    const incoming = await transport(outgoing);
    clock.advance(latencyMs);
    return incoming;
  };
  const report = await runConformance({
    suite: conformanceSuite,
    settings: trialSettings(maxRequests, { baseUrl, concurrency, ...defined({ plan }) }),
    ...watching,
    keys,
    transport: onClock,
    clock,
    runTag: 'abc123',
  });
  transport.close();
  await close();
  return report;
}

/** The failures and errors of a run, in words. */
export function complaints({ requirements }: Report): readonly string[] {
  return requirements.flatMap(({ id, verdict, reason, failures }) =>
    verdict === 'fail' || verdict === 'error'
      ? [`${id}: ${failures[0] === undefined ? reason : sentenceOf(failures[0])}`]
      : [],
  );
}
