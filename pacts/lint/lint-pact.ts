/**
 * Lints a pact: finds claims that some legal service refutes or that no provider state reaches, and client requirements
 * that its requests break.
 */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import type { GapId } from '../../spec/gaps.ts';
import type { SectionId } from '../../spec/sections.ts';
import type { Pact, PactInteraction } from '../pact.ts';
import { type Claims, claimsOf } from '../verify/claims.ts';
import type { Verifier } from '../verify/verifier.ts';
import { brokenRequirements } from './client-requirements.ts';
import { type Trial, type Verified, verifyAgainstServices } from './services.ts';

const notPromised = 'claims what the interface does not promise';

/** Code → what is wrong. The id of a client requirement is a code as well. */
const words = {
  'claim-contradicted': notPromised,
  'claim-left-open': 'claims what the interface leaves open',
  'key-absent-recorded': notPromised,
  message: notPromised,
  plugin: notPromised,
  'state-unreachable': 'claims what no provider state reaches',
} as const;

export const remarkCodes = Object.keys(words) as readonly (keyof typeof words)[];

/** One claim of a pact beyond the interface, or one broken client requirement. */
export interface Remark {
  /** Stable, unlike the message. */
  readonly code: keyof typeof words | ClientRequirementId;
  /** The section that decides; of a broken client requirement, the one that states it. */
  readonly section?: SectionId;
  /** The question that the interface leaves open. */
  readonly gap?: GapId;
  /** The legal service that refutes the claim, as `petstore-server --service` takes it. */
  readonly service?: string;
  readonly interaction: string;
  /** The place of the claim, what the pact wants there, and what came. */
  readonly message: string;
}

type Found = Omit<Remark, 'interaction'>;

/** The section that decides the answer to a request. */
function sectionOf({ status, operation }: Claims): SectionId {
  if (status === 401) return '5';
  if (status === 429) return '8';
  return ({ listPets: '4.1', createPet: '4.2', getPet: '4.3', other: '4.4' } as const)[operation];
}

/** The question that a service answers in another way, or else the section in which its answer is open. */
function openness({ service }: Trial, section: SectionId): Pick<Found, 'gap' | 'section'> {
  const [gap] = Object.keys(service.gaps ?? {}) as GapId[];
  return gap === undefined ? { section } : { gap };
}

/** The differences in one order, since the verifier has none; the status alone where it differs: then all the rest does. */
function differencesOf({ messages }: Verified['reference']): readonly string[] {
  const status = messages.find((message) => /^expected \d+ but was \d+$/.test(message));
  return status === undefined ? messages.toSorted() : [`response.status: ${status}`];
}

/** What the reference server refutes: no service does otherwise, or only one that answers a gap in another way. */
function refuted({ reference, others }: Verified, section: SectionId): readonly Found[] {
  const allowing = others.find(({ result }) => result.verdict === 'pass');
  return differencesOf(reference).map((message) => {
    if (allowing === undefined) return { code: 'claim-contradicted', section, message };
    const why = `${message}; a service like ${allowing.service.id} answers so`;
    return { code: 'claim-left-open', ...openness(allowing, section), service: 'reference', message: why };
  });
}

/** What other services refute: one remark for each place, such as `$.id`. */
function leftOpen({ others }: Verified, section: SectionId): readonly Found[] {
  const byPlace = new Map<string, Found>();
  for (const trial of others) {
    if (trial.result.verdict !== 'fail') continue;
    const [message = ''] = differencesOf(trial.result);
    const [place] = message.split(':');
    if (byPlace.has(place!)) continue;
    byPlace.set(place!, { code: 'claim-left-open', ...openness(trial, section), service: trial.service.id, message });
  }
  return [...byPlace.values()];
}

async function remarksOn(pact: Pact, interaction: PactInteraction, verifier: Verifier): Promise<readonly Found[]> {
  const { obstacle, isWithoutKey } = interaction;
  if (obstacle !== undefined) {
    const gap = obstacle.code === 'message' ? ('events' as const) : undefined;
    return [defined({ code: obstacle.code, gap, message: obstacle.reason })];
  }
  const verified = await verifyAgainstServices(pact, interaction, verifier);
  const { verdict, messages } = verified.reference;
  const claims = claimsOf(interaction);
  const section = sectionOf(claims);
  const found: Found[] = [];
  if (isWithoutKey && claims.sentHeaders['authorization'] !== undefined) {
    const message = 'request.headers.authorization is recorded, but the interaction says that it is absent';
    found.push({ code: 'key-absent-recorded', section: '5', message });
  }
  if (verdict === 'not-verifiable') found.push({ code: 'state-unreachable', message: messages.join('; ') });
  else if (verdict !== 'fail') found.push(...leftOpen(verified, section));
  else if (found.length === 0) found.push(...refuted(verified, section));
  return [...found, ...brokenRequirements(claims)];
}

/** Lints the interactions of a pact, with Pact's verifier and no request beyond this machine. */
export async function lintPact(pact: Pact, verifier: Verifier): Promise<readonly Remark[]> {
  const remarks: Remark[] = [];
  for (const interaction of pact.interactions) {
    const found = await remarksOn(pact, interaction, verifier);
    remarks.push(...found.map((one) => ({ ...one, interaction: interaction.description })));
  }
  return remarks;
}

/** Whether a remark is about the requests of the consumer, and not about what it claims of an answer. */
export function isOfClient({ code }: Pick<Remark, 'code'>): boolean {
  return code.startsWith('client-');
}

/** The reason for a remark, with its code. */
export function showReason({ code, gap, section, service, message }: Remark): string {
  const what = code in words ? words[code as keyof typeof words] : 'breaks a client requirement';
  const where = section === undefined ? (gap === undefined ? '' : ` (gap ${gap})`) : ` (§${section})`;
  const by = service === undefined || service === 'reference' ? '' : `; see petstore-server --service ${service}`;
  return `${what}${where}: ${message}${by} [${code}]`;
}

/** One line for a person, which ends with the code for machines. */
export function showRemark(remark: Remark): string {
  return `"${remark.interaction}" ${showReason(remark)}`;
}

/** What the claims of a pact add to the interface, a sentence each. */
export async function excessesIn(pact: Pact, verifier: Verifier): Promise<readonly string[]> {
  return (await lintPact(pact, verifier)).filter((remark) => !isOfClient(remark)).map(showReason);
}
