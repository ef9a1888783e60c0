/** A thread of the self-test: tries what it is told to, one after the other. */

import { parentPort, workerData } from 'node:worker_threads';
import { faults } from '../sections/faults.ts';
import { combine, type FaultTrial, tryFault, tryVariant, type VariantTrial } from './trial.ts';
import { variants } from './variants/index.ts';

/** Which part of the work a thread has: every `of`-th piece, from `part` on. */
export interface WorkOrder {
  readonly part: number;
  readonly of: number;
  /** How many random combinations of legal choices are tried. */
  readonly combinations: number;
}

export interface WorkDone {
  readonly faults: readonly FaultTrial[];
  /** With the default budget. */
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
for (const fault of mine(faults)) done.faults.push(await tryFault(fault));
for (const variant of mine(variants)) done.variants.push(await tryVariant(variant, 300));
for (const seed of mine(Array.from({ length: order.combinations }, (_nothing, at) => at))) {
  done.combinations.push(await tryVariant(combine(seed), 60, seed));
}
parentPort?.postMessage(done satisfies WorkDone);
