/** A thread of the self-test: does its part of the trials, one after another. */

import { parentPort, workerData } from 'node:worker_threads';
import { faults } from '../faults/index.ts';
import { services } from '../services/index.ts';
import { combine, type FaultTrial, tryFault, tryVariant, type VariantTrial } from './trial.ts';

/** The part of the work for a thread: every `of`-th piece, starting with `part`. */
export interface WorkOrder {
  readonly part: number;
  readonly of: number;
  /** How many random combinations of legal choices are tried. */
  readonly combinations: number;
  /** Of the rare faults each so many-th is tried; 1 tries all. */
  readonly rareFaultStep: number;
}

export interface WorkDone {
  readonly faults: readonly FaultTrial[];
  /** With 300 requests. */
  readonly variants: readonly VariantTrial[];
  /** With sixty requests. */
  readonly combinations: readonly VariantTrial[];
}

const order = workerData as WorkOrder;

function mine<Item>(items: readonly Item[]): readonly Item[] {
  return items.filter((_item, at) => at % order.of === order.part);
}

const done: { faults: FaultTrial[]; variants: VariantTrial[]; combinations: VariantTrial[] } = {
  faults: [],
  variants: [],
  combinations: [],
};
const rare = faults.filter(({ likelihood }) => likelihood === 'rare');
const skipped = new Set(rare.filter((_fault, at) => at % order.rareFaultStep !== 0));
for (const fault of mine(faults.filter((one) => !skipped.has(one)))) done.faults.push(await tryFault(fault));
for (const variant of mine(services)) done.variants.push(await tryVariant(variant, 300));
for (const seed of mine(Array.from({ length: order.combinations }, (_nothing, at) => at))) {
  done.combinations.push(await tryVariant(combine(seed), 60, seed));
}
parentPort?.postMessage(done satisfies WorkDone);
