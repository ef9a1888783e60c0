/** Waivers: failures that a team knows and accepts until a day, each with a reason and an owner. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import { dayMs } from '../http/tolerances.ts';
import type { Verdict } from './verdict.ts';

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

/** A waiver with its effect in a run. */
export type AppliedWaiver = Waiver & { readonly state: WaiverState };

/** The waiver of a requirement that has this verdict; `today` is in Unix milliseconds. */
export function applyWaiver(waiver: Waiver, verdict: Verdict, today: number): AppliedWaiver {
  if (today >= Date.parse(waiver.expires) + dayMs) return { ...waiver, state: 'expired' };
  if (verdict === 'fail' || verdict === 'warn') return { ...waiver, state: 'waived' };
  return { ...waiver, state: verdict === 'pass' ? 'stale' : 'unused' };
}
