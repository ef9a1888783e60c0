/**
 * The self-test: every fault makes the run fail, or warn if it breaks an advised requirement, and its requirement is
 * named; no variant fails.
 */

import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type RequirementId, requirements } from '../../spec/requirements.ts';
import { faults } from '../faults/index.ts';
import { budgets, type FaultTrial, type VariantTrial } from './trial.ts';
import type { WorkDone, WorkOrder } from './worker.ts';

export interface SelfTest extends WorkDone {
  readonly unproven: readonly RequirementId[];
}

function startThread(order: WorkOrder, signal: AbortSignal | undefined): Promise<WorkDone> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(`./worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: order,
    });
    worker.once('message', resolve);
    worker.once('error', reject);
    signal?.addEventListener('abort', () => void worker.terminate());
    if (signal?.aborted) void worker.terminate();
  });
}

/** Requirements that a fault must break: all that can be tested. */
export function provable(): readonly RequirementId[] {
  return requirements.filter((one) => !('untested' in one)).map(({ id }) => id);
}

/**
 * Tries every fault, every variant and some random combinations of choices, on all processors. Of the rare faults it tries
 * each `rareFaultStep`-th. It never resolves where the signal aborts.
 */
export async function runSelfTest(
  combinations: number,
  {
    rareFaultStep = 1,
    threads = availableParallelism(),
    signal,
  }: { readonly rareFaultStep?: number; readonly threads?: number; readonly signal?: AbortSignal } = {},
): Promise<SelfTest> {
  const work = { of: threads, combinations, rareFaultStep };
  const orders = Array.from({ length: threads }, (_nothing, part) => ({ ...work, part }));
  const parts = await Promise.all(orders.map((order) => startThread(order, signal)));
  const broken = new Set(faults.map((fault) => fault.breaks[0]));
  return {
    faults: parts.flatMap((part) => part.faults),
    variants: parts.flatMap((part) => part.variants),
    combinations: parts.flatMap((part) => part.combinations),
    unproven: provable().filter((id) => !broken.has(id)),
  };
}

export function foundWithin(trials: readonly FaultTrial[], budget: number): number {
  return trials.filter((trial) => trial.foundWithin !== undefined && trial.foundWithin <= budget).length;
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

const isShown = ({ foundWithin: within }: FaultTrial): boolean => within !== undefined;

/** Rare faults need values or sequences that a drawn run sends now and then: so many of a hundred must be found. */
const leastOfRare = 90;

/** What the kit says of each fault first: whoever changes a judge sees in the difference what it changes. */
export function outcomeFile({ faults }: WorkDone): string {
  const lines = faults.map(({ id, foundWithin = 'NOT', first }) => `${id}: ${foundWithin}, ${first}\n`);
  return lines.sort().join('');
}

/** Whether the kit fails every ordinary fault, nearly all rare ones and no variant, and observes all gaps correctly. */
export function isProven(result: SelfTest): boolean {
  const all = [...result.variants, ...result.combinations];
  const wrong = [...complaints(all), ...misreadings(all), ...result.unproven];
  const missed = result.faults.filter((trial) => !isShown(trial));
  const rare = result.faults.filter(({ likelihood }) => likelihood === 'rare');
  const areMost = missed.length * 100 <= rare.length * (100 - leastOfRare);
  return missed.every(({ likelihood }) => likelihood === 'rare') && areMost && wrong.length === 0;
}

export function share(count: number, of: number): string {
  return `${count} of ${of} (${((100 * count) / of).toFixed(1)} %)`;
}

/** The matrix as text: a line for each fault, then everything that is wrong, then the figures. */
export function showSelfTest(result: SelfTest): string {
  const lines = result.faults
    .toSorted((one, other) => one.id.localeCompare(other.id))
    .map((trial) => {
      const { id, breaks, level, reported, foundWithin: within } = trial;
      const mark = isShown(trial) ? `found within ${String(within).padStart(3)}` : 'NOT FOUND       ';
      const also = reported.filter((requirement) => !breaks.includes(requirement));
      const warning = level === 'advised' ? ' (advised: warns)' : '';
      return `${mark}  ${id}  ${breaks[0]}${warning}${also.length === 0 ? '' : `  also names ${also.join(', ')}`}`;
    });
  const all = [...result.variants, ...result.combinations];
  const wrong = complaints(all).map((text) => `FALSE FAILURE  ${text}`);
  const misread = misreadings(all).map((text) => `MISREAD  ${text}`);
  const unproven = result.unproven.map((id) => `UNPROVEN  no fault breaks ${id}`);
  const ordinary = ordinaryOf(result.faults);
  const figures = [
    `${share(result.faults.filter(isShown).length, result.faults.length)} faults found and named`,
    ...budgets.map((requests) => {
      const found = share(foundWithin(ordinary, requests), ordinary.length);
      return `${found} ordinary faults that one key shows within ${requests} requests`;
    }),
  ];
  const variants = `${complaints(result.variants).length} false failures over ${result.variants.length} variants`;
  const combinations = `${complaints(result.combinations).length} over ${result.combinations.length} random combinations`;
  const answers = `${misread.length} answers misread where the interface is silent`;
  return `${[...lines, ...wrong, ...misread, ...unproven, ...figures, `${variants}, ${combinations}`, answers].join('\n')}\n`;
}
