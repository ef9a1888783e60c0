/** Verifies the interactions of one pact. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pact, PactInteraction } from '../pact.ts';
import type { Gateway } from './gateway.ts';
import { judgeInteraction, notVerified } from './interactions.ts';
import type { ReportedInteraction } from './kit.ts';
import type { NativeOptions, Verifier } from './verifier.ts';

/** Native code awaits each answer; a wait for a rate limit may come before it. */
const patienceMs = 3_600_000;

/** The text of a pact without its messages, which no HTTP verifies. */
function httpOnly({ text, document, interactions }: Pact): string {
  if (interactions.every(({ isHttp }) => isHttp)) return text;
  const all = document['interactions'] as readonly unknown[];
  const { messages: _messages, ...rest } = document;
  return JSON.stringify({ ...rest, interactions: all.filter((_one, at) => interactions[at]?.isHttp) });
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
    timeout: patienceMs,
    followRedirects: false,
    logLevel: 'error',
  };
}

async function verifyRequests(
  pact: Pact,
  expected: readonly PactInteraction[],
  { gateway, verifier, signal }: Verification,
): Promise<readonly ReportedInteraction[]> {
  if (expected.length === 0) return [];
  gateway.expect(expected);
  const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-'));
  try {
    const file = join(folder, 'pact.json');
    writeFileSync(file, httpOnly(pact));
    const options = { ...optionsFor(gateway), provider: pact.provider, pactUrls: [file] };
    const outcome = await verifier.verify(options, signal);
    const attempts = gateway.take();
    const why = outcome?.errors[0] ?? String(signal.reason ?? 'the verifier of Pact said nothing of it');
    return expected.map((interaction, at) => {
      const result = outcome?.results[at];
      // The verifier makes up a description where there is none.
      const isOfIt = result !== undefined && [result.description, ''].includes(interaction.description);
      if (!isOfIt) return notVerified(pact, interaction, why);
      return judgeInteraction({ ...result, consumer: pact.consumer }, attempts[at]);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Verifies one pact: a verdict for each of its interactions. */
export async function verifyPact(pact: Pact, by: Verification): Promise<readonly ReportedInteraction[]> {
  const [requests, messages] = [true, false].map((isHttp) => pact.interactions.filter((one) => one.isHttp === isHttp));
  return [
    ...(await verifyRequests(pact, requests!, by)),
    ...messages!.map((one) => notVerified(pact, one, 'it is a message, and the interface shows none')),
  ];
}
