/**
 * Decides which failures hold in recorded traffic. A run knows that its names are unique, that its ids were drawn at random
 * and that it repeated requests. In recorded traffic other clients act unseen, so a failure that rests on such knowledge
 * holds only if the traffic itself confirms it.
 */

import type { FailureCode } from '../../spec/failure-codes.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import { readPetId } from '../http/read-request.ts';
import { statusOf } from '../http/read-response.ts';
import type { Failing } from '../verdict/finding.ts';
import { type History, isAuthorized } from '../verdict/history.ts';
import { nameTag } from '../verdict/names.ts';
import { looksForeign } from '../world/evidence.ts';

type Credible = (failing: Failing, history: History) => boolean;

/** Whether the animal of the first exchange has a name that only a run of this kit gives. */
const hasNameOfARun: Credible = ({ exchanges: [first] }) => nameTag.test(first?.request.body ?? '');

function idAskedBy(exchange: Exchange): bigint | undefined {
  const id = exchange.operation === 'getPet' ? readPetId(exchange) : undefined;
  return typeof id === 'bigint' ? id : undefined;
}

/** By requirement and failure code. Failures that are not listed always hold. */
const conditions: Partial<Record<RequirementId, Readonly<Partial<Record<FailureCode, Credible>>>>> = {
  // Names need not be unique.
  'create-answer': { 'created-twice': hasNameOfARun },
  'create-refused-stores-nothing': { 'refused-yet-stored': hasNameOfARun },
  'auth-refused-stores-nothing': { 'refused-yet-stored': hasNameOfARun },
  // An id that no exchange has shown yet may belong to an animal of another client.
  'get-not-found': { 'unexpected-status': ({ exchanges: [read] }) => read !== undefined && statusOf(read) !== 200 },
  // Another client may have removed an animal that only pages have shown.
  'get-until-removal': {
    'removed-early': ({ exchanges }, history) =>
      exchanges.some((exchange) => history.createdById.has(idAskedBy(exchange) ?? -1n)),
  },
  // How a ban answers is open, so only a refusal after a served request counts.
  'rate-retry-after': {
    unusable: ({ exchanges: [refused] }, { exchanges }) =>
      exchanges.some((exchange) => exchange.answered < (refused?.sent ?? 0) && (statusOf(exchange) ?? 500) < 400),
  },
};

/** The scope of a key may forbid an operation: scopes are not shown (§5). */
function isForbidden({ exchanges, failure: { code } }: Failing): boolean {
  const last = exchanges.at(-1);
  return code === 'unexpected-status' && last !== undefined && statusOf(last) === 403 && isAuthorized(last);
}

/** Whether a failure holds, considering what recorded traffic does not show. */
export function isCredible(failing: Failing, history: History): boolean {
  const last = failing.exchanges.at(-1);
  // A gateway may have refused a header or a cookie that the record leaves out.
  if (isForbidden(failing) || (last !== undefined && statusOf(last) === 400 && looksForeign(last))) return false;
  return conditions[failing.requirement]?.[failing.failure.code]?.(failing, history) ?? true;
}
