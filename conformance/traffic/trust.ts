/**
 * Decides which failures hold in recorded traffic. A run knows that its names are unique, that its ids were drawn at random
 * and that it repeated requests. In recorded traffic other clients act unseen, so a failure that rests on such knowledge
 * holds only if the traffic itself confirms it.
 */

import { readPetId } from '../http/read-request.ts';
import { statusOf } from '../http/read-response.ts';
import type { Failing } from '../verdict/finding.ts';
import { looksForeign } from '../world/evidence.ts';
import { type History, isAuthorized } from '../world/history.ts';
import { nameTag } from '../world/names.ts';

type Condition = (failing: Failing, history: History) => boolean;

/** Whether the animal of the first exchange has a name that only a run of this kit gives. */
const hasNameOfARun: Condition = ({ exchanges: [first] }) => nameTag.test(first?.request.body ?? '');

/** By requirement and failure code, or by the code alone. Failures that are not listed always hold. */
const conditions: Readonly<Record<string, Condition>> = {
  // Names need not be unique.
  'created-twice': hasNameOfARun,
  'refused-yet-stored': hasNameOfARun,
  // An id that no exchange has shown yet may belong to an animal of another client.
  'get-not-found unexpected-status': ({ exchanges: [read] }) => read !== undefined && statusOf(read) !== 200,
  // Another client may have removed an animal that only pages have shown.
  'removed-early': ({ exchanges }, { createdById }) =>
    exchanges.some((one) => one.operation === 'getPet' && createdById.has(readPetId(one) as bigint)),
  // How a ban answers is open, so only a refusal after a served request counts.
  'rate-retry-after unusable': ({ exchanges: [refused] }, { exchanges }) =>
    exchanges.some((one) => one.answered < (refused?.sent ?? 0) && (statusOf(one) ?? 500) < 400),
};

/** Whether a failure holds, considering what recorded traffic does not show. */
export function isCredible(failing: Failing, history: History): boolean {
  const { requirement, failure, exchanges } = failing;
  const last = exchanges.at(-1)!;
  // The scope of a key may forbid an operation: scopes are not shown (§5).
  if (failure.code === 'unexpected-status' && statusOf(last) === 403 && isAuthorized(last)) return false;
  // A gateway may have refused a header or a cookie that the record leaves out.
  if (statusOf(last) === 400 && looksForeign(last)) return false;
  const condition = conditions[failure.code] ?? conditions[`${requirement} ${failure.code}`];
  return condition?.(failing, history) ?? true;
}
