/**
 * Lints a pact: finds claims that contradict the interface, that it leaves open, or that no provider state reaches, and
 * client requirements that its requests break.
 */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { GapId } from '../../spec/gaps.ts';
import type { SectionId } from '../../spec/sections.ts';
import type { Pact, PactInteraction } from '../pact.ts';
import { missingPeer } from '../peers.ts';
import { animalRules } from './animal-rules.ts';
import { type Claims, claimsOf } from './claims.ts';
import { brokenRequirements } from './client-requirements.ts';
import type { Difference } from './compare.ts';
import { errorRules } from './error-rules.ts';
import { headerRules } from './header-rules.ts';
import { pageRules } from './page-rules.ts';
import { requestRules } from './request-rules.ts';
import type { RemarkKind, Rule, Rules } from './rule.ts';
import { stateRules } from './state-rules.ts';

export const rules = {
  ...requestRules,
  ...errorRules,
  ...pageRules,
  ...animalRules,
  ...headerRules,
  ...stateRules,
} as const satisfies Rules;

/** The only remarks on an interaction that is not plain HTTP. */
export const obstacleRemarks = {
  message: { code: 'message', kind: 'contradiction', gap: 'events' },
  plugin: { code: 'plugin', kind: 'contradiction' },
} as const;

export type RemarkCode = keyof typeof rules | Difference['code'] | keyof typeof obstacleRemarks | ClientRequirementId;

/** One claim of a pact beyond the interface, or one broken client requirement. */
export interface Remark {
  /** Stable, unlike the message. */
  readonly code: RemarkCode;
  readonly kind: RemarkKind | 'client';
  /** The section of a broken client requirement, whose id is the code. */
  readonly section?: SectionId;
  /** The question that the interface leaves open. */
  readonly gap?: GapId;
  readonly interaction: string;
  /** The place of the claim, and what to claim instead. */
  readonly message: string;
}

/** The differences to openapi.yaml, if PactFlow's comparator is installed. */
async function differences(claims: Claims): Promise<readonly Difference[]> {
  if (missingPeer('@pactflow/openapi-pact-comparator') !== undefined) return [];
  const { compare } = await import('./compare.ts');
  return compare(claims);
}

/** Lints one interaction, sending nothing. */
export async function lintInteraction(interaction: PactInteraction): Promise<readonly Remark[]> {
  const { description, obstacle } = interaction;
  if (obstacle !== undefined) {
    return [{ ...obstacleRemarks[obstacle.code], message: obstacle.reason, interaction: description }];
  }
  const claims = claimsOf(interaction);
  const found = Object.entries<Rule>(rules).flatMap(([code, { find, ...rule }]) =>
    find(claims).map((message) => ({ code: code as keyof typeof rules, ...rule, message })),
  );
  const remarks = [...(await differences(claims)), ...found, ...clientRemarks(claims)];
  return remarks.map((remark) => ({ ...remark, interaction: description }));
}

function clientRemarks(claims: Claims): readonly Omit<Remark, 'interaction'>[] {
  return brokenRequirements(claims).map(({ requirement: { id, section }, message }) => ({
    code: id,
    kind: 'client',
    section,
    message,
  }));
}

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

/** The reason for a remark, with its code. */
export function showReason({ code, kind, gap, section, message }: Remark): string {
  const place = section === undefined ? (gap === undefined ? '' : ` (gap ${gap})`) : ` (§${section})`;
  return `${words[kind]}${place}: ${message} [${code}]`;
}

/** One line for a person, which ends with the code for machines. */
export function showRemark(remark: Remark): string {
  return `"${remark.interaction}" ${showReason(remark)}`;
}
