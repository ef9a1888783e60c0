/** What bears a failure out, in words: its exchanges and the curl line. Reporters escape it for their notation. */

import type { Report, ReportedExchange, ReportedFailure } from '../verdict/report.ts';
import { escapeForTerminal, shorten } from './escape.ts';
import { excerptInLine } from './excerpt.ts';

export type Headers = Readonly<Record<string, string>>;

export function headerLines(headers: Headers): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

/** What was sent, by whom. */
export function requestLine({ request, credential }: ReportedExchange): string {
  return `${request.method} ${request.target}  with ${credential}`;
}

/** Why there is no response. */
export function withoutResponse({ failure }: ReportedExchange): string {
  return `no response: ${failure?.message ?? ''}`;
}

/** Headers that bear on what the interface states. */
const headersShown = /^(content-type|retry-after|location|x-ratelimit-.*|www-authenticate)$/;
const longestHeader = 100;
const longestBody = 400;

/**
 * One exchange in a few lines, for a person: what was sent, what came back, and of the bodies what the message of a
 * failure speaks of. Nothing in it begins a line of its own.
 */
export function exchangeLines(exchange: ReportedExchange, message = ''): readonly string[] {
  const { number, request, response } = exchange;
  const sent = [
    `#${number} ${requestLine(exchange)}`,
    ...(request.body === undefined ? [] : [`> ${excerptInLine(request.body, '', longestBody)}`]),
  ];
  if (response === undefined) return [...sent, `< ${withoutResponse(exchange)}`].map(escapeForTerminal);
  const headers = Object.entries(response.headers)
    .filter(([name]) => headersShown.test(name))
    .map(([name, value]) => `${name}: ${shorten(value, longestHeader)}`);
  const received = [
    `< ${[response.status, ...headers].join('  ')}`,
    `< ${excerptInLine(response.body, message, longestBody, response.bodyLength)}`,
  ];
  return [...sent, ...received].map(escapeForTerminal);
}

export function exchangesOf({ exchanges }: Report, numbers: readonly number[]): readonly ReportedExchange[] {
  const wanted = new Set(numbers);
  return exchanges.filter(({ number }) => wanted.has(number));
}

/** The exchanges that a failure cites, and those of the sequence that shows it, in the order of sending. */
export function exchangesOfFailure(
  report: Report,
  { exchanges, sequence = [] }: ReportedFailure,
): readonly ReportedExchange[] {
  return exchangesOf(report, [...exchanges, ...sequence]);
}

/** More exchanges of one failure are in the JSON report only: the last of them show it. */
const exchangesShown = 3;

/** The last exchanges of a failure, in a few lines each. */
export function evidenceLines(report: Report, failure: ReportedFailure): readonly string[] {
  const all = exchangesOfFailure(report, failure);
  const before = all.slice(0, -exchangesShown).map(({ number }) => `#${number}`);
  const note = before.length === 0 ? [] : [`${before.length} exchanges before these: ${before.join(', ')}`];
  return [...note, ...all.slice(-exchangesShown).flatMap((exchange) => exchangeLines(exchange, failure.message))];
}

const longestCurl = 2_000;

/** What sends the last request of a failure again. */
export function showCurl({ curl }: ReportedFailure): string {
  return shorten(curl, longestCurl);
}
