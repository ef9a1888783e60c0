/**
 * Lints a pact: finds claims that contradict the interface, that it leaves open, or that no provider state reaches, and
 * client requirements that its requests break.
 */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { GapId } from '../../spec/gaps.ts';
import type { SectionId } from '../../spec/sections.ts';
import type { Pact, PactInteraction } from '../pact.ts';
import { type Claims, claimsOf } from './claims.ts';
import { brokenRequirements } from './client-requirements.ts';
import { compare, type Difference } from './compare.ts';
import type { RemarkKind } from './rule.ts';
import { messageRule, rules } from './rules.ts';

export type RemarkCode =
  | (typeof rules)[number]['code']
  | Difference['code']
  | (typeof messageRule)['code']
  | ClientRequirementId;

/** One claim of a pact beyond the interface, or one broken client requirement. */
export interface Remark {
  /** Stable, unlike the message. */
  readonly code: RemarkCode;
  readonly kind: RemarkKind | 'client';
  /** The section of a broken client requirement, whose id is the code. */
  readonly section?: SectionId;
  /** The question that the interface leaves open. */
  readonly gap?: GapId;
  /** The description of the interaction. */
  readonly interaction: string;
  /** The place of the claim, and what to claim instead. */
  readonly message: string;
}

async function lintInteraction(interaction: PactInteraction): Promise<readonly Remark[]> {
  const claims = claimsOf(interaction);
  const found = (interaction.isHttp ? rules : [messageRule]).flatMap(({ find, ...rule }) =>
    find(claims).map((message) => ({ ...rule, message })),
  );
  const remarks = interaction.isHttp ? [await compare(claims), found, clientRemarks(claims)].flat() : found;
  return remarks.map((remark) => ({ ...remark, interaction: interaction.description }));
}

function clientRemarks(claims: Claims): readonly Omit<Remark, 'interaction'>[] {
  return brokenRequirements(claims).map(({ requirement: { id, section }, message }) => ({
    code: id,
    kind: 'client',
    section,
    message,
  }));
}

/** Lints a pact, sending nothing. */
export async function lintPact({ interactions }: Pact): Promise<readonly Remark[]> {
  const remarks: Remark[] = [];
  for (const interaction of interactions) remarks.push(...(await lintInteraction(interaction)));
  return remarks;
}

const words: Readonly<Record<Remark['kind'], string>> = {
  contradiction: 'contradicts the interface',
  open: 'claims what the interface leaves open',
  unreachable: 'claims what no provider state reaches',
  client: 'breaks a client requirement',
};

/** One line for a person, which ends with the code for machines. */
export function showRemark({ code, kind, interaction, gap, section, message }: Remark): string {
  const place = section === undefined ? (gap === undefined ? '' : ` (gap ${gap})`) : ` (§${section})`;
  return `"${interaction}" ${words[kind]}${place}: ${message} [${code}]`;
}
