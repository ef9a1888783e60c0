/** Says of a pact what contradicts the interface, what the interface leaves open, and what no provider state reaches. */

import type { GapId } from '../../spec/gaps.ts';
import type { Pact, PactInteraction } from '../pact.ts';
import { claimsOf } from './claims.ts';
import { compare, type Difference } from './compare.ts';
import type { RemarkKind } from './rule.ts';
import { messageRule, rules } from './rules.ts';

export type RemarkCode = (typeof rules)[number]['code'] | Difference['code'] | (typeof messageRule)['code'];

/** One thing that a pact claims and the interface does not. */
export interface Remark {
  /** Stable: what a remark is known by, whatever its words. */
  readonly code: RemarkCode;
  readonly kind: RemarkKind;
  /** What it is that the interface leaves open. */
  readonly gap?: GapId;
  /** The description of the interaction. */
  readonly interaction: string;
  /** Where it is claimed, and what to claim instead, for a person. */
  readonly message: string;
}

async function lintInteraction(interaction: PactInteraction): Promise<readonly Remark[]> {
  const claims = claimsOf(interaction);
  const differences = interaction.isHttp ? await compare(claims) : [];
  const found = (interaction.isHttp ? rules : [messageRule]).flatMap(({ find, ...rule }) =>
    find(claims).map((message) => ({ ...rule, message })),
  );
  return [...differences, ...found].map((remark) => ({ ...remark, interaction: interaction.description }));
}

/** Lints a pact, sending nothing. */
export async function lintPact({ interactions }: Pact): Promise<readonly Remark[]> {
  const remarks: Remark[] = [];
  for (const interaction of interactions) remarks.push(...(await lintInteraction(interaction)));
  return remarks;
}

const words: Readonly<Record<RemarkKind, string>> = {
  contradiction: 'contradicts the interface',
  open: 'claims what the interface leaves open',
  unreachable: 'claims what no provider state reaches',
};

/** One line for a person, and the code for a machine at its end. */
export function showRemark({ code, kind, interaction, gap, message }: Remark): string {
  return `"${interaction}" ${words[kind]}${gap === undefined ? '' : ` (gap ${gap})`}: ${message} [${code}]`;
}
