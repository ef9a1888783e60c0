/** Exchanges in a few lines each, for every format that shows text. */

import type { ReportedExchange, ReportedFailure } from '../verdict/report.ts';
import { escapeForTerminal, shorten } from './escape.ts';
import { excerptInLine } from './excerpt.ts';
import type { CauseView } from './view.ts';

export function headerLines(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

export function requestLine({ request, credential }: ReportedExchange): string {
  return `${request.method} ${request.target}  with ${credential}`;
}

export function withoutResponse({ failure }: ReportedExchange): string {
  return `no response: ${failure?.message ?? ''}`;
}

/** Headers that the interface mentions, and those that show a gateway or a cache. */
const headersShown =
  /^(content-type|retry-after|location|x-ratelimit-.*|www-authenticate|server|via|age|x-cache|transfer-encoding)$/;
const longestHeader = 100;
const longestBody = 240;

/**
 * One exchange in a few lines for a person: the request, the response, and the part of the body that
 * `pointer` leads to. Ensures that no text from the target starts a line, so it cannot inject CI commands.
 */
export function exchangeLines(exchange: ReportedExchange, pointer?: string): readonly string[] {
  const { number, request, response } = exchange;
  const coding = request.headers['transfer-encoding'];
  const sent = [
    `#${number} ${requestLine(exchange)}`,
    ...(coding === undefined ? [] : [`> transfer-encoding: ${shorten(coding, longestHeader)}`]),
    ...(request.body === undefined ? [] : [`> ${excerptInLine(request.body, undefined, longestBody)}`]),
  ];
  if (response === undefined) return [...sent, `< ${withoutResponse(exchange)}`].map(escapeForTerminal);
  const headers = Object.entries(response.headers)
    .filter(([name]) => headersShown.test(name))
    .map(([name, value]) => `${name}: ${shorten(value, longestHeader)}`);
  const received = [
    `< ${[response.status, ...headers].join('  ')}`,
    `< ${excerptInLine(response.body, pointer, longestBody, response.bodyLength)}`,
  ];
  return [...sent, ...received].map(escapeForTerminal);
}

/** The place in the body of an exchange that a failure is about: only its last exchange has one. */
export function pointerInto({ number }: ReportedExchange, { exchanges, pointer }: ReportedFailure): string | undefined {
  return number === exchanges.at(-1) ? pointer : undefined;
}

/** The exchanges of a cause, in a few lines each. */
export function evidenceLines({ failure, exchanges, earlier }: CauseView): readonly string[] {
  const numbers = earlier.map((number) => `#${number}`).join(', ');
  const note = earlier.length === 0 ? [] : [`${earlier.length} exchanges before these: ${numbers}`];
  return [...note, ...exchanges.flatMap((exchange) => exchangeLines(exchange, pointerInto(exchange, failure)))];
}

const longestCurl = 2_000;

/** The command that sends the last request of a failure again. */
export function showCurl({ curl }: ReportedFailure): string {
  return shorten(curl, longestCurl);
}
