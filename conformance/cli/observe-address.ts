/** `observe BASE_URL`: relays traffic to a target, judges each exchange as it passes, and reports at the end. */

import { type BrokenByClient, watchClients } from '../clients/recorded-requests.ts';
import { quietMs } from '../http/tolerances.ts';
import type { Values } from '../options/options.ts';
import { escapeForTerminal, shorten } from '../reporters/escape.ts';
import { withReferenceAnswers } from '../run/reference-answers.ts';
import { UsageError } from '../run/usage-error.ts';
import { createTrafficRecorder } from '../traffic/recorder.ts';
import { type RelayedExchange, startRelay } from '../traffic/relay.ts';
import { createTrafficJudge } from '../traffic/traffic-judge.ts';
import { sentenceOf } from '../verdict/failure.ts';
import type { Failing } from '../verdict/finding.ts';
import { reason } from '../verdict/reasons.ts';
import { type Host, untilAborted } from './host.ts';
import { checkOutputs, writeOutputs } from './outputs.ts';
import { senderOptions, trafficOptions } from './traffic.ts';

const longestMessage = 300;

function show(sentence: string): void {
  process.stderr.write(`${escapeForTerminal(sentence)}\n`);
}

function showFailure({ requirement, failure, exchanges }: Failing): void {
  const last = exchanges.at(-1);
  const request = last === undefined ? '' : ` (#${last.number} ${last.request.method} ${last.request.target})`;
  show(shorten(`${requirement}: ${sentenceOf(failure)}${request}`, longestMessage));
}

/** A client requirement does not count for the verdict on the target. */
function showBrokenByClient({ requirement, message, exchange: { number, request } }: BrokenByClient): void {
  const place = `#${number} ${request.method} ${request.target}`;
  show(shorten(`A client breaks ${requirement}: ${message} (${place})`, longestMessage));
}

/** Runs until the user interrupts or no exchange has come for `idleMs`; resolves with the exit code of the report. */
export async function observeAddress(
  baseUrl: string,
  values: Values<'observe'>,
  { interruption }: Host,
): Promise<number> {
  const { idleMs, host, port } = values;
  await checkOutputs(values);
  const recorder = createTrafficRecorder(senderOptions());
  const judge = createTrafficJudge({ ...trafficOptions(values, baseUrl, Date.now()), onFailure: showFailure });
  const clients = watchClients();
  const end = new AbortController();
  let unjudged = 0;
  /** An error of ours costs one exchange, not the whole report. */
  const guarded = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      unjudged += 1;
      show(shorten(`An exchange could not be judged, which is an error of the kit: ${error}`, longestMessage));
    }
  };
  // The relay keeps the process alive, where it could be opened.
  const quiet = setTimeout(() => guarded(judge.judge), quietMs).unref();
  const idle = idleMs === undefined ? undefined : setTimeout(() => end.abort(), idleMs).unref();
  const onExchange = ({ seen, ...place }: RelayedExchange): void => {
    guarded(() => {
      const recorded = recorder.record(seen, place);
      judge.add(recorded);
      clients.add(recorded.exchange, recorded.client);
    });
    quiet.refresh();
    idle?.refresh();
  };
  const relay = await startRelay({ baseUrl, host, port, onExchange }).catch(({ code }: NodeJS.ErrnoException) => {
    throw new UsageError(`Port ${port} of ${host} cannot be listened on (${code}): choose --port and --host.`);
  });
  show(`Passing ${relay.baseUrl} on to ${baseUrl}; Ctrl-C ends it and reports.`);
  await untilAborted(AbortSignal.any([interruption, end.signal]));
  for (const timer of [quiet, idle]) clearTimeout(timer);
  await relay.close();
  guarded(() => clients.conclude().forEach(showBrokenByClient));
  const ended = unjudged === 0 ? undefined : reason('exchanges-unjudged', { count: unjudged });
  const report = await withReferenceAnswers(judge.conclude(ended));
  await writeOutputs(report, values);
  return report.exitCode;
}
