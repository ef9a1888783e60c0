/**
 * The verification result that is published to a Pact Broker. A pact is a success or a failure; an interaction can also be
 * unknown, if the results leave it out, and `can-i-deploy` warns about it.
 */

import type { Redact } from '../../conformance/http/redact.ts';
import { kit } from '../../conformance/verdict/kit.ts';
import type { ReportedInteraction } from '../../conformance/verdict/report.ts';
import { defined } from '../../spec/defined.ts';
import { type Fields, type Pact, splitByKind } from '../pact.ts';

export interface PublicationOptions {
  readonly version: string;
  /** Whether interactions count that the user left out. */
  readonly requiresAll: boolean;
  readonly redact: Redact;
}

/** Whether a pact is a success: at least one interaction passes, and only those that the user left out do not. */
export function isSuccess(reported: readonly ReportedInteraction[], requiresAll: boolean): boolean {
  const isFine = ({ verdict, isExcused }: ReportedInteraction): boolean =>
    verdict === 'pass' || (verdict === 'not-verifiable' && isExcused === true && !requiresAll);
  return reported.every(isFine) && reported.some(({ verdict }) => verdict === 'pass');
}

/** The result of one interaction. A broker keeps unknown fields such as `notVerifiable`, and shows no test for them. */
function testOf({ verdict, messages, description }: ReportedInteraction, id: unknown, redact: Redact): Fields {
  const reasons = messages.map(redact);
  if (verdict === 'pass') return { interactionId: id, success: true };
  if (verdict === 'not-verifiable') {
    return { notVerifiable: { interactionId: id, description: redact(description), reasons } };
  }
  return { interactionId: id, success: false, mismatches: reasons.map((message) => ({ description: message })) };
}

/** The verification result of a broker's pact, whose interactions have ids. */
export function resultOf(
  pact: Pact,
  reported: readonly ReportedInteraction[],
  { version, requiresAll, redact }: PublicationOptions,
): Fields {
  const { requests, others } = splitByKind(pact);
  const ids = [...requests, ...others].map(({ brokerId }) => brokerId);
  return defined({
    success: isSuccess(reported, requiresAll),
    providerApplicationVersion: version,
    testResults: reported.map((one, at) => testOf(one, ids[at], redact)),
    verifiedBy: { implementation: kit.name, version: kit.version },
  });
}
