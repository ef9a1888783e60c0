/** §7 Judges the shape of an Error and its status. server-errors.ts judges that there are no server errors. */

import { isDocumentedError } from '../../http/documented.ts';
import type { Exchange } from '../../http/exchange.ts';
import { isJsonObject, showJson } from '../../http/json.ts';
import { bodyOf, isJson, statusOf } from '../../http/read-response.ts';
import { schemaProblems } from '../../http/schemas.ts';
import type { Check } from '../../run/suite.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { type History, isRemovedFor } from '../../world/history.ts';
import { requirementOfErrorField } from '../stated-fields.ts';
import { serverErrorChecks } from './server-errors.ts';

/**
 * Whether a body that cannot be read may be an Error: it was not recorded or nests too deeply, or it begins as JSON, so that
 * a byte order mark or a cut is its only mistake (§1). So is the encoding of a body that is no UTF-8, or has NULs.
 */
function mayBeError(exchange: Exchange): boolean {
  const { body = '', isNotUtf8 } = exchange.response ?? {};
  return isJson(exchange) || isNotUtf8 === true || /^(\ufeff?\s*[[{]|\0)/.test(body);
}

/** The answers of operations that are not removed, since how a removed one refuses is open (§9). */
function answersOfOperations(history: History): readonly Exchange[] {
  return history.answered.filter((exchange) => !isRemovedFor(history, exchange));
}

function judgeShape(exchange: Exchange): readonly Finding[] {
  const body = bodyOf(exchange);
  if (!isDocumentedError(exchange) || (body === undefined && mayBeError(exchange))) return [];
  if (!isJsonObject(body)) {
    // A body that is no JSON fails under §1, too.
    const [code, received] =
      body === undefined ? (['not-json', 'no JSON'] as const) : (['not-an-object', showJson(body)] as const);
    const expected = `an Error in the body of the ${statusOf(exchange)}`;
    return [fails('error-shape', code, { expected, received }, exchange)];
  }
  const problems = schemaProblems('Error', body);
  const fields = (['code', 'message', 'status'] as const).map((field) => {
    const problem = problems.find((candidate) => candidate.field === field);
    const isFraction = field === 'status' && typeof body[field] === 'number';
    if (problem === undefined && !isFraction) return holds(requirementOfErrorField[field], exchange);
    const code = body[field] === undefined ? (`${field}-missing` as const) : (`${field}-wrong` as const);
    const expected = `${field} in the Error of the ${statusOf(exchange)}: ${problem?.expected ?? 'an integer'}`;
    const facts = { expected, received: showJson(body[field]), pointer: `/${field}` };
    return fails(requirementOfErrorField[field], code, facts, exchange);
  });
  return [holds('error-shape', exchange), ...fields, ...judgeStatus(exchange, body['status'])];
}

function judgeStatus(exchange: Exchange, status: unknown): readonly Finding[] {
  if (typeof status !== 'bigint') return [];
  if (status === BigInt(statusOf(exchange) ?? 0)) return [holds('error-status-equals', exchange)];
  const facts = { expected: `status ${statusOf(exchange)} in the Error`, received: `${status}`, pointer: '/status' };
  return [fails('error-status-equals', 'status-differs', facts, exchange)];
}

function judgeText(exchange: Exchange): readonly Finding[] {
  const body = isDocumentedError(exchange) ? bodyOf(exchange) : undefined;
  if (!isJsonObject(body)) return [];
  return (['code', 'message'] as const).flatMap((field) => {
    const text = body[field];
    if (typeof text !== 'string') return [];
    if (text.trim() !== '') return [holds('error-not-empty', exchange)];
    const facts = { expected: `a ${field} that is not empty`, received: showJson(text), pointer: `/${field}` };
    return [fails('error-not-empty', `${field}-empty`, facts, exchange)];
  });
}

export const errorChecks: readonly Check[] = [
  {
    id: 'errors-have-their-shape',
    verifies: ['error-shape', 'error-code', 'error-message', 'error-status', 'error-status-equals'],
    title: 'Every listed error is an Error that names its HTTP status',
    judge: (history) => answersOfOperations(history).flatMap(judgeShape),
  },
  {
    id: 'errors-say-something',
    verifies: ['error-not-empty'],
    title: 'The code and the message of an Error are not empty',
    judge: (history) => answersOfOperations(history).flatMap(judgeText),
  },
  ...serverErrorChecks,
];
