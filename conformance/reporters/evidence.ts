/** Exchanges in a few lines each, for every format that shows text. */

import type { ReportedExchange } from '../verdict/report.ts';
import type { ShownEvidence } from './blocks.ts';
import { escapeForTerminal, shorten } from './escape.ts';
import { excerptInLine } from './excerpt.ts';

export function headerLines(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

export function requestLine({ number, request, credential }: ReportedExchange): string {
  return `#${number} ${request.method} ${request.target}  with ${credential}`;
}

export function withoutResponse({ failure }: ReportedExchange): string {
  return `no response: ${failure?.message ?? ''}`;
}

/** Headers that the interface mentions, and those that show a gateway or a cache. */
const headersShown =
  /^(content-type|retry-after|location|x-ratelimit-.*|www-authenticate|server|via|age|x-cache|transfer-encoding)$/;
/** How much of a header is shown. Characters. */
const longestHeader = 100;
/** How much of a body is shown. Characters. */
const longestExcerpt = 240;

/** One exchange in a few lines: the request, the response, and the part of the body that `pointer` leads to. */
function exchangeLines({ exchange, pointer }: ShownEvidence['exchanges'][number]): readonly string[] {
  const { request, response } = exchange;
  const coding = request.headers['transfer-encoding'];
  const sent = [
    requestLine(exchange),
    ...(coding === undefined ? [] : [`> transfer-encoding: ${shorten(coding, longestHeader)}`]),
    ...(request.body === undefined ? [] : [`> ${excerptInLine(request.body, undefined, longestExcerpt)}`]),
  ];
  if (response === undefined) return [...sent, `< ${withoutResponse(exchange)}`];
  const headers = Object.entries(response.headers)
    .filter(([name]) => headersShown.test(name))
    .map(([name, value]) => `${name}: ${shorten(value, longestHeader)}`);
  return [
    ...sent,
    `< ${[response.status, ...headers].join('  ')}`,
    `< ${excerptInLine(response.body, pointer, longestExcerpt, response.bodyLength)}`,
  ];
}

/** Ensures that no text from the target starts a line, so it cannot inject CI commands. */
export function evidenceLines({ exchanges, earlier }: ShownEvidence): readonly string[] {
  const numbers = earlier.map((number) => `#${number}`).join(', ');
  const note = earlier.length === 0 ? [] : [`${earlier.length} exchanges before these: ${numbers}`];
  return [...note, ...exchanges.flatMap(exchangeLines)].map(escapeForTerminal);
}

/** The command that shows the failure again, where there is one; it is never cut, since it must send the same request. */
export function commandsOf({ command }: ShownEvidence): readonly string[] {
  return command === undefined ? [] : [command];
}
