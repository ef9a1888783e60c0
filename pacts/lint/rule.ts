/** A lint rule finds one kind of claim that goes beyond the interface. */

import { defined } from '../../spec/defined.ts';
import type { GapId } from '../../spec/gaps.ts';
import type { Claims } from './claims.ts';
import type { Constraint } from './matching-rules.ts';

/**
 * `contradiction`: the interface says otherwise; `open`: it leaves this to each implementation, see `gap`;
 * `unreachable`: no operation brings a provider into this state.
 */
export type RemarkKind = 'contradiction' | 'open' | 'unreachable';

/** One sentence for each such claim: its place, and what to claim instead. */
type Find = (claims: Claims) => readonly string[];

export interface Rule {
  readonly kind: RemarkKind;
  readonly gap?: GapId;
  readonly find: Find;
}

/** By the code of the remark: a stable slug, as failure codes are. */
export type Rules = Readonly<Record<string, Rule>>;

export function contradiction(find: Find, gap?: GapId): Rule {
  return defined({ kind: 'contradiction' as const, gap, find });
}

export function open(gap: GapId, find: Find): Rule {
  return { kind: 'open', gap, find };
}

export function unreachable(find: Find): Rule {
  return { kind: 'unreachable', find };
}

export function acceptsAll({ accepts }: Constraint, values: readonly unknown[]): boolean {
  return values.every((value) => accepts(value));
}
