/** Explores worlds with a client: runs them side by side, and narrows down those in which it fails. */

import { runConcurrently } from '../run/work-through.ts';
import type { Attempt } from './attempt.ts';
import { type ClientRun, runClient } from './client-run.ts';
import { narrow } from './narrow.ts';
import type { ServiceVariant, Variation } from './service-variant.ts';

export interface ExplorerOptions {
  readonly attempt: Attempt;
  /** How many worlds are visited at a time. */
  readonly lanes: number;
  readonly signal: AbortSignal;
  readonly onVisit?: (visit: ClientRun) => void;
}

/** What breaks a client: turns that only together do, or one. */
export interface Breakage {
  readonly turns: readonly Variation[];
  readonly visit: ClientRun;
  /** Whether it failed there twice. */
  readonly isFlaky: boolean;
}

export interface Explorer {
  /** All runs so far. */
  readonly runs: readonly ClientRun[];
  readonly breakages: readonly Breakage[];
  /** Visits that failed in combinations in which the client passed when it was asked again: nothing says why. */
  readonly unexplained: readonly ClientRun[];
  /** Visits the world that tells how many requests the client usually sends. */
  readonly visitFirst: (world: ServiceVariant) => Promise<ClientRun>;
  /** Nothing new begins once the signal aborts. */
  readonly exploreAll: (worlds: readonly ServiceVariant[]) => Promise<void>;
}

/** A combination in which the client failed is visited so often again at most: a shuffled list may be in order. */
const visitsOfCombination = 3;
/** Slow worlds wait, so that so many of them can be visited for each that does not. */
const slowPerLane = 2;

function isSlow({ variations: own }: ServiceVariant): boolean {
  return own.some((turn) => turn.isSlow);
}

/** Whether a client that fails there relies on what it must not. */
function isBroken({ isPassed, variant: world }: ClientRun): boolean {
  return !isPassed && !world.variations.some(({ isOutcomeOpen }) => isOutcomeOpen);
}

export function createExplorer({ attempt, lanes, signal, onVisit }: ExplorerOptions): Explorer {
  const runs: ClientRun[] = [];
  const breakages: Breakage[] = [];
  const unexplained: ClientRun[] = [];
  let usualRequests = 0;

  async function go(world: ServiceVariant): Promise<ClientRun> {
    const made = await runClient(world, usualRequests, attempt, signal);
    runs.push(made);
    onVisit?.(made);
    return made;
  }

  /** The first visit in which the client fails again, of a few. */
  async function failAgain(world: ServiceVariant): Promise<ClientRun | undefined> {
    const most = world.variations.length > 1 ? visitsOfCombination : 1;
    for (let count = 0; count < most && !signal.aborted; count += 1) {
      const again = await go(world);
      if (isBroken(again)) return again;
    }
    return undefined;
  }

  function blame(made: ClientRun, isFlaky: boolean): void {
    const isKnown = breakages.some(({ visit: known }) => known.variant.id === made.variant.id);
    if (!isKnown && !signal.aborted) breakages.push({ turns: made.variant.variations, visit: made, isFlaky });
  }

  /** Visits, and once more where the client failed: what fails now and then is told as such, where one turn explains it. */
  async function explore(world: ServiceVariant): Promise<void> {
    const made = await go(world);
    if (signal.aborted || !isBroken(made)) return;
    const again = await failAgain(world);
    if (again !== undefined) blame(await narrow(again, go, signal), false);
    else if (world.variations.length === 1) blame(made, true);
    else unexplained.push(made);
  }

  return {
    runs,
    breakages,
    unexplained,
    visitFirst: async (world) => {
      const made = await go(world);
      usualRequests = made.exchanges.length;
      return made;
    },
    exploreAll: async (all) => {
      const unlessAborted = (world: ServiceVariant) => async (): Promise<void> => {
        if (!signal.aborted) await explore(world);
      };
      const [slow, quick] = [all.filter(isSlow), all.filter((world) => !isSlow(world))];
      await Promise.all([
        runConcurrently(slow.map(unlessAborted), slowPerLane * lanes),
        runConcurrently(quick.map(unlessAborted), lanes),
      ]);
    },
  };
}
