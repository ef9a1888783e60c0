/** Explores worlds with a client: visits them side by side, and narrows down those in which it fails. */

import { workThrough } from '../engine/work-through.ts';
import type { Attempt } from './attempt.ts';
import { narrow } from './narrow.ts';
import { type Visit, visit } from './visit.ts';
import type { Turn, World } from './world.ts';

export interface ExplorerOptions {
  readonly attempt: Attempt;
  /** How many worlds are visited at a time. */
  readonly lanes: number;
  readonly signal: AbortSignal;
  readonly onVisit?: (visit: Visit) => void;
}

/** What breaks a client: turns that only together do, or one. */
export interface Breakage {
  readonly turns: readonly Turn[];
  readonly visit: Visit;
  /** Whether it failed there twice. */
  readonly isFlaky: boolean;
}

export interface Explorer {
  /** All visits so far. */
  readonly visits: readonly Visit[];
  readonly breakages: readonly Breakage[];
  /** Visits that failed in combinations in which the client passed when it was asked again: nothing says why. */
  readonly unexplained: readonly Visit[];
  /** Visits the world that tells how many requests the client usually sends. */
  readonly visitFirst: (world: World) => Promise<Visit>;
  /** Nothing new begins once the signal aborts. */
  readonly exploreAll: (worlds: readonly World[]) => Promise<void>;
}

/** A combination in which the client failed is visited so often again at most: a shuffled list may be in order. */
const visitsOfCombination = 3;
/** Slow worlds wait, so that so many of them can be visited for each that does not. */
const slowPerLane = 2;

function isSlow({ turns: own }: World): boolean {
  return own.some((turn) => turn.isSlow);
}

/** Whether a client that fails there relies on what it must not. */
function isBroken({ isPassed, world }: Visit): boolean {
  return !isPassed && !world.turns.some(({ isOutcomeOpen }) => isOutcomeOpen);
}

export function createExplorer({ attempt, lanes, signal, onVisit }: ExplorerOptions): Explorer {
  const visits: Visit[] = [];
  const breakages: Breakage[] = [];
  const unexplained: Visit[] = [];
  let usualRequests = 0;

  async function go(world: World): Promise<Visit> {
    const made = await visit(world, usualRequests, attempt, signal);
    visits.push(made);
    onVisit?.(made);
    return made;
  }

  /** The first visit in which the client fails again, of a few. */
  async function failAgain(world: World): Promise<Visit | undefined> {
    const most = world.turns.length > 1 ? visitsOfCombination : 1;
    for (let count = 0; count < most && !signal.aborted; count += 1) {
      const again = await go(world);
      if (isBroken(again)) return again;
    }
    return undefined;
  }

  function blame(made: Visit, isFlaky: boolean): void {
    const isKnown = breakages.some(({ visit: known }) => known.world.id === made.world.id);
    if (!isKnown && !signal.aborted) breakages.push({ turns: made.world.turns, visit: made, isFlaky });
  }

  /** Visits, and once more where the client failed: what fails now and then is told as such, where one turn explains it. */
  async function explore(world: World): Promise<void> {
    const made = await go(world);
    if (signal.aborted || !isBroken(made)) return;
    const again = await failAgain(world);
    if (again !== undefined) blame(await narrow(again, go, signal), false);
    else if (world.turns.length === 1) blame(made, true);
    else unexplained.push(made);
  }

  return {
    visits,
    breakages,
    unexplained,
    visitFirst: async (world) => {
      const made = await go(world);
      usualRequests = made.exchanges.length;
      return made;
    },
    exploreAll: async (all) => {
      const unlessAborted = (world: World) => async (): Promise<void> => {
        if (!signal.aborted) await explore(world);
      };
      const [slow, quick] = [all.filter(isSlow), all.filter((world) => !isSlow(world))];
      await Promise.all([
        workThrough(slow.map(unlessAborted), slowPerLane * lanes),
        workThrough(quick.map(unlessAborted), lanes),
      ]);
    },
  };
}
