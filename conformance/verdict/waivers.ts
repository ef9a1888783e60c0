/** Waivers: failures that a team knows and has accepted until a day, each with a reason and an owner. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import { dayMs } from '../http/tolerances.ts';
import type { RequirementVerdict, Verdict } from './verdict.ts';

/** A failure that somebody knows and accepts until a day. */
export interface Waiver {
  readonly reason: string;
  readonly owner: string;
  /** The last day on which it holds, as 2027-01-31. */
  readonly expires: string;
}

/** By the id of the requirement that each is for. */
export type Waivers = ReadonlyMap<AnyRequirementId, Waiver>;

/**
 * What a waiver does in a run. `waived`: the failure stays visible and does not fail the run; `expired`: its last day
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

/** Puts each waiver beside the verdict that it is for. */
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

/** What an expired or stale waiver says: it fails the run, so that no list of waivers outlives its reasons. */
export function complaintOf({ requirement: { id }, waiver }: WaivedVerdict): string | undefined {
  if (waiver?.state === 'expired') return `the waiver of ${id} expired on ${waiver.expires}: remove or renew it`;
  return waiver?.state === 'stale' ? `the waiver of ${id} is stale, the requirement holds: remove it` : undefined;
}
