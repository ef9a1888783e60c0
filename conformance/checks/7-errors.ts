/** §7 Errors: the Error shape, its status, and that the service has no errors beside those listed. */

import { type Check, type Finding, fails, holds, type Invariant, type Scenario } from '../engine/check.ts';
import { isDocumentedError } from '../engine/documented.ts';
import type { Exchange } from '../engine/exchange.ts';
import type { History } from '../engine/history.ts';
import { isJsonObject, showJson } from '../engine/json.ts';
import { isMalformed } from '../engine/read-request.ts';
import { bodyOf, isJson, statusOf } from '../engine/read-response.ts';
import { schemaProblems } from '../engine/schemas.ts';
import { isRemoved } from './4.3-get-pet.ts';
import { getPet } from './requests.ts';

const requirementOfField = { code: 'error-code', message: 'error-message', status: 'error-status' } as const;

function judgeShape(exchange: Exchange): readonly Finding[] {
  const body = bodyOf(exchange);
  if (!isDocumentedError(exchange) || (body === undefined && isJson(exchange))) return [];
  if (!isJsonObject(body)) {
    const what = body === undefined ? 'no JSON' : showJson(body);
    const message = `expected an Error in the body of the ${statusOf(exchange)}, received ${what}`;
    return [fails('error-shape', 'not-an-object', message, exchange)];
  }
  const problems = schemaProblems('Error', body);
  const fields = (['code', 'message', 'status'] as const).map((field) => {
    const problem = problems.find((candidate) => candidate.field === field);
    const isFraction = field === 'status' && typeof body[field] === 'number';
    if (problem === undefined && !isFraction) return holds(requirementOfField[field], exchange);
    const code = body[field] === undefined ? `${field}-missing` : `${field}-wrong`;
    const message = `expected ${field}: ${problem?.expected ?? 'type integer'}, received ${showJson(body[field])}`;
    return fails(requirementOfField[field], code, message, exchange);
  });
  return [holds('error-shape', exchange), ...fields, ...judgeStatus(exchange, body['status'])];
}

function judgeStatus(exchange: Exchange, status: unknown): readonly Finding[] {
  if (typeof status !== 'bigint') return [];
  if (status === BigInt(statusOf(exchange) ?? 0)) return [holds('error-status-equals', exchange)];
  const message = `expected status ${statusOf(exchange)} in the Error, received ${status}`;
  return [fails('error-status-equals', 'status-differs', message, exchange)];
}

const errorsHaveTheirShape: Invariant = {
  kind: 'invariant',
  id: 'errors-have-their-shape',
  verifies: ['error-shape', 'error-code', 'error-message', 'error-status', 'error-status-equals'],
  title: 'Every listed error is an Error that names its HTTP status',
  judge: (history) => history.answered.flatMap(judgeShape),
};

/**
 * A request whose connection broke twice in a row, while the target went on answering others. How long an answer takes,
 * and how large it is, is open.
 */
function isUnanswered(history: History, at: number): boolean {
  const [first, second] = [history.exchanges[at - 1], history.exchanges[at]];
  if (first?.failure?.code !== 'broken' || second?.failure?.code !== 'broken') return false;
  const isSame = first.request.target === second.request.target && first.request.body === second.request.body;
  const lastAnswered = history.exchanges.findLast((later) => later.response !== undefined);
  return isSame && (lastAnswered?.number ?? 0) > second.number;
}

function judgeListed(history: History): readonly Finding[] {
  return history.exchanges.flatMap((exchange, at) => {
    // What the path asks for cannot be told.
    if (isMalformed(exchange)) return [];
    const status = statusOf(exchange);
    // An operation that is not shown (§4.4) may well not be implemented.
    const isNotShown = exchange.operation === 'other' && status === 501;
    if (status !== undefined && status >= 500 && !isNotShown) {
      const message = `expected no server error, received ${status}`;
      return [fails('errors-listed', 'server-error', message, exchange)];
    }
    if (status !== undefined) return [holds('errors-listed', exchange)];
    if (!isUnanswered(history, at)) return [];
    const message = `expected an answer, received none twice: ${exchange.failure?.message ?? ''}`;
    return [fails('errors-listed', 'no-answer', message, history.exchanges[at - 1]!, exchange)];
  });
}

const noServerErrors: Invariant = {
  kind: 'invariant',
  id: 'no-server-errors',
  verifies: ['errors-listed'],
  title: 'Nothing that is sent makes the service fail',
  judge: judgeListed,
};

/** Some services die of these, so they come after what needs a living one. */
const pathsWithControls: Scenario = {
  kind: 'scenario',
  id: 'paths-with-controls',
  rank: 5,
  verifies: ['errors-listed', 'get-id-not-int64'],
  title: 'Gets paths with the escape of a control, and what some take for a number',
  run: async (session) => {
    if (isRemoved(session)) return;
    // Others between them: a target that breaks off at each of these has not stopped answering.
    await session.sendAll(['%00', 'null', '1e300'].map((segment) => getPet(segment)));
  },
};

export const errorChecks: readonly Check[] = [errorsHaveTheirShape, noServerErrors, pathsWithControls];
