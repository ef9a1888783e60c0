/** Waivers: failures that a team knows and accepts until a day, each with a reason and an owner. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import { dayMs } from '../http/tolerances.ts';
import { type Reason, reason } from './reasons.ts';
import type { RequirementVerdict, Verdict } from './verdict.ts';

/** A failure that a team knows and accepts until a day. */
export interface Waiver {
  readonly reason: string;
  readonly owner: string;
  /** The last day on which it holds, such as 2027-01-31. */
  readonly expires: string;
}

/** By the id of the requirement that they are for. */
export type Waivers = ReadonlyMap<AnyRequirementId, Waiver>;

/**
 * The effect of a waiver in a run. `waived`: the failure stays visible and does not fail the run; `expired`: its last day
 * is over; `stale`: the requirement holds in this run; `unused`: the run did not judge the requirement.
 */
export type WaiverState = 'waived' | 'expired' | 'stale' | 'unused';

/** A verdict together with the waiver of its requirement, if there is one. */
export interface WaivedVerdict extends RequirementVerdict<AnyRequirementId> {
  readonly waiver?: Waiver & { readonly state: WaiverState };
}

function stateOf({ expires }: Waiver, verdict: Verdict, today: number): WaiverState {
  if (today >= Date.parse(expires) + dayMs) return 'expired';
  if (verdict === 'fail' || verdict === 'warn') return 'waived';
  return verdict === 'pass' ? 'stale' : 'unused';
}

export function applyWaivers(
  verdicts: readonly RequirementVerdict<AnyRequirementId>[],
  waivers: Waivers | undefined,
  today: number,
): readonly WaivedVerdict[] {
  return verdicts.map((one) => {
    const waiver = waivers?.get(one.requirement.id);
    return waiver === undefined ? one : { ...one, waiver: { ...waiver, state: stateOf(waiver, one.verdict, today) } };
  });
}

/** The complaint about an expired waiver. It fails the run, so that no waiver outlives its last day. */
export function complaintOf({ requirement: { id }, waiver }: WaivedVerdict): Reason | undefined {
  return waiver?.state === 'expired' ? reason('waiver-expired', { id, date: waiver.expires }) : undefined;
}

/** A note about each waiver that this run did not need: a failure may still show in a longer run. */
export function staleNotes(verdicts: readonly WaivedVerdict[]): readonly string[] {
  return verdicts.flatMap(({ requirement: { id }, waiver }) =>
    waiver?.state === 'stale' ? [`${id} holds in this run, so its waiver may be removed.`] : [],
  );
}
