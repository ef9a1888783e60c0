/** Gives the requests of a pact to Pact's verifier, once each. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifierPatienceMs } from '../../conformance/http/tolerances.ts';
import { reasonOf } from '../../conformance/run/pace.ts';
import { reasonInWords } from '../../conformance/verdict/reasons.ts';
import type { ReportedInteraction } from '../../conformance/verdict/report.ts';
import type { Pact, PactInteraction } from '../pact.ts';
import type { Gateway } from './gateway.ts';
import { judgeInteraction, notVerified } from './interactions.ts';
import type { NativeOptions, Verifier } from './verifier.ts';

/**
 * The number of interactions that the native verifier gets at a time. It reads the whole pact again for each interaction,
 * so that each takes ten times as long in a pact of a thousand.
 */
const interactionsAtATime = 20;

/** The text of a pact with some of its interactions. */
function textOf({ consumer, provider, metadata }: Pact, part: readonly PactInteraction[]): string {
  const names = { consumer: { name: consumer }, provider: { name: provider }, metadata };
  return `${JSON.stringify(names).slice(0, -1)},"interactions":[${part.map(({ text }) => text).join()}]}`;
}

export interface Verification {
  readonly gateway: Gateway;
  readonly verifier: Verifier;
  readonly signal: AbortSignal;
  /** Returns what the claims of a pact add to the interface, a sentence each: what failed may be the pact. */
  readonly lint?: (pact: Pact, verifier: Verifier) => Promise<readonly string[]>;
}

/** Verifies some requests of a pact; `file` is a temporary file for the verifier. */
async function verifyPart(
  pact: Pact,
  part: readonly PactInteraction[],
  file: string,
  { gateway, verifier, signal }: Verification,
): Promise<readonly ReportedInteraction[]> {
  gateway.expect(part);
  writeFileSync(file, textOf(pact, part));
  const options: NativeOptions = {
    provider: pact.provider,
    pactUrls: [file],
    providerBaseUrl: gateway.url,
    providerStatesSetupUrl: gateway.statesUrl,
    timeout: verifierPatienceMs,
    followRedirects: false,
    logLevel: 'error',
  };
  const outcome = await verifier.verify(options, signal);
  const attempts = gateway.take();
  const error = outcome?.errors[0]?.replaceAll(file, pact.origin);
  const ended = signal.aborted ? reasonInWords(reasonOf(signal)) : "Pact's verifier gave no result";
  const reason = error ?? ended;
  return part.map((interaction, at) => {
    const result = outcome?.results[at];
    // The verifier makes up a missing description.
    const isSame = result !== undefined && [result.description, ''].includes(interaction.description);
    if (!isSame) return notVerified(pact, interaction, reason);
    return judgeInteraction({ ...result, consumer: pact.consumer }, attempts[at]);
  });
}

function partsOf(interactions: readonly PactInteraction[]): readonly (readonly PactInteraction[])[] {
  const count = Math.ceil(interactions.length / interactionsAtATime);
  return Array.from({ length: count }, (_nothing, at) =>
    interactions.slice(at * interactionsAtATime, (at + 1) * interactionsAtATime),
  );
}

/** Verifies requests of a pact once, in their order. */
export async function verifyRequests(
  pact: Pact,
  requests: readonly PactInteraction[],
  by: Verification,
): Promise<readonly ReportedInteraction[]> {
  const verified: ReportedInteraction[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-'));
  try {
    for (const part of partsOf(requests)) {
      verified.push(...(await verifyPart(pact, part, join(folder, 'pact.json'), by)));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return verified;
}
