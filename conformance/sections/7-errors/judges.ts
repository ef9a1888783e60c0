/** §7 Judges the shape of an Error and its status, and that no request to an operation makes the service fail. */

import { hasLargeBody, isDocumented, isShown } from '../../http/documented.ts';
import type { Exchange } from '../../http/exchange.ts';
import { isJsonObject, type JsonObject, showJson } from '../../http/json.ts';
import { bodyInWords, bodyOf, isJson, statusOf } from '../../http/read-response.ts';
import { schemaProblems } from '../../http/schemas.ts';
import type { Check } from '../../run/suite.ts';
import { type FailureFacts, type Finding, fails, holds } from '../../verdict/finding.ts';
import { isRemovedFor, type World } from '../../world/world.ts';

/**
 * Whether a body that cannot be read may be an Error. Either it was not recorded or nests too deeply, or its only mistake may be
 * one that §1 judges: a byte order mark, a cut, or another encoding than UTF-8.
 */
function mayBeError(exchange: Exchange): boolean {
  const { body = '', isNotUtf8 } = exchange.response ?? {};
  return isJson(exchange) || isNotUtf8 === true || /^(\ufeff?\s*[[{]|\0)/.test(body);
}

/** Each field of an Error has its type (§2). */
function judgeErrorFields(exchange: Exchange, body: JsonObject): readonly Finding[] {
  const problems = schemaProblems('Error', body);
  return (['code', 'message', 'status'] as const).map((field) => {
    const problem = problems.find((candidate) => candidate.field === field);
    if (problem === undefined) return holds(`error-${field}`, exchange);
    const code = body[field] === undefined ? (`${field}-missing` as const) : (`${field}-wrong` as const);
    const expected = `${field} in the Error of the ${statusOf(exchange)}: ${problem.expected}`;
    const facts = { expected, received: showJson(body[field]), pointer: `/${field}` };
    return fails(`error-${field}`, code, facts, exchange);
  });
}

/** The texts of an Error say something: the interface does not demand it, so it is advised. */
function judgeErrorTexts(exchange: Exchange, body: JsonObject): readonly Finding[] {
  return (['code', 'message'] as const).flatMap((field) => {
    const text = body[field];
    if (typeof text !== 'string') return [];
    if (text.trim() !== '') return [holds('error-not-empty', exchange)];
    const facts = { expected: `a ${field} that is not empty`, received: showJson(text), pointer: `/${field}` };
    return [fails('error-not-empty', `${field}-empty`, facts, exchange)];
  });
}

/** The status of an Error is the HTTP status of its response (§7). */
function judgeStatus(exchange: Exchange, status: unknown): readonly Finding[] {
  if (typeof status !== 'bigint') return [];
  if (status === BigInt(statusOf(exchange) ?? 0)) return [holds('error-status-equals', exchange)];
  const facts = { expected: `status ${statusOf(exchange)} in the Error`, received: `${status}`, pointer: '/status' };
  return [fails('error-status-equals', 'status-differs', facts, exchange)];
}

/** The body of a listed error is an Error: code and message are texts, status is an integer (§2, §7). */
function judgeShape(exchange: Exchange): readonly Finding[] {
  const status = statusOf(exchange) ?? 0;
  // The interface describes the body of these answers (§7).
  if (status < 400 || !isDocumented(exchange)) return [];
  const body = bodyOf(exchange);
  const expected = `an Error in the body of the ${status}`;
  if (body === undefined) {
    if (mayBeError(exchange)) return [];
    // A body that is no JSON fails under §1, too.
    return [fails('error-shape', 'not-json', { expected, received: bodyInWords(exchange) }, exchange)];
  }
  if (!isJsonObject(body))
    return [fails('error-shape', 'not-an-object', { expected, received: showJson(body) }, exchange)];
  return [
    holds('error-shape', exchange),
    ...judgeErrorFields(exchange, body),
    ...judgeErrorTexts(exchange, body),
    ...judgeStatus(exchange, body['status']),
  ];
}

/** The value of a GET request that may have caused the error. §4.2 names the values of a body. */
function inputOf({ request }: Exchange): FailureFacts['input'] {
  const value = request.target.slice('/pets'.length + 1);
  if (value === '') return undefined;
  return { name: request.target.includes('?') ? 'query' : 'petId', value: showJson(value) };
}

/** Fails a request that made the service fail. */
function failedByRequest(exchange: Exchange): Finding {
  const status = statusOf(exchange);
  const input = inputOf(exchange);
  const to = input === undefined ? '' : ` to the ${input.name} ${input.value}`;
  const facts = { expected: `no server error${to}`, received: `${status}`, status, input };
  return fails('errors-listed', 'server-error', facts, exchange);
}

/** Fails a request that failed each time; `shown` has its attempts, and what was served in between. */
function failedEachTime(exchange: Exchange, shown: readonly Exchange[]): Finding {
  const status = statusOf(exchange);
  const seconds = Math.round((exchange.startedAt - shown[0]!.endedAt) / 1000);
  const often = `${shown.length - 1} times in ${seconds} s, while other requests were served`;
  if (status === undefined) {
    const facts = { expected: 'an answer', received: `none (${exchange.failure?.message}) ${often}` };
    return fails('errors-listed', 'no-answer', facts, ...shown);
  }
  const facts = { expected: 'no server error', received: `${status} ${often}`, status };
  return fails('errors-listed', 'server-error', facts, ...shown);
}

/** The listed statuses are all (§4, §7): no plain request gets a server error, and each gets an answer. */
function judgeListed(world: World): readonly Finding[] {
  const isJudged = (exchange: Exchange): boolean => isShown(exchange) && !isRemovedFor(world, exchange);
  // A gateway may break off a large body each time.
  const lasting = [...world.lasting].filter(([exchange]) => isJudged(exchange) && !hasLargeBody(exchange));
  return [
    ...lasting.map(([exchange, shown]) => failedEachTime(exchange, shown)),
    ...world.answered
      .filter((exchange) => isJudged(exchange) && !world.lasting.has(exchange))
      .map((exchange) =>
        exchange.response.status < 500 ? holds('errors-listed', exchange) : failedByRequest(exchange),
      ),
  ];
}

export const errorChecks: readonly Check[] = [
  {
    id: 'errors-have-their-shape',
    verifies: ['error-shape', 'error-code', 'error-message', 'error-status', 'error-status-equals', 'error-not-empty'],
    // How a removed operation refuses is open (§9).
    judge: (world) => world.answered.filter((exchange) => !isRemovedFor(world, exchange)).flatMap(judgeShape),
  },
  { id: 'no-server-errors', verifies: ['errors-listed'], judge: judgeListed },
];
