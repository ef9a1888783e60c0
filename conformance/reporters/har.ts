/** The recorded exchanges as an HTTP archive (HAR 1.2); credentials appear in words only. */

import type { Report, ReportedExchange } from '../verdict/report.ts';
import { interactionsInWords, requirementsInWords } from './counts.ts';
import { escapeLines } from './escape.ts';
import { type Headers, withoutResponse } from './evidence.ts';
import { headlineOf } from './headline.ts';
import { effortInWords, subjectOf } from './words.ts';

function pairs(fields: Headers): readonly { readonly name: string; readonly value: string }[] {
  return Object.entries(fields).map(([name, value]) => ({ name, value }));
}

/** A byte order mark may be missing from a text, so only a greater difference shows that a body was cut. */
const leastCut = 4;

function entry(exchange: ReportedExchange, report: Report): object {
  const { request, response, number, check, credential } = exchange;
  const { headers } = exchange.request;
  const query = new URLSearchParams(request.target.split('?')[1] ?? '');
  const body = response?.body ?? '';
  const fullLength = response?.bodyLength;
  const cut = fullLength === undefined ? 0 : Math.max(leastCut, fullLength - body.length);
  const unknown = { cookies: [], headersSize: -1, httpVersion: 'HTTP/1.1' };
  return {
    startedDateTime: exchange.startedAt,
    time: exchange.durationMs,
    request: {
      ...unknown,
      method: request.method,
      url: report.target.baseUrl + request.target,
      headers: pairs(headers),
      queryString: [...query].map(([name, value]) => ({ name, value })),
      bodySize: Buffer.byteLength(request.body ?? ''),
      ...(request.body === undefined
        ? {}
        : { postData: { mimeType: headers['content-type'] ?? '', text: request.body } }),
    },
    // Archives use status 0 for a request without an answer.
    response: {
      ...unknown,
      status: response?.status ?? 0,
      statusText: '',
      headers: pairs(response?.headers ?? {}),
      content: {
        size: Buffer.byteLength(body) + cut,
        mimeType: response?.headers['content-type'] ?? '',
        text: body,
        ...(fullLength === undefined ? {} : { comment: `cut; all of it has ${fullLength} UTF-16 units` }),
      },
      redirectURL: response?.headers['location'] ?? '',
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: exchange.durationMs, receive: 0 },
    comment: `#${number} ${check}, with ${credential}${response === undefined ? `; ${withoutResponse(exchange)}` : ''}`,
    _credential: credential,
    _credentialId: exchange.credentialId,
  };
}

export function reportHar(report: Report): string {
  const { kit, reason } = report;
  const comment = [
    `${headlineOf(report)}: ${subjectOf(report)}`,
    ...(reason === undefined ? [] : [reason]),
    ...interactionsInWords(report),
    requirementsInWords(report),
    ...(report.omittedExchanges === undefined ? [] : [effortInWords(report)]),
  ];
  const archive = {
    log: {
      version: '1.2',
      creator: { name: kit.name, version: kit.version },
      comment: comment.join('\n'),
      entries: report.exchanges.map((exchange) => entry(exchange, report)),
    },
  };
  return `${escapeLines(JSON.stringify(archive, null, 2))}\n`;
}
