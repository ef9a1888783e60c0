/** A tour: a client visits world after world; those in which it fails are narrowed down to what breaks it. */

import type { ClientStatementId } from '../../spec/client-statements.ts';
import { type Breakage, createExplorer, type ExplorerOptions } from './explorer.ts';
import { concerns } from './relevance.ts';
import type { Visit } from './visit.ts';
import { referenceWorld, type Turn, worldOf } from './world.ts';
import { combination, turns } from './worlds/index.ts';
import { plainLimit } from './worlds/limits.ts';

export interface TourOptions extends ExplorerOptions {
  /** How many worlds are visited at most, what narrows a failure down not counted. */
  readonly worlds: number;
  /** The statements whose worlds are visited; all where nothing is said. */
  readonly only?: ReadonlySet<ClientStatementId>;
  /** Draws the combinations. */
  readonly seed: number;
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

/** What the client has shown to depend on comes first, so that few worlds say most; limits may always be met. */
function inOrder(all: readonly Turn[], { exchanges }: Visit): readonly Turn[] {
  const isShown = ({ statement, isSlow: waits }: Turn): boolean =>
    waits === true || exchanges.some((exchange) => concerns(statement, exchange));
  return [...all.filter(isShown), ...all.filter((turn) => !isShown(turn))];
}

export async function makeTour(options: TourOptions): Promise<Tour> {
  const { worlds, only, seed, signal } = options;
  const { visits, breakages, unexplained, visitFirst, exploreAll } = createExplorer(options);
  const reference = await visitFirst(referenceWorld);
  const begun = { reference, visits, breakages, unexplained };
  if (!reference.isPassed || signal.aborted) return { ...begun, left: turns, isEnded: signal.aborted };
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
  return { ...begun, left: wanted.filter((turn) => !visited.has(turn)), isEnded: signal.aborted };
}

/** Whether a client that is refused goes on at all: else nothing is said of how it reads a refusal. */
export function goesOn({ visits }: Tour): boolean {
  return visits.some(({ world, isPassed }) => isPassed && world.turns.includes(plainLimit));
}
