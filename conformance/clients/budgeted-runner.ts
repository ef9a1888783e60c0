/** Runs a client under many service variants: several at a time, and never more often than the bound allows. */

import { runConcurrently } from '../http/concurrency.ts';
import type { ClientRun, RunClient } from './client-run.ts';
import { type ClientHabits, isSlow, type ServiceVariant } from './service-variant.ts';

export interface RunnerOptions {
  readonly runClient: RunClient;
  /** The client runs this often at most, whatever the runs are for. */
  readonly maxRuns: number;
  /** Runs at a time. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly onRun?: (run: ClientRun) => void;
}

/** A confirmation takes a run without the variation and another one with it. */
const runsToConfirm = 2;
/** Clients mostly wait in slow variants, so that more of these run at a time. */
const slowAtATime = 2;

export function createBudgetedRunner({ runClient, maxRuns, concurrency, signal, onRun }: RunnerOptions) {
  const runs: ClientRun[] = [];
  let started = 0;
  let atATime = concurrency;

  /** Undefined if the bound is reached or the signal has aborted. */
  async function run(variant: ServiceVariant, habits: ClientHabits): Promise<ClientRun | undefined> {
    if (started >= maxRuns || (signal.aborted && started > 0)) return undefined;
    started += 1;
    const made = await runClient(variant, habits, signal);
    runs.push(made);
    onRun?.(made);
    return made;
  }

  /** Runs several variants, and keeps runs back to confirm each failure and so many earlier ones. */
  async function runAll(
    variants: readonly ServiceVariant[],
    habits: ClientHabits,
    unconfirmed = 0,
  ): Promise<readonly ClientRun[]> {
    const made: ClientRun[] = [];
    let failures = unconfirmed;
    const task = (variant: ServiceVariant) => async (): Promise<void> => {
      if (maxRuns - started <= runsToConfirm * failures) return;
      const one = await run(variant, habits);
      if (one === undefined) return;
      made.push(one);
      if (!one.isPassed) failures += 1;
    };
    const [slow, quick] = [variants.filter(isSlow), variants.filter((variant) => !isSlow(variant))];
    if (atATime === 1) await runConcurrently([...quick, ...slow].map(task), 1);
    else
      await Promise.all([
        runConcurrently(quick.map(task), atATime),
        runConcurrently(slow.map(task), slowAtATime * atATime),
      ]);
    return made;
  }

  return {
    runs: runs as readonly ClientRun[],
    remaining: () => (signal.aborted ? 0 : maxRuns - started),
    concurrency: () => atATime,
    /** Called after a client failed only while another run of it was under way. */
    goOnOneAtATime: () => {
      atATime = 1;
    },
    run,
    runAll,
  };
}

export type BudgetedRunner = ReturnType<typeof createBudgetedRunner>;
