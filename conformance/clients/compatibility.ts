/** A tour: a client runs world after world; those in which it fails are narrowed down to what breaks it. */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { ClientRun } from './client-run.ts';
import { type Breakage, createExplorer, type ExplorerOptions } from './explorer.ts';
import { concerns } from './relevance.ts';
import { referenceVariant, type Variation, variantWith } from './service-variant.ts';
import { combination, variations } from './variations/index.ts';
import { plainLimit } from './variations/limits.ts';

export interface CompatibilityOptions extends ExplorerOptions {
  /** How many worlds are visited at most, what narrows a failure down not counted. */
  readonly worlds: number;
  /** The requirements whose worlds are visited; all where nothing is said. */
  readonly only?: ReadonlySet<ClientRequirementId>;
  /** Draws the combinations. */
  readonly seed: number;
}

export interface CompatibilityRuns {
  /** The visit to the reference world; where it failed there are no others. */
  readonly reference: ClientRun;
  readonly runs: readonly ClientRun[];
  readonly breakages: readonly Breakage[];
  /** Visits that failed in combinations in which the client passed when it was asked again: nothing says why. */
  readonly unexplained: readonly ClientRun[];
  /** Turns whose worlds were not visited, since the number of worlds or the time was used up. */
  readonly left: readonly Variation[];
  /** Whether it was ended before its end. */
  readonly isEnded: boolean;
}

/** What the client has shown to depend on comes first, so that few worlds say most; limits may always be met. */
function inOrder(all: readonly Variation[], { exchanges }: ClientRun): readonly Variation[] {
  const isShown = ({ requirement, isSlow: waits }: Variation): boolean =>
    waits === true || exchanges.some((exchange) => concerns(requirement, exchange));
  return [...all.filter(isShown), ...all.filter((turn) => !isShown(turn))];
}

export async function runCompatibility(options: CompatibilityOptions): Promise<CompatibilityRuns> {
  const { worlds, only, seed, signal } = options;
  const { runs, breakages, unexplained, visitFirst, exploreAll } = createExplorer(options);
  const reference = await visitFirst(referenceVariant);
  const begun = { reference, runs, breakages, unexplained };
  if (!reference.isPassed || signal.aborted) return { ...begun, left: variations, isEnded: signal.aborted };
  const wanted = inOrder(
    variations.filter(({ requirement }) => only === undefined || only.has(requirement)),
    reference,
  );
  const chosen = wanted.slice(0, Math.max(0, worlds - 1));
  await exploreAll(chosen.map((turn) => variantWith([turn])));
  // Where one answer breaks a client, another to the same question may break it now and then.
  const broken = new Set(breakages.flatMap((breakage) => breakage.turns.map(({ requirement }) => requirement)));
  const breaking = new Set(variations.filter(({ requirement }) => broken.has(requirement)));
  const rest = only === undefined ? Math.max(0, worlds - 1 - chosen.length) : 0;
  await exploreAll(Array.from({ length: rest }, (_nothing, at) => combination(seed + at, breaking)));
  const visited = new Set(runs.flatMap(({ variant: world }) => world.variations));
  return { ...begun, left: wanted.filter((turn) => !visited.has(turn)), isEnded: signal.aborted };
}

/** Whether a client that is refused goes on at all: else nothing is said of how it reads a refusal. */
export function goesOn({ runs }: CompatibilityRuns): boolean {
  return runs.some(({ variant: world, isPassed }) => isPassed && world.variations.includes(plainLimit));
}
