/** Waivers: failures that a team knows and has accepted until a day, each with a reason and an owner. */

import type { RequirementId } from '../../spec/requirements.ts';
import type { Verdict } from './verdict.ts';

export interface Waiver {
  readonly reason: string;
  readonly owner: string;
  /** The last day on which it holds, as 2027-01-31. */
  readonly expires: string;
}

export type Waivers = ReadonlyMap<RequirementId, Waiver>;

/**
 * What a waiver does in a run. `waived`: the failure stays visible and does not fail the run; `expired`: its last day
 * is over; `stale`: the statement holds, so nothing is left to waive; `unused`: the run did not judge the statement.
 */
export type WaiverState = 'waived' | 'expired' | 'stale' | 'unused';

const dayMs = 86_400_000;

export function stateOf({ expires }: Waiver, verdict: Verdict, today: number): WaiverState {
  if (today >= Date.parse(expires) + dayMs) return 'expired';
  if (verdict === 'pass') return 'stale';
  return verdict === 'fail' || verdict === 'warn' ? 'waived' : 'unused';
}
