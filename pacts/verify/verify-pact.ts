/** Verifies the interactions of one pact. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askAgainAtMs, longestCopyMs, refreshMs, verifierPatienceMs } from '../../conformance/http/tolerances.ts';
import { reasonOf } from '../../conformance/run/pace.ts';
import { reasonInWords } from '../../conformance/verdict/reasons.ts';
import type { ReportedInteraction } from '../../conformance/verdict/report.ts';
import { lintInteraction, showReason } from '../lint/lint-pact.ts';
import { type Pact, type PactInteraction, splitByKind } from '../pact.ts';
import { createsAnimals, injectsNewName } from './entered-states.ts';
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

async function verifyRequests(
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

/** The second result counts. If it is not verifiable, the differences of the first are reported as well. */
function combine(first: ReportedInteraction, second = first): ReportedInteraction {
  const isBlocked = second !== first && second.verdict === 'not-verifiable';
  return isBlocked ? { ...second, messages: [...second.messages, ...first.messages] } : second;
}

/** How old animals are when they are asked for again: a cache may hold copies for a minute, and refreshes the first then. */
const agesMs: readonly number[] = [...askAgainAtMs, longestCopyMs, longestCopyMs + refreshMs];

/**
 * Verifies failed interactions again with new animals that had time to appear: the first request may have come too soon,
 * its animal may be gone, or the answer to its creation may have been lost. How soon an animal appears is open, so what
 * lacks one is verified again and again, as in a run.
 */
async function verifyAgain(
  pact: Pact,
  requests: readonly PactInteraction[],
  first: readonly ReportedInteraction[],
  by: Verification,
): Promise<readonly ReportedInteraction[]> {
  const differs = ({ verdict }: ReportedInteraction): boolean => verdict === 'fail' || verdict === 'pending';
  const again = requests.filter(
    ({ states }, at) => differs(first[at]!) && states.some((one) => createsAnimals(one) || injectsNewName(one)),
  );
  if (again.length === 0) return first;
  await by.gateway.renew(again);
  const second = new Map((await verifyRequests(pact, again, by)).map((one, at) => [again[at], one]));
  for (const ageMs of agesMs) {
    const isEarly = (one: ReportedInteraction): boolean => differs(one) && by.gateway.mayBeEarly(one.exchanges);
    const early = again.filter((request) => isEarly(second.get(request)!));
    if (early.length === 0) break;
    await by.gateway.wait(ageMs);
    for (const [at, one] of (await verifyRequests(pact, early, by)).entries()) second.set(early[at]!, one);
  }
  return requests.map((request, at) => combine(first[at]!, second.get(request)));
}

const mostRemarks = 3;

/** Adds the remarks of lint to a failed interaction: the pact may claim more than the interface states. */
async function explain(reported: ReportedInteraction, interaction: PactInteraction): Promise<ReportedInteraction> {
  if (reported.verdict !== 'fail' && reported.verdict !== 'pending') return reported;
  const remarks = (await lintInteraction(interaction)).filter(({ kind }) => kind !== 'client');
  if (remarks.length === 0) return reported;
  const [first = '', ...others] = reported.messages;
  const lines = remarks.slice(0, mostRemarks).map((remark) => `pact lint: ${showReason(remark)}`);
  return { ...reported, messages: [first, ...lines, ...others], isOverclaimed: true };
}

export async function verifyPact(pact: Pact, by: Verification): Promise<readonly ReportedInteraction[]> {
  const { requests, others } = splitByKind(pact);
  const verified = await verifyAgain(pact, requests, await verifyRequests(pact, requests, by), by);
  return [
    ...(await Promise.all(verified.map((one, at) => explain(one, requests[at]!)))),
    ...others.map((one) => notVerified(pact, one, one.obstacle!.reason)),
  ];
}
