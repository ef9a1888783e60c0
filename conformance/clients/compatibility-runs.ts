/** Compatibility runs: a client runs under one legal service after another. */

import { createTwin } from '../../reference-server/twin/gaps.ts';
import { defined } from '../../spec/defined.ts';
import type { GapChoices } from '../../spec/gaps.ts';
import { requestHeader } from '../sections/fault.ts';
import { createBudgetedRunner } from './budgeted-runner.ts';
import type { ClientRun } from './client-run.ts';
import { type Breakage, type CompatibilityOptions, Exploration, type UnexplainedRun } from './exploration.ts';
import { noHabits } from './serve-variant.ts';
import { referenceVariant, type Variation, variantWith } from './service-variant.ts';
import { otherAnimals } from './variations/forms.ts';
import { variations } from './variations/index.ts';
import { plainLimits } from './variations/rate-limits.ts';

export interface CompatibilityRuns {
  /**
   * The run with the reference server, or with its catalogue filled if the client fails while that is empty. If it failed,
   * nothing else is explored.
   */
  readonly reference: ClientRun;
  readonly runs: readonly ClientRun[];
  readonly breakages: readonly Breakage[];
  readonly unexplained: readonly UnexplainedRun[];
  /** Variations under which every answer to the client is that of the reference server: they need no run. */
  readonly indistinguishable: readonly Variation[];
  /** The requests after whose 429 the client gives up, although it goes on after others. */
  readonly givesUpAt: readonly Variation[];
  /** Whether the client failed only while another run of it was under way. */
  readonly isDisturbedByItself: boolean;
  readonly isEnded: boolean;
}

export function isReferenceChoice(gap: string, choice: string): boolean {
  try {
    createTwin({ gaps: { [gap]: choice } });
    return true;
  } catch {
    return false;
  }
}

/** Runs a client under the reference server, then under each legal difference alone, then under combinations of them. */
export async function runCompatibility(options: CompatibilityOptions): Promise<CompatibilityRuns> {
  const { only, profile = {}, signal } = options;
  const runner = createBudgetedRunner(options);
  // Service variants give some of the other answers.
  const given = Object.entries(profile).filter(([gap, choice]) => isReferenceChoice(gap, choice));
  const gaps = Object.fromEntries(given) as Partial<GapChoices>;
  const first = await runner.run({ ...referenceVariant, gaps }, noHabits);
  if (first === undefined) throw new RangeError('maxRuns must be at least 1.');
  // A browser adds Origin. A page of another origin works with no service that forbids it.
  const sendsOrigin = first.compared.some(({ request }) => requestHeader(request, 'origin') !== undefined);
  const isPage = !first.isPassed && sendsOrigin && gaps.cors === undefined;
  const allowing = { ...referenceVariant, gaps: { ...gaps, cors: 'any-origin' } } as const;
  const empty = (isPage ? await runner.run(allowing, noHabits) : first) ?? first;
  // A client may need an animal to work with, and the catalogue is empty at first.
  const needsAnimals = !empty.isPassed && empty.exchanges.some(({ operation }) => operation === 'listPets');
  const filledVariant = { ...variantWith([otherAnimals]), ...defined({ gaps: empty.variant.gaps }) };
  const reference = (needsAnimals ? await runner.run(filledVariant, noHabits) : empty) ?? empty;
  const exploration = new Exploration(options, runner, reference);
  if (reference.isPassed && reference.exchanges.length > 0 && !signal.aborted) {
    await exploration.chooseBase();
    await exploration.exploreSingly();
    if (only === undefined) await exploration.exploreCombinations();
  }
  return { ...exploration, reference, runs: runner.runs, isEnded: signal.aborted };
}

function isPlainLimit({ variant }: ClientRun): boolean {
  return plainLimits.includes(variant.variations[0]!);
}

/** Whether the client ran under a service that refuses it with a plain 429. */
export function hasMetLimit({ runs }: CompatibilityRuns): boolean {
  return runs.some(isPlainLimit);
}

/** Whether the client goes on after a 429 at all: otherwise its runs do not show how it reads one. */
export function goesOn({ runs }: CompatibilityRuns): boolean {
  return runs.some((run) => run.isPassed && isPlainLimit(run));
}

/** Variations that had no run of their own although they may differ for the client. */
export function notRun({ runs, indistinguishable }: CompatibilityRuns): readonly Variation[] {
  const tried = new Set([...runs.flatMap(({ variant }) => variant.variations), ...indistinguishable]);
  return variations.filter((variation) => !tried.has(variation));
}
