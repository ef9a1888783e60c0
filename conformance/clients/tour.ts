/** A tour: a client visits world after world; those in which it fails are narrowed down to what breaks it. */

import type { ClientStatementId } from '../../spec/client-statements.ts';
import type { Attempt } from './attempt.ts';
import { narrow } from './narrow.ts';
import { concerns } from './relevance.ts';
import { type Visit, visit } from './visit.ts';
import { referenceWorld, type Turn, type World, worldOf } from './world.ts';
import { combination, turns } from './worlds/index.ts';
import { plainLimit } from './worlds/limits.ts';

export interface TourOptions {
  readonly attempt: Attempt;
  /** How many worlds are visited at most, what narrows a failure down not counted. */
  readonly worlds: number;
  /** The statements whose worlds are visited; all where nothing is said. */
  readonly only?: ReadonlySet<ClientStatementId>;
  /** Draws the combinations. */
  readonly seed: number;
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

export interface Tour {
  /** The visit to the reference world; where it failed there are no others. */
  readonly reference: Visit;
  readonly visits: readonly Visit[];
  readonly breakages: readonly Breakage[];
  /** Visits that failed in combinations in which the client passed when it was asked again: nothing says why. */
  readonly unexplained: readonly Visit[];
  /** Turns whose worlds were not visited, since the number of worlds or the time was used up. */
  readonly left: readonly Turn[];
  /** Whether it was ended before its end. */
  readonly isEnded: boolean;
}

/** A combination in which the client failed is visited so often again at most: a shuffled list may be in order. */
const visitsOfCombination = 3;
/** Slow worlds wait, so that so many of them can be visited for each that does not. */
const slowPerLane = 2;

/** Works through a list, so many at a time; nothing new begins once the signal aborts. */
async function inLanes<Item>(
  items: readonly Item[],
  lanes: number,
  signal: AbortSignal,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  async function workOff(): Promise<void> {
    for (const item of queue) {
      if (signal.aborted) return;
      await work(item);
    }
  }
  await Promise.all(Array.from({ length: lanes }, workOff));
}

function isSlow({ turns: own }: World): boolean {
  return own.some((turn) => turn.isSlow);
}

/** Whether a client that fails there relies on what it must not. */
export function isBroken({ isPassed, world }: Visit): boolean {
  return !isPassed && !world.turns.some(({ isOutcomeOpen }) => isOutcomeOpen);
}

/** What the client has shown to depend on comes first, so that few worlds say most; limits may always be met. */
function inOrder(all: readonly Turn[], { exchanges }: Visit): readonly Turn[] {
  const isShown = ({ statement, isSlow: waits }: Turn): boolean =>
    waits === true || exchanges.some((exchange) => concerns(statement, exchange));
  return [...all.filter(isShown), ...all.filter((turn) => !isShown(turn))];
}

export async function makeTour(options: TourOptions): Promise<Tour> {
  const { attempt, worlds, only, seed, lanes, signal, onVisit } = options;
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

  async function exploreAll(all: readonly World[]): Promise<void> {
    const [slow, quick] = [all.filter(isSlow), all.filter((world) => !isSlow(world))];
    await Promise.all([inLanes(slow, slowPerLane * lanes, signal, explore), inLanes(quick, lanes, signal, explore)]);
  }

  const reference = await go(referenceWorld);
  if (!reference.isPassed || signal.aborted) {
    return { reference, visits, breakages, unexplained, left: turns, isEnded: signal.aborted };
  }
  usualRequests = reference.exchanges.length;
  const wanted = inOrder(
    turns.filter(({ statement }) => only === undefined || only.has(statement)),
    reference,
  );
  const chosen = wanted.slice(0, Math.max(0, worlds - 1));
  await exploreAll(chosen.map((turn) => worldOf([turn])));
  // Where one answer breaks a client, another to the same question may break it now and then.
  const broken = new Set(breakages.flatMap((breakage) => breakage.turns.map(({ statement }) => statement)));
  const breaking = new Set(turns.filter(({ statement }) => broken.has(statement)));
  const rest = only === undefined ? Math.max(0, worlds - 1 - chosen.length) : 0;
  await exploreAll(Array.from({ length: rest }, (_nothing, at) => combination(seed + at, breaking)));
  const visited = new Set(visits.flatMap(({ world }) => world.turns));
  return {
    reference,
    visits,
    breakages,
    unexplained,
    left: wanted.filter((turn) => !visited.has(turn)),
    isEnded: signal.aborted,
  };
}

/** Whether a client that is refused goes on at all: else nothing is said of how it reads a refusal. */
export function goesOn({ visits }: Tour): boolean {
  return visits.some(({ world, isPassed }) => isPassed && world.turns.includes(plainLimit));
}
