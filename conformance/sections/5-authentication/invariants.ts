/** §5 Judges authentication: requests without a valid bearer key are answered 401, those with one are not. */

import type { RequirementId } from '../../../spec/requirements.ts';
import { noKey } from '../../http/credentials.ts';
import { type CredentialKind, type Exchange, happenedBefore } from '../../http/exchange.ts';
import { readNewPet, readPetId } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import type { Check } from '../../run/scenario.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { isGatewayRefusal, isOdd } from '../../verdict/gateways.ts';
import { type History, isRemovedFor } from '../../verdict/history.ts';
import { mergeCommonCauses } from './common-causes.ts';
import { hasMarks, isBlockable, isWrapped } from './header-forms.ts';
import { partIdsOf } from './misplaced-keys.ts';
import { credentialScenarios } from './scenarios.ts';

const requirementOfKind: Readonly<Partial<Record<CredentialKind, RequirementId>>> = {
  missing: 'auth-missing-key',
  invalid: 'auth-invalid-key',
  misplaced: 'auth-bearer-header',
};

/** Whether the interface states how the service answers the credential of an exchange. */
function isShown(history: History, exchange: Exchange): boolean {
  return exchange.operation !== 'other' && !isRemovedFor(history, exchange);
}

function isAccepted(exchange: Exchange): boolean {
  const status = statusOf(exchange) ?? 0;
  return status >= 200 && status < 300;
}

/**
 * Fails a refusal of the API key that neither scope nor expiry explains, since the same operation accepted the key before
 * and after. A refusal after a 429 may be a ban (§8).
 */
function judgeRefusal(history: History, refusal: Exchange): readonly Finding[] {
  const ofKey = history.exchanges.filter(({ credential }) => credential.kind === 'valid');
  if (ofKey.some((other) => statusOf(other) === 429 && happenedBefore(other, refusal))) return [];
  const accepted = ofKey.filter((other) => other.operation === refusal.operation && isAccepted(other));
  const before = accepted.findLast((other) => happenedBefore(other, refusal));
  const after = accepted.find((other) => happenedBefore(refusal, other));
  if (before === undefined || after === undefined) return [];
  const facts = {
    expected: `the API key to be accepted, as before (#${before.number}) and after (#${after.number})`,
    received: '401',
    status: 401,
  };
  return [fails('auth-valid-key', 'valid-refused', facts, before, refusal, after)];
}

function judgeValid(history: History, exchange: Exchange): readonly Finding[] {
  const status = statusOf(exchange);
  if (status === 401) return judgeRefusal(history, exchange);
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

const tooLarge: readonly number[] = [413, 414, 431];

/** A body of plain words and numbers, in which no firewall sees an attack. */
const plainBody = /^[\w\s{}":,.-]*$/;

/** Whether more is out of the ordinary than a bad key in its place: a firewall may refuse that before anybody looks at the key. */
function isOddOtherwise(exchange: Exchange): boolean {
  if (isOdd(exchange)) return true;
  const { operation, request } = exchange;
  return operation === 'createPet' && (readNewPet(exchange).kind !== 'valid' || !plainBody.test(request.body ?? ''));
}

/** Whether a router, proxy or firewall may have given the answer instead of the operation. */
function mayComeFromAnotherService(history: History, exchange: Exchange): boolean {
  const status = statusOf(exchange) ?? 0;
  const { id } = exchange.credential;
  // Some credentials are long, and others have quotes: a proxy may refuse them with 400, too.
  const isOddKey = tooLarge.includes(status) || isWrapped(id);
  if ((isOddKey || isOddOtherwise(exchange)) && isGatewayRefusal(history, exchange)) return true;
  // If the path holds no int64, a router may not match it to getPet.
  if (exchange.operation === 'getPet' && status === 404) return readPetId(exchange) === 'not-int64';
  const isBlocked = (isBlockable(id) && status >= 400 && status < 500) || (hasMarks(id) && status === 403);
  // Proxies have credentials of their own.
  return isBlocked || status === 407;
}

/** Whether one part of a combined credential got the same answer, so that the failure is reported for that part. */
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

/** Whether the operation gives the same status to requests with the API key, as to an invalid body. */
function isAnsweredAsValid(history: History, exchange: Exchange): boolean {
  return history.answered.some(
    (other) =>
      other.credential.kind === 'valid' &&
      other.operation === exchange.operation &&
      statusOf(other) === statusOf(exchange),
  );
}

function judgeRefused(history: History, exchange: Exchange, requirement: RequirementId): readonly Finding[] {
  const status = statusOf(exchange);
  if (status === 401) {
    // A combined credential without an Authorization header is also a request with a missing key.
    const isWithout = partIdsOf(exchange.credential.id).has(noKey.shown.id);
    const isOther = isWithout && requirement !== 'auth-missing-key';
    return [holds(requirement, exchange), ...(isOther ? [holds('auth-missing-key', exchange)] : [])];
  }
  if (mayComeFromAnotherService(history, exchange) || isExplained(history, exchange)) return [];
  const code = isAccepted(exchange) ? 'accepted' : 'unexpected-status';
  const alike = !isAccepted(exchange) && isAnsweredAsValid(history, exchange) ? ', as with the API key' : '';
  const facts = { ...refusalOf(exchange), received: `${status}${alike}` };
  return [fails(requirement, code, facts, exchange)];
}

function judgeCredential(history: History, exchange: Exchange): readonly Finding[] {
  const { kind } = exchange.credential;
  if (!isShown(history, exchange)) return [];
  if (kind === 'valid') return judgeValid(history, exchange);
  if (kind === 'other-case') return judgeOtherCase(exchange);
  const requirement = requirementOfKind[kind];
  return requirement === undefined ? [] : judgeRefused(history, exchange, requirement);
}

export const authenticationChecks: readonly Check[] = [
  {
    id: 'keys-are-required',
    verifies: ['auth-valid-key', 'auth-missing-key', 'auth-invalid-key', 'auth-key-case', 'auth-bearer-header'],
    title: 'The service answers 401 to requests without a valid bearer key, and only to those',
    judge: (history) =>
      mergeCommonCauses(
        history,
        history.answered.flatMap((exchange) => judgeCredential(history, exchange)),
      ),
  },
  ...credentialScenarios,
];
