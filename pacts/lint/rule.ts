/** A rule: one thing that a pact may claim beyond the interface. */

import type { GapId } from '../../spec/gaps.ts';
import type { Claims } from './claims.ts';
import type { Demand } from './matching-rules.ts';

/**
 * `contradiction`: the interface says otherwise; `open`: it leaves that to each implementation, by `gap`;
 * `unreachable`: no operation brings a provider there.
 */
export type RemarkKind = 'contradiction' | 'open' | 'unreachable';

export interface Rule {
  /** A stable slug, as those of failures. */
  readonly code: string;
  readonly kind: RemarkKind;
  /** Every rule of kind `open` has one. */
  readonly gap?: GapId;
  /** Where an interaction claims it, and what to claim instead: a sentence each, none where it does not. */
  readonly find: (claims: Claims) => readonly string[];
}

/** Whether a place does with each of some values that the interface allows there. */
export function acceptsAll({ accepts }: Demand, values: readonly unknown[]): boolean {
  return values.every((value) => accepts(value));
}
