/** A lint rule finds one kind of claim that goes beyond the interface. */

import type { GapId } from '../../spec/gaps.ts';
import type { Claims } from './claims.ts';
import type { Constraint } from './matching-rules.ts';

/**
 * `contradiction`: the interface says otherwise; `open`: it leaves this to each implementation, see `gap`;
 * `unreachable`: no operation brings a provider into this state.
 */
export type RemarkKind = 'contradiction' | 'open' | 'unreachable';

export interface Rule {
  /** A stable slug, as failure codes are. */
  readonly code: string;
  readonly kind: RemarkKind;
  /** The open question; every rule of kind `open` names one. */
  readonly gap?: GapId;
  /** One sentence for each such claim: its place, and what to claim instead. */
  readonly find: (claims: Claims) => readonly string[];
}

/** Whether a place allows all of these values. */
export function acceptsAll({ accepts }: Constraint, values: readonly unknown[]): boolean {
  return values.every((value) => accepts(value));
}
