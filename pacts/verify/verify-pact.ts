/** Verifies the interactions of one pact. */

import { askAgainAtMs, longestCopyMs, refreshMs } from '../../conformance/http/tolerances.ts';
import type { ReportedInteraction } from '../../conformance/verdict/report.ts';
import { type Pact, type PactInteraction, splitByKind } from '../pact.ts';
import { createsAnimals, injectsNewName } from './entered-states.ts';
import { notVerified } from './interactions.ts';
import { type Verification, verifyRequests } from './verify-requests.ts';

/** The second result counts. If it is not verifiable, the differences of the first are reported as well. */
function combine(first: ReportedInteraction, second = first): ReportedInteraction {
  const isBlocked = second !== first && second.verdict === 'not-verifiable';
  return isBlocked ? { ...second, messages: [...second.messages, ...first.messages] } : second;
}

/** How old animals are when they are asked for again: a cache may hold copies for a minute, and refreshes the first then. */
const agesMs: readonly number[] = [...askAgainAtMs, longestCopyMs, longestCopyMs + refreshMs];

/**
 * Verifies failed interactions again with new animals that had time to appear: the first request may have come too soon,
 * its animal may be gone, or the answer to its creation may have been lost. How soon an animal appears is open, so what
 * lacks one is verified again and again, as in a run.
 */
async function verifyAgain(
  pact: Pact,
  requests: readonly PactInteraction[],
  first: readonly ReportedInteraction[],
  by: Verification,
): Promise<readonly ReportedInteraction[]> {
  const differs = ({ verdict }: ReportedInteraction): boolean => verdict === 'fail' || verdict === 'pending';
  const again = requests.filter(
    ({ states }, at) => differs(first[at]!) && states.some((one) => createsAnimals(one) || injectsNewName(one)),
  );
  if (again.length === 0) return first;
  await by.gateway.renew(again);
  const second = new Map((await verifyRequests(pact, again, by)).map((one, at) => [again[at], one]));
  for (const ageMs of agesMs) {
    const isEarly = (one: ReportedInteraction): boolean => differs(one) && by.gateway.mayBeEarly(one.exchanges);
    const early = again.filter((request) => isEarly(second.get(request)!));
    if (early.length === 0) break;
    await by.gateway.wait(ageMs);
    for (const [at, one] of (await verifyRequests(pact, early, by)).entries()) second.set(early[at]!, one);
  }
  return requests.map((request, at) => combine(first[at]!, second.get(request)));
}

const mostRemarks = 3;

/** Adds the remarks of lint to a failed interaction: the pact may claim more than the interface states. */
async function explain(
  reported: ReportedInteraction,
  interaction: PactInteraction,
  pact: Pact,
  { verifier, lint }: Verification,
): Promise<ReportedInteraction> {
  if (lint === undefined || (reported.verdict !== 'fail' && reported.verdict !== 'pending')) return reported;
  const remarks = await lint({ ...pact, interactions: [interaction] }, verifier);
  if (remarks.length === 0) return reported;
  const [first = '', ...others] = reported.messages;
  const lines = remarks.slice(0, mostRemarks).map((remark) => `pact lint: ${remark}`);
  return { ...reported, messages: [first, ...lines, ...others], isOverclaimed: true };
}

export async function verifyPact(pact: Pact, by: Verification): Promise<readonly ReportedInteraction[]> {
  const { requests, others } = splitByKind(pact);
  const verified = await verifyAgain(pact, requests, await verifyRequests(pact, requests, by), by);
  const explained: ReportedInteraction[] = [];
  for (const [at, one] of verified.entries()) explained.push(await explain(one, requests[at]!, pact, by));
  return [...explained, ...others.map((one) => notVerified(pact, one, one.obstacle!.reason))];
}
