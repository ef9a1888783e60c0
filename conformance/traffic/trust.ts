/**
 * Which failures hold in traffic of others. A run knows that its names are its own, that its ids were drawn and that it
 * asked again; in traffic others act unseen, so a failure that rests on such knowledge needs what the traffic shows.
 */

import type { FailureCode } from '../../spec/failure-codes.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import { readPetId } from '../http/read-request.ts';
import { statusOf } from '../http/read-response.ts';
import { nameTag } from '../run/names.ts';
import type { Failing } from '../verdict/finding.ts';
import { type History, isAuthorized } from '../verdict/history.ts';

type Credible = (failing: Failing, history: History) => boolean;

/** Whether the animal of the first exchange has a name that nobody else gives. */
const hasNameOfARun: Credible = ({ exchanges: [first] }) => nameTag.test(first?.request.body ?? '');

function idAskedBy(exchange: Exchange): bigint | undefined {
  const id = exchange.operation === 'getPet' ? readPetId(exchange) : undefined;
  return typeof id === 'bigint' ? id : undefined;
}

/** Whether an animal that is missing is not shown by a later page. */
const staysMissing: Credible = ({ exchanges }, history) => {
  const last = exchanges.at(-1);
  const created =
    history.created.find(({ exchange }) => exchanges.includes(exchange)) ??
    history.createdById.get((last && idAskedBy(last)) ?? -1n);
  if (last === undefined || created === undefined) return true;
  return (history.lastListed.get(created.id) ?? 0) <= last.sent;
};

/** By requirement and code; what is not named here holds wherever it is found. */
const conditions: Partial<Record<RequirementId, Readonly<Partial<Record<FailureCode, Credible>>>>> = {
  // Names need not be unique.
  'create-answer': { 'created-twice': hasNameOfARun },
  'create-refused-stores-nothing': { 'refused-yet-stored': hasNameOfARun },
  'auth-refused-stores-nothing': { 'refused-yet-stored': hasNameOfARun },
  // An id that nobody has shown yet may well be one of others.
  'get-not-found': { 'unexpected-status': ({ exchanges: [read] }) => read !== undefined && statusOf(read) !== 200 },
  'get-answer': {
    'unexpected-status': (failing, history) =>
      statusOf(failing.exchanges[0]!) !== 404 || staysMissing(failing, history),
  },
  // Others may have removed what only pages have shown.
  'get-until-removal': {
    'removed-early': (failing, history) =>
      failing.exchanges.some((exchange) => history.createdById.has(idAskedBy(exchange) ?? -1n)) &&
      staysMissing(failing, history),
  },
  'list-complete': { 'animal-missing': staysMissing },
  // The answers of a ban are open: the first refusal is the one that a served request came before.
  'rate-retry-after': {
    unusable: ({ exchanges: [refused] }, { exchanges }) =>
      exchanges.some((exchange) => exchange.answered < (refused?.sent ?? 0) && (statusOf(exchange) ?? 500) < 400),
  },
};

/** A key may be one that its scope forbids an operation: how keys are issued is not shown (§5). */
function isForbidden({ exchanges, failure: { code } }: Failing): boolean {
  const last = exchanges.at(-1);
  return code === 'unexpected-status' && last !== undefined && statusOf(last) === 403 && isAuthorized(last);
}

/** Whether a failure is one of the service, with all that traffic does not show. */
export function isCredible(failing: Failing, history: History): boolean {
  if (isForbidden(failing)) return false;
  return conditions[failing.requirement]?.[failing.failure.code]?.(failing, history) ?? true;
}
