/**
 * Lints a pact: finds claims that some legal service refutes, that openapi.yaml contradicts, or that no provider state
 * reaches, and client requirements that its requests break.
 */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import type { GapId } from '../../spec/gaps.ts';
import type { SectionId } from '../../spec/sections.ts';
import type { Pact } from '../pact.ts';
import { missingPeer } from '../peers.ts';
import { type Claims, claimsOf } from '../verify/claims.ts';
import type { Verifier } from '../verify/verifier.ts';
import { brokenRequirements } from './client-requirements.ts';
import { type Trial, type Verified, verifyAgainstServices } from './services.ts';

export const remarkCodes = [
  'claim-contradicted',
  'claim-left-open',
  'key-absent-recorded',
  'message',
  'openapi-mismatch',
  'plugin',
  'state-unreachable',
] as const;

/** One claim of a pact beyond the interface, or one broken client requirement. */
export interface Remark {
  /** Stable, unlike the message. */
  readonly code: (typeof remarkCodes)[number] | ClientRequirementId;
  /** `open`: some legal service answers otherwise; `unreachable`: no operation brings a provider into this state. */
  readonly kind: 'contradiction' | 'open' | 'unreachable' | 'client';
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

/** What openapi.yaml contradicts, if PactFlow's comparator is installed. */
async function mismatches(claims: Claims): Promise<readonly string[]> {
  if (missingPeer('@pactflow/openapi-pact-comparator') !== undefined) return [];
  const { compare } = await import('./compare.ts');
  return compare(claims);
}

/** The section that decides the answer to a request. */
function sectionOf({ status, operation }: Claims): SectionId {
  if (status === 401) return '5';
  if (status === 429) return '8';
  return ({ listPets: '4.1', createPet: '4.2', getPet: '4.3', other: '4.4' } as const)[operation];
}

const gapOf = ({ service }: Trial): GapId | undefined => Object.keys(service.gaps ?? {})[0] as GapId | undefined;

const fails = ({ result }: Trial): boolean => result.verdict === 'fail';
const passes = ({ result }: Trial): boolean => result.verdict === 'pass';

/** The differences in one order, since the verifier has none; the status alone where it differs: then all the rest does. */
function differencesOf({ messages }: Verified['reference']): readonly string[] {
  const status = messages.find((message) => /^expected \d+ but was \d+$/.test(message));
  return status === undefined ? messages.toSorted() : [`response.status: ${status}`];
}

/** The place that a difference begins with, such as `$.id`. */
const placeOf = (message: string): string => /^[^:]*/.exec(message)![0];

/** What the reference server refutes: no service does otherwise, or only one that answers a gap in another way. */
function refuted({ reference, others }: Verified, section: SectionId): readonly Found[] {
  const allowing = others.find(passes);
  return differencesOf(reference).map((message) =>
    allowing === undefined
      ? { code: 'claim-contradicted', kind: 'contradiction', section, message }
      : {
          ...({ code: 'claim-left-open', kind: 'open' } as const),
          ...defined({ gap: gapOf(allowing) }),
          service: 'reference',
          message: `${message}; a service like ${allowing.service.id} answers so`,
        },
  );
}

/** What other services refute: one remark for each place. */
function leftOpen({ others }: Verified): readonly Found[] {
  const byPlace = new Map<string, Found>();
  for (const trial of others.filter(fails)) {
    const [message = ''] = differencesOf(trial.result);
    const { id: service } = trial.service;
    const found: Found = { code: 'claim-left-open', kind: 'open', ...defined({ gap: gapOf(trial) }), service, message };
    byPlace.set(placeOf(message), byPlace.get(placeOf(message)) ?? found);
  }
  return [...byPlace.values()];
}

async function remarksOn(verified: Verified): Promise<readonly Found[]> {
  const { interaction, reference } = verified;
  const claims = claimsOf(interaction);
  const section = sectionOf(claims);
  const found: Found[] = (await mismatches(claims)).map((message) => ({
    ...({ code: 'openapi-mismatch', kind: 'contradiction' } as const),
    section,
    message,
  }));
  if (interaction.isWithoutKey && claims.sentHeaders['authorization'] !== undefined) {
    const message = 'request.headers.authorization is recorded, but the interaction says that it is absent';
    found.push({ code: 'key-absent-recorded', kind: 'contradiction', section: '5', message });
  }
  if (reference.verdict === 'not-verifiable') {
    const message = reference.messages.join('; ');
    found.push({ code: 'state-unreachable', kind: 'unreachable', message });
  } else if (reference.verdict === 'fail') {
    // What openapi.yaml contradicts is shown once.
    if (found.length === 0) found.push(...refuted(verified, section));
  } else found.push(...leftOpen(verified));
  const broken = brokenRequirements(claims).map(
    ({ requirement, message }) =>
      ({ code: requirement.id, kind: 'client', section: requirement.section, message }) as const,
  );
  return [...found, ...broken];
}

/** Lints the interactions of a pact, with Pact's verifier and no request beyond this machine. */
export async function lintPact(pact: Pact, verifier: Verifier): Promise<readonly Remark[]> {
  const remarks: Remark[] = [];
  for (const interaction of pact.interactions) {
    const { obstacle } = interaction;
    const found: readonly Found[] =
      obstacle === undefined
        ? await remarksOn(await verifyAgainstServices(pact, interaction, verifier))
        : [
            {
              code: obstacle.code,
              kind: 'contradiction',
              ...(obstacle.code === 'message' && { gap: 'events' as const }),
              message: obstacle.reason,
            },
          ];
    remarks.push(...found.map((one) => ({ ...one, interaction: interaction.description })));
  }
  return remarks;
}

const words: Readonly<Record<Remark['kind'], string>> = {
  contradiction: 'claims what the interface does not promise',
  open: 'claims what the interface leaves open',
  unreachable: 'claims what no provider state reaches',
  client: 'breaks a client requirement',
};

/** The reason for a remark, with its code. */
export function showReason({ code, kind, gap, section, service, message }: Remark): string {
  const where = section === undefined ? (gap === undefined ? '' : ` (gap ${gap})`) : ` (§${section})`;
  const by = service === undefined || service === 'reference' ? '' : `; see petstore-server --service ${service}`;
  return `${words[kind]}${where}: ${message}${by} [${code}]`;
}

/** One line for a person, which ends with the code for machines. */
export function showRemark(remark: Remark): string {
  return `"${remark.interaction}" ${showReason(remark)}`;
}

/** What the claims of a pact add to the interface, a sentence each. */
export async function excessesIn(pact: Pact, verifier: Verifier): Promise<readonly string[]> {
  const remarks = await lintPact(pact, verifier);
  return remarks.filter(({ kind }) => kind !== 'client').map(showReason);
}
