/** `observe HAR…|BASE_URL`: judges traffic by the judges of a run: recorded, or relayed until the user interrupts. */

import { defined } from '../../../spec/defined.ts';
import { brokenByClients } from '../../clients/refused-requests.ts';
import type { Mask } from '../../http/mask.ts';
import { keysInEnvironment } from '../../http/secret-names.ts';
import type { Values } from '../../options/options.ts';
import { address, shown } from '../../options/readers.ts';
import { UsageError } from '../../run/usage-error.ts';
import { type Archive, findBaseUrl, parseArchive, readArchives } from '../../traffic/archive.ts';
import { type CapturedExchange, mostExchanges } from '../../traffic/captured-exchange.ts';
import { judgeTraffic } from '../../traffic/judge-traffic.ts';
import { maskOf, recordTraffic, type SentExchange } from '../../traffic/record.ts';
import { startRelay } from '../../traffic/relay.ts';
import { sentenceOf } from '../../verdict/finding.ts';
import type { Report } from '../../verdict/report.ts';
import { settingsWith } from '../../world/settings.ts';
import type { Command } from '../configuration.ts';
import { readText } from '../files.ts';
import { type Host, untilAborted } from '../host.ts';
import { checkOutputs } from '../outputs.ts';

const largestArchive = 256 * 1024 * 1024;
const longestPrinted = 300;

function printSentence(sentence: string): void {
  process.stderr.write(`${shown(sentence, longestPrinted)}\n`);
}

/** The report on traffic below a base address. */
export function judgeObserved(
  traffic: readonly SentExchange[],
  { requiresAll, maxOutages, only, waivers, plan, settleMs, ...values }: Values<'observe'>,
  baseUrl: string,
  mask: Mask,
): Report {
  const { today = traffic[0]?.exchange.startedAt ?? Date.now() } = values;
  return judgeTraffic(traffic, {
    mask,
    settings: settingsWith({ baseUrl, settleMs, today, ...defined({ plan }) }),
    verdictOptions: defined({ requiresAll, maxOutages, judgesRecordedTraffic: true as const, only, waivers }),
  });
}

/** Names what clients break in a line each; it does not count for the verdict on the target. */
function showBroken(traffic: readonly SentExchange[], mask: Mask): void {
  // The judges of clients know a key by its mark.
  const marked = traffic.map((one) => ({ ...one, exchange: mask.exchange(one.exchange) }));
  for (const { requirement, failure, exchanges } of brokenByClients(marked)) {
    const { number, request } = exchanges.at(-1)!;
    const place = `#${number} ${request.method} ${request.target}`;
    printSentence(mask.text(`A client breaks ${requirement}: ${sentenceOf(failure)} (${place})`, exchanges));
  }
}

/** Reads a HAR file; rejects with a UsageError. */
export async function readArchive(file: string): Promise<Archive> {
  return parseArchive(await readText(file, 'The archive', largestArchive), file);
}

function showRead(archives: readonly Archive[], seen: readonly CapturedExchange[]): void {
  const leftOut = archives.flat().length - seen.length;
  const bodiless = seen.filter(({ response }) => response !== undefined && response.body === undefined).length;
  const remarks = [
    leftOut > 0 &&
      `Left out: ${leftOut} to other addresses, without headers or request body, or beyond the first ${mostExchanges}.`,
    bodiless > 0 && `The body of the response is missing in ${bodiless}.`,
    seen.some((one) => one.isCleaned) &&
      'An archive shows no key: browsers leave keys out unless they export sensitive data.',
  ];
  process.stderr.write(`${[`${seen.length} recorded exchanges.`, ...remarks].filter(Boolean).join(' ')}\n`);
}

/** Relays to an address until the user interrupts. */
async function capture(baseUrl: string, port: number, { interruption }: Host): Promise<readonly CapturedExchange[]> {
  const captured: CapturedExchange[] = [];
  const onExchange = (exchange: CapturedExchange): void => {
    if (captured.length < mostExchanges) captured.push(exchange);
  };
  const relay = await startRelay(baseUrl, port, onExchange).catch(({ code }: NodeJS.ErrnoException) => {
    throw new UsageError(`Port ${port} cannot be listened on (${code}): choose --port.`);
  });
  printSentence(`Passing ${relay.baseUrl} on to ${baseUrl}; Ctrl-C ends it and reports.`);
  await untilAborted(interruption);
  await relay.close();
  if (captured.length === mostExchanges) printSentence(`Only the first ${mostExchanges} exchanges are judged.`);
  return captured;
}

export const observe: Command<'observe'> = async ({ values, words }, host) => {
  const relayed = words.length === 1 ? words.find((word) => /^https?:/i.test(word)) : undefined;
  await checkOutputs(values);
  const archives = relayed === undefined ? await Promise.all(words.map(readArchive)) : [];
  const given = relayed ?? values.baseUrl ?? findBaseUrl(archives);
  const baseUrl = address.read(given, 'The base address');
  const seen = relayed === undefined ? readArchives(archives, baseUrl) : await capture(baseUrl, values.port, host);
  if (relayed === undefined) showRead(archives, seen);
  const own = keysInEnvironment(process.env);
  const traffic = recordTraffic(seen, own);
  const mask = maskOf(traffic, own);
  showBroken(traffic, mask);
  return judgeObserved(traffic, values, baseUrl, mask);
};
