/** `observe BASE_URL`: relays traffic to a target, shows failures as they pass, and reports at the end. */

import { brokenByClients } from '../clients/recorded-requests.ts';
import { quietMs } from '../http/tolerances.ts';
import type { Values } from '../options/options.ts';
import { escapeForTerminal, shorten } from '../reporters/escape.ts';
import { withReferenceAnswers } from '../run/reference-answers.ts';
import { UsageError } from '../run/usage-error.ts';
import { type CapturedExchange, mostExchanges } from '../traffic/captured-exchange.ts';
import { failuresIn } from '../traffic/judge-traffic.ts';
import { startRelay } from '../traffic/relay.ts';
import { sentenceOf } from '../verdict/finding.ts';
import { reason } from '../verdict/reasons.ts';
import { type Host, untilAborted } from './host.ts';
import { checkOutputs, writeOutputs } from './outputs.ts';
import { judgeCaptured, recordCaptured, trafficOptions } from './traffic.ts';

const longestMessage = 300;
/** While traffic passes, so many exchanges are judged: more would take seconds. */
const judgedAtOnce = 256;

function show(sentence: string): void {
  process.stderr.write(`${escapeForTerminal(shorten(sentence, longestMessage))}\n`);
}

/** Runs until the user interrupts; resolves with the exit code of the report. */
export async function observeAddress(
  baseUrl: string,
  values: Values<'observe'>,
  { interruption }: Host,
): Promise<number> {
  const { port } = values;
  await checkOutputs(values);
  const { settings } = trafficOptions(values, baseUrl, Date.now());
  const captured: CapturedExchange[] = [];
  let unjudged = 0;
  const shown = new Set<string>();

  function showFailures(): void {
    const recent = recordCaptured(captured.slice(-judgedAtOnce));
    for (const { requirement, failure, exchanges } of failuresIn(recent, settings)) {
      if (shown.has(requirement + failure.code)) continue;
      shown.add(requirement + failure.code);
      const last = exchanges.at(-1);
      const request = last === undefined ? '' : ` (${last.request.method} ${last.request.target})`;
      show(`${requirement}: ${sentenceOf(failure)}${request}`);
    }
  }

  // The relay keeps the process alive, where it could be opened.
  const quiet = setTimeout(showFailures, quietMs).unref();
  const onExchange = (exchange: CapturedExchange): void => {
    if (captured.length < mostExchanges) captured.push(exchange);
    else unjudged += 1;
    quiet.refresh();
  };
  const relay = await startRelay(baseUrl, port, onExchange).catch(({ code }: NodeJS.ErrnoException) => {
    throw new UsageError(`Port ${port} cannot be listened on (${code}): choose --port.`);
  });
  show(`Passing ${relay.baseUrl} on to ${baseUrl}; Ctrl-C ends it and reports.`);
  await untilAborted(interruption);
  clearTimeout(quiet);
  await relay.close();
  // A client requirement does not count for the verdict on the target.
  for (const { requirement, failure, exchanges } of brokenByClients(recordCaptured(captured))) {
    const { number, request } = exchanges.at(-1)!;
    const place = `#${number} ${request.method} ${request.target}`;
    show(`A client breaks ${requirement}: ${sentenceOf(failure)} (${place})`);
  }
  const remark = unjudged === 0 ? undefined : reason('exchanges-unjudged', { count: unjudged, most: mostExchanges });
  const report = await withReferenceAnswers(judgeCaptured(captured, values, baseUrl, { remark }));
  await writeOutputs(report, values);
  return report.exitCode;
}
