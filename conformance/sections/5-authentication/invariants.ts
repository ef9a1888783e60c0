/** §5 Authentication: what judges it. What is sent stands beside it, in 5-credentials. */

import type { RequirementId } from '../../../spec/requirements.ts';
import { noKey } from '../../http/credentials.ts';
import { type CredentialKind, type Exchange, happenedBefore } from '../../http/exchange.ts';
import { readPetId } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import type { Check } from '../../run/scenario.ts';
import type { Invariant } from '../../verdict/check.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import type { History } from '../../verdict/history.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { isBlockable } from './header-forms.ts';
import { partIdsOf } from './misplaced-keys.ts';
import { credentialScenarios } from './scenarios.ts';

const requirementOfKind: Readonly<Partial<Record<CredentialKind, RequirementId>>> = {
  missing: 'auth-missing-key',
  invalid: 'auth-invalid-key',
  misplaced: 'auth-bearer-header',
};

/** Whether the interface says how an exchange is answered, as far as keys go. */
function isShown(history: History, { operation }: Exchange): boolean {
  return operation !== 'other' && !(operation === 'getPet' && isRemoved(history));
}

function isAccepted(exchange: Exchange): boolean {
  const status = statusOf(exchange) ?? 0;
  return status >= 200 && status < 300;
}

/**
 * A refusal of the API key that neither its scope nor its end explains: the same operation accepted it before and after.
 * A ban follows a 429 (§8).
 */
function judgeRefusal(history: History, refusal: Exchange): readonly Finding[] {
  const ofKey = history.exchanges.filter(({ credential }) => credential.kind === 'valid');
  if (ofKey.some((other) => statusOf(other) === 429 && happenedBefore(other, refusal))) return [];
  const accepted = ofKey.filter((other) => other.operation === refusal.operation && isAccepted(other));
  const before = accepted.findLast((other) => happenedBefore(other, refusal));
  const after = accepted.find((other) => happenedBefore(refusal, other));
  if (before === undefined || after === undefined) return [];
  const message = `expected the API key to be accepted, as before (#${before.number}) and after (#${after.number}), received 401`;
  return [fails('auth-valid-key', 'valid-refused', message, before, refusal, after)];
}

function judgeValid(history: History, exchange: Exchange): readonly Finding[] {
  const status = statusOf(exchange);
  if (status === 401) return judgeRefusal(history, exchange);
  // What a key may do is not shown: 403 says that it may not do this.
  return status === 403 ? [] : [holds('auth-valid-key', exchange)];
}

function judgeOtherCase(exchange: Exchange): readonly Finding[] {
  if (statusOf(exchange) === 401) return [holds('auth-key-case', exchange)];
  if (!isAccepted(exchange)) return [];
  const message = `expected 401 for ${exchange.credential.title}, received ${statusOf(exchange)}`;
  return [fails('auth-key-case', 'accepted', message, exchange)];
}

/** Whether something before the service, or beside its operations, may have given this answer. */
function mayComeFromAnotherService(exchange: Exchange): boolean {
  const status = statusOf(exchange) ?? 0;
  // Where the path holds no int64, a router may know no such operation.
  if (exchange.operation === 'getPet' && status === 404) return readPetId(exchange) === 'not-int64';
  const isBlocked = isBlockable(exchange.credential.id) && status >= 400 && status < 500;
  // Proxies have credentials of their own.
  return isBlocked || status === 407;
}

/** Whether a pack of credentials was let through for one of its parts, which is told by itself. */
function isExplained(history: History, exchange: Exchange): boolean {
  const parts = partIdsOf(exchange.credential.id);
  if (parts.size === 0) return false;
  return history.answered.some(
    (other) =>
      other.operation === exchange.operation &&
      statusOf(other) === statusOf(exchange) &&
      parts.has(other.credential.id),
  );
}

function judgeRefused(history: History, exchange: Exchange, requirement: RequirementId): readonly Finding[] {
  const status = statusOf(exchange);
  if (status === 401) {
    // Where all wrong places together do not help, no key at all does not either.
    const isWithout = partIdsOf(exchange.credential.id).has(noKey.shown.id);
    return [holds(requirement, exchange), ...(isWithout ? [holds('auth-missing-key', exchange)] : [])];
  }
  if (mayComeFromAnotherService(exchange) || isExplained(history, exchange)) return [];
  const code = isAccepted(exchange) ? 'accepted' : 'unexpected-status';
  return [fails(requirement, code, `expected 401 for ${exchange.credential.title}, received ${status}`, exchange)];
}

function judgeCredential(history: History, exchange: Exchange): readonly Finding[] {
  const { kind } = exchange.credential;
  if (!isShown(history, exchange)) return [];
  if (kind === 'valid') return judgeValid(history, exchange);
  if (kind === 'other-case') return judgeOtherCase(exchange);
  const requirement = requirementOfKind[kind];
  return requirement === undefined ? [] : judgeRefused(history, exchange, requirement);
}

const keysAreRequired: Invariant = {
  kind: 'invariant',
  id: 'keys-are-required',
  verifies: ['auth-valid-key', 'auth-missing-key', 'auth-invalid-key', 'auth-key-case', 'auth-bearer-header'],
  title: 'Requests without a valid bearer key answer 401, those with one do not',
  judge: (history) => history.answered.flatMap((exchange) => judgeCredential(history, exchange)),
};

export const authenticationChecks: readonly Check[] = [keysAreRequired, ...credentialScenarios];
