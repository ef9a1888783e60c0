/** The first line of a cause: what was sent, what came back, and what was expected instead. */

import { isJsonObject, readJson, writeJson } from '../http/json.ts';
import { sentenceOf } from '../verdict/finding.ts';
import type { ReportedExchange, ReportedFailure } from '../verdict/report.ts';
import { shorten } from './escape.ts';

/** How much of a body, of one of its values and of a query is shown in a line. Characters. */
const longestBodyInLine = 160;
const longestValue = 40;
const longestTarget = 120;
/** How much is shown of the body of a refusal, which may say why. */
const longestRefusal = 100;

const limitHeaderNames = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'] as const;

/** A body as it was sent; of a long object each value is cut, so that every field is seen. */
function bodyInLine(body: string): string {
  if (body === '') return '(empty body)';
  const text = body.trim();
  if (text.length <= longestBodyInLine) return body;
  const reading = readJson(text);
  if (!('value' in reading) || !isJsonObject(reading.value)) return shorten(body, longestBodyInLine);
  const fields = Object.entries(reading.value).map(([field, value]) => {
    return `${JSON.stringify(field)}:${shorten(writeJson(value), longestValue)}`;
  });
  return shorten(`{${fields.join(',')}}`, 2 * longestBodyInLine);
}

/** What an answer shows of rate limits (§8). */
function limitsInLine({ status, headers }: NonNullable<ReportedExchange['response']>): string {
  const shown = limitHeaderNames.flatMap((name) =>
    headers[name] === undefined ? [] : [`${name}: ${shorten(headers[name], longestValue)}`],
  );
  const missing = status === 429 && headers['retry-after'] === undefined ? ' and without Retry-After' : '';
  return shown.length === 0 ? ` without X-RateLimit headers${missing}` : ` (${shown.join(', ')})${missing}`;
}

/** A request and its answer, such as `POST /pets {"name":7} → 201`. The API key is what every reader expects. */
function exchangeInLine(
  { request, response, credentialId, credential, failure }: ReportedExchange,
  section: string,
): string {
  const { method, target, body } = request;
  const sent = [method, shorten(target, longestTarget), ...(body === undefined ? [] : [bodyInLine(body)])];
  const key = credentialId === 'api-key' ? '' : ` with ${credential}`;
  if (response === undefined)
    return `${sent.join(' ')}${key} → no response (${shorten(failure?.message ?? '', longestRefusal)})`;
  const why =
    response.status >= 400 && response.body.trim() !== '' ? ` ${shorten(response.body.trim(), longestRefusal)}` : '';
  const shown = section === '8' ? limitsInLine(response) : why;
  return `${sent.join(' ')}${key} → ${response.status}${shown}`;
}

/** With more exchanges than these, the first of them and the last two say what happened. */
const mostInStory = 3;

/** The exchanges of a failure in one line, in their order. */
function exchangesInLine(exchanges: readonly ReportedExchange[], section: string): string {
  const steps = exchanges.map((exchange) => exchangeInLine(exchange, section));
  if (steps.length <= mostInStory) return steps.join(', then ');
  const left = steps.length - mostInStory;
  return [steps[0], `${left} more`, ...steps.slice(-2)].join(', then ');
}

/** What happened and what was expected, in one line; `section` is that of the requirement. */
export function storyOf(failure: ReportedFailure, exchanges: readonly ReportedExchange[], section: string): string {
  const cited = failure.exchanges.flatMap((number) => exchanges.find((one) => one.number === number) ?? []);
  if (cited.length === 0) return sentenceOf(failure);
  const status = cited.at(-1)!.response?.status;
  const isStatusAll = failure.received === String(status);
  const asked = isStatusAll ? `expected ${failure.expected}` : sentenceOf(failure);
  return `${exchangesInLine(cited, section)}: ${asked}`;
}
