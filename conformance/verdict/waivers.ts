/** Waivers: known failures that a team accepts until a date, each with a reason and an owner. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import { dayMs } from '../http/tolerances.ts';
import type { RequirementVerdict, Verdict } from './verdict.ts';

/** A known failure that a team accepts until a date. */
export interface Waiver {
  readonly reason: string;
  readonly owner: string;
  /** The last day on which it is valid, such as 2027-01-31. */
  readonly expires: string;
}

/** Waivers by the id of their requirement. */
export type Waivers = ReadonlyMap<AnyRequirementId, Waiver>;

/**
 * The effect of a waiver in a run. `waived`: the failure stays visible and does not fail the run; `expired`: its last day
 * is over; `stale`: the requirement holds, so nothing is left to waive; `unused`: the run did not judge the requirement.
 */
export type WaiverState = 'waived' | 'expired' | 'stale' | 'unused';

export function stateOf({ expires }: Waiver, verdict: Verdict, today: number): WaiverState {
  if (today >= Date.parse(expires) + dayMs) return 'expired';
  if (verdict === 'pass') return 'stale';
  return verdict === 'fail' || verdict === 'warn' ? 'waived' : 'unused';
}

/** A verdict together with the waiver of its requirement, if there is one. */
export interface WaivedVerdict extends RequirementVerdict<AnyRequirementId> {
  readonly waiver?: Waiver & { readonly state: WaiverState };
}

/** Attaches each waiver to the verdict of its requirement. */
export function applyWaivers(
  verdicts: readonly RequirementVerdict<AnyRequirementId>[],
  waivers: Waivers | undefined,
  today: number,
): readonly WaivedVerdict[] {
  return verdicts.map((verdict) => {
    const waiver = waivers?.get(verdict.requirement.id);
    return waiver === undefined
      ? verdict
      : { ...verdict, waiver: { ...waiver, state: stateOf(waiver, verdict.verdict, today) } };
  });
}

/** Returns the complaint about an expired or stale waiver. It fails the run, so that no waiver outlives its reason. */
export function complaintOf({ requirement: { id }, waiver }: WaivedVerdict): string | undefined {
  if (waiver?.state === 'expired') return `the waiver of ${id} expired on ${waiver.expires}: remove or renew it`;
  return waiver?.state === 'stale' ? `the waiver of ${id} is stale, the requirement holds: remove it` : undefined;
}
