/**
 * What is published to a Pact Broker of one pact. A broker knows true and false of a pact, and of an interaction a third:
 * one that the results leave out is unknown, and `can-i-deploy` warns of it.
 */

import { type Fields, isFields } from '../pact.ts';
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

/** The ids that the broker gave the interactions of a pact, in the order in which they are reported. */
function idsIn({ interactions, messages }: Fields): readonly unknown[] {
  const [all, older] = [interactions, messages].map((list) => (Array.isArray(list) ? list.filter(isFields) : []));
  const isHttp = ({ type = 'Synchronous/HTTP' }: Fields): boolean => type === 'Synchronous/HTTP';
  const [requests, others] = [true, false].map((wanted) => (all ?? []).filter((one) => isHttp(one) === wanted));
  return [...(requests ?? []), ...(others ?? []), ...(older ?? [])].map(({ _id }) => _id);
}

/** What came of one interaction. A broker keeps fields that it does not know, and shows no test for them. */
function testOf({ verdict, messages, description }: ReportedInteraction, id: unknown, redact: Redact): Fields {
  const told = messages.map(redact);
  if (verdict === 'pass') return { interactionId: id, success: true };
  if (verdict === 'not-verifiable')
    return { notVerifiable: { interactionId: id, description: redact(description), reasons: told } };
  return { interactionId: id, success: false, mismatches: told.map((message) => ({ description: message })) };
}

/** The verification result of a pact as the broker gave it, whose interactions have ids there. */
export function resultOf(
  pact: Fields,
  reported: readonly ReportedInteraction[],
  { version, requiresAll, redact }: PublicationOptions,
): Fields {
  const ids = idsIn(pact);
  return {
    success: isSuccess(reported, requiresAll),
    providerApplicationVersion: version,
    testResults: reported.map((one, at) => testOf(one, ids[at], redact)),
    verifiedBy: { implementation: kit.name, version: kit.version },
  };
}
