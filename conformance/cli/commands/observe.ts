/** `observe HAR…|BASE_URL`: judges traffic by the judges of a run: recorded, or relayed until the user interrupts. */

import { defined } from '../../../spec/defined.ts';
import { brokenByClients } from '../../clients/refused-requests.ts';
import type { Mask } from '../../http/mask.ts';
import { keysInEnvironment } from '../../http/secret-names.ts';
import type { Values } from '../../options/options.ts';
import { address, isAddress, shown } from '../../options/readers.ts';
import { UsageError } from '../../run/usage-error.ts';
import {
  type Archive,
  findBaseUrl,
  type LeftOut,
  leftOutWords,
  parseArchive,
  readArchives,
} from '../../traffic/archive.ts';
import { bodyLosses, type CapturedExchange, mostExchanges } from '../../traffic/captured-exchange.ts';
import { judgeTraffic, type TrafficOptions } from '../../traffic/judge-traffic.ts';
import { maskOf, recordTraffic, type SentExchange } from '../../traffic/record.ts';
import { startRelay } from '../../traffic/relay.ts';
import { sentenceOf } from '../../verdict/finding.ts';
import { counted, type Reason, reason } from '../../verdict/reasons.ts';
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

/** The report on traffic below a base address, judged as the options say. */
export function judgeObserved(
  traffic: readonly SentExchange[],
  values: Values<'observe'>,
  { baseUrl, mask, whyNone }: Pick<TrafficOptions, 'mask' | 'whyNone'> & { readonly baseUrl: string },
): Report {
  const { requiresAll, maxOutages, only, waivers, plan, settleMs } = values;
  const { today = traffic[0]?.exchange.startedAt ?? Date.now() } = values;
  return judgeTraffic(traffic, {
    mask,
    whyNone,
    settings: settingsWith(defined({ baseUrl, settleMs, today, plan })),
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

/** Counts in words, the most frequent first: "2 to other addresses, 1 answered from a cache". */
function inCounts<Key extends string>(all: readonly Key[], words: Readonly<Record<Key, string>>): string {
  const counts = [...Map.groupBy(all, (key) => key)].toSorted(([, one], [, other]) => other.length - one.length);
  return counts.map(([key, { length }]) => `${length} ${words[key]}`).join(', ');
}

/** Says what is judged of the traffic, and what is not. */
function showSeen(exchanges: readonly CapturedExchange[], leftOut: readonly LeftOut[]): void {
  const losses = exchanges.flatMap(({ response }) => (typeof response?.body === 'string' ? response.body : []));
  const sentences = [`${counted(exchanges.length, 'recorded exchange')}.`];
  if (leftOut.length > 0) sentences.push(`Left out: ${inCounts(leftOut, leftOutWords)}.`);
  if (losses.length > 0) {
    sentences.push(`The body of the response is missing in ${losses.length} (${inCounts(losses, bodyLosses)}).`);
  }
  if (exchanges.some((one) => one.isCleaned)) {
    sentences.push('An archive shows no key: browsers leave keys out unless they export sensitive data.');
  }
  process.stderr.write(`${sentences.join(' ')}\n`);
}

/** Why archives with entries below the base address hold no exchange; undefined where they have no such entry. */
function whyEmpty(leftOut: readonly LeftOut[]): Reason | undefined {
  const below = leftOut.filter((one) => one !== 'elsewhere' && one !== 'no-request');
  return below.length === 0 ? undefined : reason('traffic-left-out', { entries: inCounts(below, leftOutWords) });
}

/** Relays to an address until the user interrupts. */
async function capture(baseUrl: string, port: number, { interruption }: Host): Promise<readonly CapturedExchange[]> {
  const captured: CapturedExchange[] = [];
  const onExchange = (exchange: CapturedExchange): void => {
    if (captured.length < mostExchanges) captured.push(exchange);
  };
  const relay = await startRelay(baseUrl, port, onExchange).catch(({ code }: NodeJS.ErrnoException) => {
    throw new UsageError(`Port ${port} cannot be listened on (${code}): name another with --port.`);
  });
  printSentence(`Passing ${relay.baseUrl} on to ${baseUrl}; Ctrl-C ends it and reports.`);
  await untilAborted(interruption);
  await relay.close();
  if (captured.length === mostExchanges) printSentence(`Only the first ${mostExchanges} exchanges are judged.`);
  return captured;
}

/** Reads the archives that a user names, or relays. */
async function readOrRelay(values: Values<'observe'>, words: readonly string[], host: Host) {
  const [first = ''] = words;
  if (words.length === 1 && isAddress(first)) {
    const baseUrl = address.read(first, 'The base address');
    return { baseUrl, exchanges: await capture(baseUrl, values.port, host), leftOut: [] };
  }
  const archives = await Promise.all(words.map(readArchive));
  const baseUrl = address.read(values.baseUrl ?? findBaseUrl(archives), 'The base address');
  return { baseUrl, ...readArchives(archives, baseUrl) };
}

export const observe: Command<'observe'> = async ({ values, words }, host) => {
  await checkOutputs(values);
  const { baseUrl, exchanges, leftOut } = await readOrRelay(values, words, host);
  showSeen(exchanges, leftOut);
  const own = keysInEnvironment(process.env);
  const traffic = recordTraffic(exchanges, own);
  const mask = maskOf(traffic, own);
  showBroken(traffic, mask);
  return judgeObserved(traffic, values, { baseUrl, mask, whyNone: whyEmpty(leftOut) });
};
