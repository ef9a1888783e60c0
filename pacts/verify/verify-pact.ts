/** Verifies the interactions of one pact. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifierPatienceMs } from '../../conformance/http/tolerances.ts';
import { apart, type Pact, type PactInteraction } from '../pact.ts';
import { isOfAnimals } from './entered-states.ts';
import type { Gateway } from './gateway.ts';
import { judgeInteraction, notVerified } from './interactions.ts';
import type { ReportedInteraction } from './kit.ts';
import type { NativeOptions, Verifier } from './verifier.ts';

/**
 * So many interactions are handed over at a time. The native verifier looks at all of a pact again for each interaction:
 * of a thousand at once each takes ten times as long.
 */
const interactionsAtATime = 20;

/** A part of a pact, as text. */
function textOf({ consumer, provider, metadata }: Pact, part: readonly PactInteraction[]): string {
  const names = { consumer: { name: consumer }, provider: { name: provider }, metadata };
  return `${JSON.stringify(names).slice(0, -1)},"interactions":[${part.map(({ text }) => text).join()}]}`;
}

/** What the verifications of a run have in common. */
export interface Verification {
  readonly gateway: Gateway;
  readonly verifier: Verifier;
  readonly signal: AbortSignal;
}

/** What the native verifier is told of every verification. */
export function optionsFor({ url, statesUrl }: Gateway): NativeOptions {
  return {
    providerBaseUrl: url,
    providerStatesSetupUrl: statesUrl,
    timeout: verifierPatienceMs,
    followRedirects: false,
    logLevel: 'error',
  };
}

/** Verifies some interactions of a pact, all of them requests; `file` is for what the verifier reads. */
async function verifyPart(
  pact: Pact,
  part: readonly PactInteraction[],
  file: string,
  { gateway, verifier, signal }: Verification,
): Promise<readonly ReportedInteraction[]> {
  gateway.expect(part);
  writeFileSync(file, textOf(pact, part));
  const options = { ...optionsFor(gateway), provider: pact.provider, pactUrls: [file] };
  const outcome = await verifier.verify(options, signal);
  const attempts = gateway.take();
  const why = outcome?.errors[0] ?? String(signal.reason ?? 'the verifier of Pact said nothing of it');
  return part.map((interaction, at) => {
    const result = outcome?.results[at];
    // The verifier makes up a description where there is none.
    const isOfIt = result !== undefined && [result.description, ''].includes(interaction.description);
    if (!isOfIt) return notVerified(pact, interaction, why);
    return judgeInteraction({ ...result, consumer: pact.consumer }, attempts[at]);
  });
}

function partsOf(interactions: readonly PactInteraction[]): readonly (readonly PactInteraction[])[] {
  const count = Math.ceil(interactions.length / interactionsAtATime);
  return Array.from({ length: count }, (_nothing, at) =>
    interactions.slice(at * interactionsAtATime, (at + 1) * interactionsAtATime),
  );
}

/** Verifies requests of a pact, a part at a time. */
async function verifyRequests(
  pact: Pact,
  requests: readonly PactInteraction[],
  by: Verification,
): Promise<readonly ReportedInteraction[]> {
  const verified: ReportedInteraction[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-'));
  try {
    for (const part of partsOf(requests))
      verified.push(...(await verifyPart(pact, part, join(folder, 'pact.json'), by)));
  } finally {
    rmSync(folder, { recursive: true });
  }
  return verified;
}

/** The second result stands; where there is none for a reason, what differed in the first is told as well. */
function bothOf(first: ReportedInteraction, second = first): ReportedInteraction {
  const isOpen = second !== first && second.verdict === 'not-verifiable';
  return isOpen ? { ...second, messages: [...second.messages, ...first.messages] } : second;
}

/**
 * What differs may have been asked too soon, or of an animal that is not there any more: once more, with other animals
 * that had time to show.
 */
async function verifyAgain(
  pact: Pact,
  requests: readonly PactInteraction[],
  first: readonly ReportedInteraction[],
  by: Verification,
): Promise<readonly ReportedInteraction[]> {
  const differs = ({ verdict }: ReportedInteraction): boolean => verdict === 'fail' || verdict === 'pending';
  const again = requests.filter(({ states }, at) => differs(first[at]!) && states.some(isOfAnimals));
  if (again.length === 0) return first;
  await by.gateway.renew(again);
  const second = new Map((await verifyRequests(pact, again, by)).map((one, at) => [again[at], one]));
  return requests.map((request, at) => bothOf(first[at]!, second.get(request)));
}

/** Verifies one pact: a verdict for each of its interactions. */
export async function verifyPact(pact: Pact, by: Verification): Promise<readonly ReportedInteraction[]> {
  const { requests, messages } = apart(pact);
  return [
    ...(await verifyAgain(pact, requests, await verifyRequests(pact, requests, by), by)),
    ...messages.map((one) => notVerified(pact, one, 'it is a message, and the interface shows none')),
  ];
}
