/**
 * The self-test: every fault makes the run fail, or warn if it breaks an advised requirement, and its requirement is
 * named; no legal service fails.
 */

import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type RequirementId, requirements } from '../../spec/requirements.ts';
import { budgets, type FaultTrial, type VariantTrial } from './trial.ts';
import type { WorkDone, WorkOrder } from './worker.ts';

function startThread(workerData: WorkOrder, signal: AbortSignal | undefined): Promise<WorkDone> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(`./worker${extname(import.meta.url)}`, import.meta.url), { workerData });
    worker.once('message', resolve).once('error', reject);
    signal?.addEventListener('abort', () => void worker.terminate());
    if (signal?.aborted) void worker.terminate();
  });
}

/** Requirements that a fault must break: all that can be tested. */
export function provable(): readonly RequirementId[] {
  return requirements.filter((one) => !('untested' in one)).map(({ id }) => id);
}

/**
 * Tries every fault, every service and some random combinations of choices, on all processors. Of the rare faults it
 * tries each `rareFaultStep`-th. It never resolves where the signal aborts.
 */
export async function runSelfTest(
  combinations: number,
  { rareFaultStep = 1, signal }: { readonly rareFaultStep?: number; readonly signal?: AbortSignal } = {},
): Promise<WorkDone> {
  const of = availableParallelism();
  const orders = Array.from({ length: of }, (_nothing, part) => ({ part, of, combinations, rareFaultStep }));
  const parts = await Promise.all(orders.map((order) => startThread(order, signal)));
  return {
    faults: parts.flatMap((part) => part.faults),
    variants: parts.flatMap((part) => part.variants),
    combinations: parts.flatMap((part) => part.combinations),
  };
}

/** The faults that are found within a budget. */
export function foundWithin(trials: readonly FaultTrial[], budget: number): number {
  return trials.filter((trial) => (trial.foundWithin ?? Number.POSITIVE_INFINITY) <= budget).length;
}

/**
 * The faults that the first version of a developer may well have, as far as one key shows them: to exhaust a key takes
 * more requests than the smaller budgets allow.
 */
export function ordinaryOf(trials: readonly FaultTrial[]): readonly FaultTrial[] {
  return trials.filter(({ likelihood, needsExhaustion }) => likelihood === 'ordinary' && !needsExhaustion);
}

export function complaints(trials: readonly VariantTrial[]): readonly string[] {
  return trials.flatMap(({ id, complaint }) => (complaint === undefined ? [] : [`${id}: ${complaint}`]));
}

export function misreadings(trials: readonly VariantTrial[]): readonly string[] {
  return trials.flatMap(({ id, misread }) => misread.map((text) => `${id}: ${text}`));
}

/** Rare faults need values or sequences that a drawn run sends now and then: so many of a hundred must be found. */
const leastOfRare = 90;

/** Whether the kit fails every ordinary fault, nearly all rare ones and no service, and observes all gaps correctly. */
export function isProven({ faults: trials, variants, combinations }: WorkDone): boolean {
  const all = [...variants, ...combinations];
  const missed = trials.filter((trial) => trial.foundWithin === undefined);
  const rare = trials.filter(({ likelihood }) => likelihood === 'rare');
  const areMost = missed.length * 100 <= rare.length * (100 - leastOfRare);
  const areRare = missed.every(({ likelihood }) => likelihood === 'rare');
  return areRare && areMost && complaints(all).length + misreadings(all).length === 0;
}

/** What the kit says of each fault first: whoever changes a judge sees in the difference what it changes. */
export function outcomeFile({ faults: trials }: WorkDone): string {
  const lines = trials.map(({ id, foundWithin: within = 'NOT', first }) => {
    return `${id}: ${within}, ${first.replaceAll('\n', ' ')}\n`;
  });
  return lines.sort().join('');
}

const share = (count: number, of: number): string => `${count} of ${of} (${((100 * count) / of).toFixed(1)} %)`;

/** The outcome of each fault, then everything that is wrong, then the figures. */
export function showSelfTest(result: WorkDone): string {
  const all = [...result.variants, ...result.combinations];
  const ordinary = ordinaryOf(result.faults);
  const within = (requests: number) => share(foundWithin(ordinary, requests), ordinary.length);
  return [
    outcomeFile(result).trimEnd(),
    ...complaints(all).map((text) => `FALSE FAILURE  ${text}`),
    ...misreadings(all).map((text) => `MISREAD  ${text}`),
    `${share(foundWithin(result.faults, budgets.at(-1)!), result.faults.length)} faults found and named`,
    ...budgets.map((requests) => `${within(requests)} ordinary faults that one key shows within ${requests} requests`),
    `${complaints(result.variants).length} false failures over ${result.variants.length} variants, ` +
      `${complaints(result.combinations).length} over ${result.combinations.length} random combinations`,
    `${misreadings(all).length} answers misread where the interface is silent\n`,
  ].join('\n');
}
