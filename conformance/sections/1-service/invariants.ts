/** §1 What the service does: judges whether documented answers are JSON. */

import { isDocumented } from '../../http/documented.ts';
import type { RecordedResponse } from '../../http/exchange.ts';
import { showJson } from '../../http/json.ts';
import { headerOf, isJson, readBody } from '../../http/read-response.ts';
import type { Invariant } from '../../verdict/finding.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import type { Answered } from '../../world/evidence.ts';
import { type History, isRemovedFor } from '../../world/history.ts';

/** Whether every second character is NUL, as where UTF-16 is read as UTF-8. */
function isUtf16(body: string): boolean {
  const start = body.slice(0, longestStart);
  return body !== '' && start.split('\0').length - 1 >= start.length / 3;
}

/** So much of a body shows its encoding. */
const longestStart = 200;

/** Names what stands in place of JSON: the usual mistakes by their names, else the problem of the parser. */
function bodyProblem(response: RecordedResponse): string {
  const { body, isNotUtf8, headers } = response;
  if (body === '') return 'an empty body';
  if (body.startsWith('\ufeff')) return 'a byte order mark in front of the JSON';
  if (isNotUtf8 && body.startsWith('\u001f') && headers['content-encoding'] === undefined) {
    return 'gzip without Content-Encoding';
  }
  if (isUtf16(body)) return 'UTF-16 instead of UTF-8';
  if (isNotUtf8 && /^\s*[[{].*[\]}]\s*$/s.test(body)) return 'JSON with bytes that are no UTF-8, as of Latin-1';
  const reading = readBody(response);
  if (!('problem' in reading)) return '';
  if (/^\s*</.test(body)) return 'HTML or XML instead of JSON';
  const isCut = /^[[{]/.test(body.trimStart()) && !/[\]}]\s*$/.test(body);
  return isCut ? `JSON that is cut off: ${reading.problem}` : `${reading.problem}${placeOfProblem(response)}`;
}

/** So much of a body is shown from where it is no JSON. */
const longestExcerpt = 20;

/** Where a body is no JSON, if its parser says so. */
function placeOfProblem({ body, bodyLength = body.length }: RecordedResponse): string {
  if (bodyLength > body.length) return '';
  try {
    JSON.parse(body);
    return '';
  } catch (error) {
    const [, position] = /at position (\d+)/.exec(String(error)) ?? [];
    if (position === undefined || position === '0') return '';
    const at = Number(position);
    return ` from character ${at + 1} on: ${showJson(body.slice(at, at + longestExcerpt))}`;
  }
}

function judgePayload(history: History, exchange: Answered): readonly Finding[] {
  const { response, operation } = exchange;
  if (operation === 'other' || !isDocumented(exchange) || isRemovedFor(history, exchange)) return [];
  const mediaType = headerOf(response, 'content-type');
  if (!isJson(exchange)) {
    const facts = { expected: `a JSON body with the ${response.status}`, received: bodyProblem(response) };
    return [fails('service-json', 'not-json', facts, exchange)];
  }
  if (mediaType === undefined || !/^application\/json\s*(;|$)/i.test(mediaType)) {
    const facts = { expected: 'the media type application/json', received: mediaType ?? 'none' };
    return [fails('service-json', 'not-application-json', facts, exchange)];
  }
  return [holds('service-json', exchange)];
}

export const serviceInvariants: readonly Invariant[] = [
  {
    id: 'payload-is-json',
    verifies: ['service-json'],
    title: 'Documented answers are JSON with the media type application/json',
    judge: (history) => history.answered.flatMap((exchange) => judgePayload(history, exchange)),
  },
];
