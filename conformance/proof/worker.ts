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

const { part, of, combinations, rareFaultStep } = workerData as WorkOrder;

/** Tries the pieces of this thread. */
async function tryMine<Piece, Trial>(pieces: readonly Piece[], attempt: (piece: Piece) => Promise<Trial>) {
  const trials: Trial[] = [];
  for (const piece of pieces.filter((_piece, at) => at % of === part)) trials.push(await attempt(piece));
  return trials;
}

const ordinary = faults.filter(({ likelihood }) => likelihood === 'ordinary');
const rare = faults.filter(({ likelihood }) => likelihood === 'rare');
const tried = [...ordinary, ...rare.filter((_fault, at) => at % rareFaultStep === 0)];
const seeds = Array.from({ length: combinations }, (_nothing, at) => at);
parentPort?.postMessage({
  faults: await tryMine(tried, (fault) => tryFault(fault)),
  variants: await tryMine(services, (service) => tryVariant(service, 300)),
  combinations: await tryMine(seeds, (seed) => tryVariant(combine(seed), 60, seed)),
} satisfies WorkDone);
