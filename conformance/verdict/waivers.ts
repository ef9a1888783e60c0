/** Waivers: failures that a team knows and accepts until a day, each with a reason and an owner. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import { dayMs } from '../http/tolerances.ts';
import { type Reason, reason } from './reasons.ts';
import type { RequirementVerdict } from './verdict.ts';

/** A failure that a team knows and accepts until a day. */
export interface Waiver {
  readonly reason: string;
  readonly owner: string;
  /** The last day on which it holds, such as 2027-01-31. */
  readonly expires: string;
  /** The only failure code that it waives; all of the requirement's when undefined. */
  readonly code?: string;
}

/** By the id of the requirement that they are for. */
export type Waivers = ReadonlyMap<AnyRequirementId, readonly Waiver[]>;

/**
 * The effect of a waiver in a run. `waived`: the failure stays visible and does not fail the run; `expired`: its last day
 * is over; `stale`: the requirement holds in this run; `unused`: the run did not judge the requirement, or found failures
 * of other codes.
 */
export type WaiverState = 'waived' | 'expired' | 'stale' | 'unused';

/** A verdict together with the waiver of its requirement, if there is one. */
export interface WaivedVerdict extends RequirementVerdict<AnyRequirementId> {
  readonly waiver?: Waiver & { readonly state: WaiverState };
}

function isExpired({ expires }: Waiver, today: number): boolean {
  return today >= Date.parse(expires) + dayMs;
}

/** The waiver of a requirement, with its effect: where several failure codes have one each, the first that holds. */
function waiverFor({ verdict, failures }: RequirementVerdict<AnyRequirementId>, own: readonly Waiver[], today: number) {
  const codes = failures.map(({ failure }): string => failure.code);
  const covers = (waiver: Waiver, code: string): boolean => waiver.code === undefined || waiver.code === code;
  const holding = own.filter((waiver) => !isExpired(waiver, today));
  const isBroken = verdict === 'fail' || verdict === 'warn';
  const areCovered = codes.every((code) => holding.some((waiver) => covers(waiver, code)));
  const waived = holding.find((waiver) => codes.length === 0 || codes.some((code) => covers(waiver, code)));
  if (isBroken && areCovered && waived !== undefined) return { ...waived, state: 'waived' } as const;
  const expired = own.find((waiver) => isExpired(waiver, today));
  if (expired !== undefined) return { ...expired, state: 'expired' } as const;
  return { ...own[0]!, state: verdict === 'pass' ? 'stale' : 'unused' } as const;
}

export function applyWaivers(
  verdicts: readonly RequirementVerdict<AnyRequirementId>[],
  waivers: Waivers | undefined,
  today: number,
): readonly WaivedVerdict[] {
  return verdicts.map((verdict) => {
    const own = waivers?.get(verdict.requirement.id) ?? [];
    return own.length === 0 ? verdict : { ...verdict, waiver: waiverFor(verdict, own, today) };
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
