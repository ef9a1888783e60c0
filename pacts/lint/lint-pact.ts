/** Lints a pact: finds claims that some legal service refutes, or that cannot be verified, and requests that break the interface. */

import { judgeSent } from '../../conformance/clients/waits.ts';
import type { RecordedRequest } from '../../conformance/http/exchange.ts';
import { maskOf, recordTraffic } from '../../conformance/traffic/record.ts';
import { sentenceOf } from '../../conformance/verdict/finding.ts';
import { type ClientRequirementId, clientRequirements } from '../../spec/client-requirements.ts';
import type { GapId } from '../../spec/gaps.ts';
import type { SectionId } from '../../spec/sections.ts';
import { type Pact, type PactInteraction, withoutBase } from '../pact.ts';
import type { Verifier } from '../verify/verifier.ts';
import { type Trial, verifyAgainstServices } from './services.ts';

/** Code → what is wrong. The id of a client requirement is a code as well. */
export const remarkCodes = {
  'claim-contradicted': 'claims what the interface does not promise',
  'claim-left-open': 'claims what the interface leaves open',
  'not-verifiable': 'cannot be verified',
} as const;

/** One claim of a pact beyond the interface, or one broken client requirement. */
export interface Remark {
  /** Stable, unlike the message. */
  readonly code: keyof typeof remarkCodes | ClientRequirementId;
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
function sectionOf({ status, operation }: PactInteraction): SectionId {
  if (status === 401) return '5';
  if (status === 429) return '8';
  return ({ listPets: '4.1', createPet: '4.2', getPet: '4.3', other: '4.4' } as const)[operation];
}

/** A claim that a service refutes, with the gap that this service answers in another way, or else with the section. */
function leftOpen({ service }: Trial, section: SectionId, message: string): Found {
  const [gap] = Object.keys(service.gaps ?? {}) as GapId[];
  return { code: 'claim-left-open', ...(gap === undefined ? { section } : { gap }), message };
}

/** The differences, sorted, since the verifier has no order. If the status differs, only that: then all the rest does, too. */
function differencesOf({ messages }: Trial): readonly string[] {
  const status = messages.find((message) =>
    /^expected \d+ but was \d+$|^Expected status code \d+ to be /.test(message),
  );
  return status === undefined ? messages.toSorted() : [`response.status: ${status}`];
}

/** What the reference server refutes: no service does otherwise, or only one that answers a gap in another way. */
function refutedBy(reference: Trial, others: readonly Trial[], section: SectionId): readonly Found[] {
  const allowing = others.find(({ verdict }) => verdict === 'pass');
  return differencesOf(reference).map((message) => {
    if (allowing === undefined) return { code: 'claim-contradicted', section, message };
    return leftOpen(allowing, section, `${message}; a service like ${allowing.service.id} answers so`);
  });
}

/** What other services refute: one remark for each place, such as `$.id`. */
function openTo(others: readonly Trial[], section: SectionId): readonly Found[] {
  const failed = others.filter(({ verdict }) => verdict === 'fail');
  const found = failed.map((trial) => {
    return { ...leftOpen(trial, section, differencesOf(trial)[0] ?? ''), service: trial.service.id };
  });
  return [...Map.groupBy(found, ({ message }) => message.split(':')[0]).values()].map(([first]) => first!);
}

/** The client requirements that the recorded request breaks, as the `client` command judges it. */
function brokenByConsumer(request: RecordedRequest, { status }: PactInteraction): readonly Found[] {
  // A consumer that expects to be refused breaks requirements on purpose.
  if (status >= 400 && status < 500 && status !== 429) return [];
  const headers = { 'content-type': 'application/json', ...request.headers };
  const target = withoutBase(request.target);
  const sent = recordTraffic([{ ...request, target, headers, startedAt: 0, endedAt: 0 }], []);
  // The judges of clients know a key by its mark.
  const { exchange: mark } = maskOf(sent, []);
  return judgeSent(sent.map(({ exchange }) => mark(exchange))).flatMap(({ requirement: code, failure }) => {
    // getPet may still be recorded.
    if (failure === undefined || code === 'client-deprecated') return [];
    const { section } = clientRequirements.find(({ id }) => id === code)!;
    return [{ code, section, message: sentenceOf(failure) }];
  });
}

async function remarksOnInteraction(
  pact: Pact,
  interaction: PactInteraction,
  verifier: Verifier,
): Promise<readonly Found[]> {
  const [reference, ...others] = await verifyAgainstServices(pact, interaction, verifier);
  const { verdict, messages, asked } = reference;
  const section = sectionOf(interaction);
  const broken = asked === undefined ? [] : brokenByConsumer(asked, interaction);
  if (verdict === 'not-verifiable') return [{ code: 'not-verifiable', message: messages.join('; ') }, ...broken];
  const claimed = verdict === 'fail' ? refutedBy(reference, others, section) : openTo(others, section);
  return [...claimed, ...broken];
}

/** Lints the interactions of a pact, with Pact's verifier and no request beyond this machine. */
export async function lintPact(pact: Pact, verifier: Verifier): Promise<readonly Remark[]> {
  const remarks: Remark[] = [];
  for (const interaction of pact.interactions) {
    const found = await remarksOnInteraction(pact, interaction, verifier);
    remarks.push(...found.map((one) => ({ ...one, interaction: interaction.description })));
  }
  return remarks;
}

/** The reason for a remark in one line, which ends with its code for machines. */
export function showReason({ code, gap, section, service, message }: Remark): string {
  const what = code in remarkCodes ? remarkCodes[code as keyof typeof remarkCodes] : 'breaks a client requirement';
  const ofGap = gap === undefined ? '' : ` (gap ${gap})`;
  const where = section === undefined ? ofGap : ` (§${section})`;
  const by = service === undefined ? '' : `; see petstore-server --service ${service}`;
  return `${what}${where}: ${message}${by} [${code}]`;
}
