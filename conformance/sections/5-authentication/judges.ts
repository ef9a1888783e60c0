/** §5 Judges authentication: requests without a valid bearer key are answered 401, those with one are not. */

import type { RequirementId } from '../../../spec/requirements.ts';
import { type CredentialKind, type Exchange, happenedBefore } from '../../http/exchange.ts';
import { readPetId } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import type { Check } from '../../run/suite.ts';
import { wrongPartOf } from '../../verdict/dimensions.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { isRefused } from '../../world/evidence.ts';
import { isRemovedFor, type World } from '../../world/world.ts';

const requirementOfKind: Readonly<Partial<Record<CredentialKind, RequirementId>>> = {
  missing: 'auth-missing-key',
  invalid: 'auth-invalid-key',
  misplaced: 'auth-bearer-header',
  'other-case': 'auth-key-case',
};

function isAccepted(exchange: Exchange): boolean {
  const status = statusOf(exchange) ?? 0;
  return status >= 200 && status < 300;
}

/** Whether an answer shows that the key may use an operation: it was served, or for getPet a listing, since both only read. */
function isAcceptedFor(operation: Exchange['operation'], other: Exchange): boolean {
  const isOfOperation = other.operation === operation || (operation === 'getPet' && other.operation === 'listPets');
  return isOfOperation && isAccepted(other);
}

/**
 * Fails a 401 to the API key that neither scope nor expiry explains: the key was accepted for the same operation before and
 * after. 401 says that the key is invalid, so getPet may not answer it to a key that listPets accepts. A refusal after a 429
 * may be a ban (§8).
 */
function judgeValid(world: World, exchange: Exchange): readonly Finding[] {
  const status = statusOf(exchange);
  // Scopes are not shown: 403 says that the key may not use the operation.
  if (status === 403) return [];
  if (status !== 401) return [holds('auth-valid-key', exchange)];
  const ofKey = world.exchanges.filter(({ credential }) => credential.kind === 'valid');
  if (ofKey.some((other) => isRefused(other) && happenedBefore(other, exchange))) return [];
  const accepted = ofKey.filter((other) => isAcceptedFor(exchange.operation, other));
  const before = accepted.findLast((other) => happenedBefore(other, exchange));
  const after = accepted.find((other) => happenedBefore(exchange, other));
  if (before === undefined || after === undefined) return [];
  const expected = `the API key to be accepted, as before (#${before.number}) and after (#${after.number})`;
  return [fails('auth-valid-key', 'valid-refused', { expected, received: '401', status }, before, after, exchange)];
}

/** Whether a router, proxy or firewall may have given the answer instead of the operation. */
function mayComeFromAnotherService(exchange: Exchange): boolean {
  const status = statusOf(exchange) ?? 0;
  // Proxies have credentials of their own.
  if (status === 407) return true;
  // If the path holds no int64, a router may not match it to getPet.
  return exchange.operation === 'getPet' && status === 404 && readPetId(exchange) === 'not-int64';
}

/** A request whose key is missing, invalid or at another place gets 401 (§5). */
function judgeRefused(exchange: Exchange, requirement: RequirementId): readonly Finding[] {
  const status = statusOf(exchange) ?? 0;
  const { id, title, curl } = exchange.credential;
  if (status === 401) {
    // The key in other places is also a request without an Authorization header.
    const isWithout = requirement === 'auth-bearer-header' && !curl.words.startsWith('-H "Authorization');
    return [holds(requirement, exchange), ...(isWithout ? [holds('auth-missing-key', exchange)] : [])];
  }
  if (mayComeFromAnotherService(exchange)) return [];
  if (requirement === 'auth-key-case' && !isAccepted(exchange)) return [];
  const otherFault = wrongPartOf(exchange);
  const whatever = otherFault === undefined || isAccepted(exchange) ? '' : `, whatever is wrong with its ${otherFault}`;
  const facts = {
    expected: `401 for ${title}${whatever}`,
    received: String(status),
    status,
    input: { name: 'credential', value: id },
    otherFault,
  };
  return [fails(requirement, isAccepted(exchange) ? 'accepted' : 'unexpected-status', facts, exchange)];
}

/** "Every operation requires a bearer credential" (§5), whatever else is right or wrong with a request. */
function judgeCredential(world: World, exchange: Exchange): readonly Finding[] {
  const { kind } = exchange.credential;
  if (exchange.operation === 'other' || isRemovedFor(world, exchange)) return [];
  if (kind === 'valid') return judgeValid(world, exchange);
  const requirement = requirementOfKind[kind];
  return requirement === undefined ? [] : judgeRefused(exchange, requirement);
}

export const authenticationChecks: readonly Check[] = [
  {
    id: 'keys-are-required',
    verifies: ['auth-valid-key', 'auth-missing-key', 'auth-invalid-key', 'auth-key-case', 'auth-bearer-header'],
    judge: (world) => world.answered.flatMap((exchange) => judgeCredential(world, exchange)),
  },
];
