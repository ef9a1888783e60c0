/**
 * What is published to a Pact Broker of one pact. A broker knows true and false of a pact, and of an interaction a third:
 * one that the results leave out is unknown, and `can-i-deploy` warns of it.
 */

import { apart, type Fields, type Pact } from '../pact.ts';
import { kit, type Redact, type ReportedInteraction } from './kit.ts';

export interface PublicationOptions {
  /** Of the provider. */
  readonly version: string;
  /** Whether what the user did not give or want counts. */
  readonly requiresAll: boolean;
  readonly redact: Redact;
}

/** Whether nothing speaks against a pact: what the user left out does not, and something has to hold. */
function isSuccess(reported: readonly ReportedInteraction[], requiresAll: boolean): boolean {
  const isFine = ({ verdict, isExcused }: ReportedInteraction): boolean =>
    verdict === 'pass' || (verdict === 'not-verifiable' && isExcused === true && !requiresAll);
  return reported.every(isFine) && reported.some(({ verdict }) => verdict === 'pass');
}

/** What came of one interaction. A broker keeps fields that it does not know, and shows no test for them. */
function testOf({ verdict, messages, description }: ReportedInteraction, id: unknown, redact: Redact): Fields {
  const told = messages.map(redact);
  if (verdict === 'pass') return { interactionId: id, success: true };
  if (verdict === 'not-verifiable')
    return { notVerifiable: { interactionId: id, description: redact(description), reasons: told } };
  return { interactionId: id, success: false, mismatches: told.map((message) => ({ description: message })) };
}

/** The verification result of a pact of a broker, in which its interactions have ids. */
export function resultOf(
  pact: Pact,
  reported: readonly ReportedInteraction[],
  { version, requiresAll, redact }: PublicationOptions,
): Fields {
  const { requests, messages } = apart(pact);
  const ids = [...requests, ...messages].map(({ brokerId }) => brokerId);
  return {
    success: isSuccess(reported, requiresAll),
    providerApplicationVersion: version,
    testResults: reported.map((one, at) => testOf(one, ids[at], redact)),
    verifiedBy: { implementation: kit.name, version: kit.version },
  };
}
