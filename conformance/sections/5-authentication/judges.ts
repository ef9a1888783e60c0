/** §5 Authentication: requests without a valid bearer key are answered 401, those with one are not. */

import type { RequirementId } from '../../../spec/requirements.ts';
import { type CredentialKind, type Exchange, happenedBefore } from '../../http/exchange.ts';
import { readPetId } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { isRemovedFor, type World } from '../../world/world.ts';
import type { Judge } from '../judge.ts';
import { isBlockable } from './credentials.ts';

const requirementOfKind: Readonly<Partial<Record<CredentialKind, RequirementId>>> = {
  missing: 'auth-missing-key',
  invalid: 'auth-invalid-key',
  misplaced: 'auth-bearer-header',
};

const isAccepted = (exchange: Exchange): boolean => [200, 201].includes(statusOf(exchange) ?? 0);

/**
 * Fails a refusal of the API key that neither scope nor expiry explains, since the same operation accepted the key before
 * and after. A refusal after a 429 may be a ban (§8).
 */
function judgeRefusal({ exchanges }: World, refusal: Exchange): readonly Finding[] {
  const ofKey = exchanges.filter(({ credential }) => credential.kind === 'valid');
  if (ofKey.some((other) => statusOf(other) === 429 && happenedBefore(other, refusal))) return [];
  const accepted = ofKey.filter((other) => other.operation === refusal.operation && isAccepted(other));
  const before = accepted.findLast((other) => happenedBefore(other, refusal));
  const after = accepted.find((other) => happenedBefore(refusal, other));
  if (before === undefined || after === undefined) return [];
  const facts = {
    expected: `the API key to be accepted, as before (#${before.number}) and after (#${after.number})`,
    received: `401`,
  };
  return [fails('auth-valid-key', 'valid-refused', facts, before, refusal, after)];
}

function judgeValid(world: World, exchange: Exchange): readonly Finding[] {
  const status = statusOf(exchange);
  if (status === 401) return judgeRefusal(world, exchange);
  // Scopes are not shown: 403 says that the key may not use the operation.
  return status === 403 ? [] : [holds('auth-valid-key', exchange)];
}

/** The refusal that §5 asks for, with the credential that the service answered otherwise. */
function refusalOf(exchange: Exchange) {
  const { id, title } = exchange.credential;
  return { expected: `401 for ${title}`, status: statusOf(exchange), input: { name: 'credential', value: id } };
}

function judgeOtherCase(exchange: Exchange): readonly Finding[] {
  if (statusOf(exchange) === 401) return [holds('auth-key-case', exchange)];
  if (!isAccepted(exchange)) return [];
  const facts = { ...refusalOf(exchange), received: `${statusOf(exchange)}` };
  return [fails('auth-key-case', 'accepted', facts, exchange)];
}

/** Whether a router or a firewall may have given the answer instead of the operation. */
function mayBeUnread(exchange: Exchange): boolean {
  const status = statusOf(exchange) ?? 0;
  // If the path holds no int64, a router may not match it to getPet.
  if (exchange.operation === 'getPet' && status === 404) return readPetId(exchange) === 'not-int64';
  const isBlocked = isBlockable(exchange.credential.id) && status >= 400 && status < 500;
  // Proxies have credentials of their own.
  return isBlocked || status === 407;
}

function judgeRefused(exchange: Exchange, requirement: RequirementId): readonly Finding[] {
  const status = statusOf(exchange);
  if (status === 401) return [holds(requirement, exchange)];
  if (mayBeUnread(exchange)) return [];
  const code = status !== undefined && status >= 200 && status < 300 ? 'accepted' : 'unexpected-status';
  const facts = { ...refusalOf(exchange), received: `${status}` };
  return [fails(requirement, code, facts, exchange)];
}

function judgeCredential(world: World, exchange: Exchange): readonly Finding[] {
  const { kind } = exchange.credential;
  if (exchange.operation === 'other' || isRemovedFor(world, exchange)) return [];
  if (kind === 'valid') return judgeValid(world, exchange);
  if (kind === 'other-case') return judgeOtherCase(exchange);
  const requirement = requirementOfKind[kind];
  return requirement === undefined ? [] : judgeRefused(exchange, requirement);
}

export const authenticationJudges: readonly Judge[] = [
  {
    id: 'keys-are-required',
    verifies: ['auth-valid-key', 'auth-missing-key', 'auth-invalid-key', 'auth-key-case', 'auth-bearer-header'],
    title: 'The service answers 401 to requests without a valid bearer key, and only to those',
    scope: 'record',
    judge: (world) => world.answered.flatMap((exchange) => judgeCredential(world, exchange)),
  },
];
