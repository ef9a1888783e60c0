/** All variations, and how they are combined. */

import { seededRandom } from '../../../spec/random.ts';
import type { Variation } from '../service-variant.ts';
import { answerVariations, countVariations } from './answers.ts';
import { formVariations, fullCatalogue, otherAnimals } from './forms.ts';
import { limitVariations } from './rate-limits.ts';

/** Variations that do not depend on how the client takes a 429, in the order in which they run. */
export const plainVariations: readonly Variation[] = [
  ...answerVariations,
  ...formVariations,
  fullCatalogue,
  ...countVariations,
];

export const variations: readonly Variation[] = [otherAnimals, ...plainVariations, ...limitVariations];

/** A combination takes no variation that makes a client wait, or that lies on another day. */
export function isCombinable({ isSlow, startsAt }: Variation): boolean {
  return !isSlow && startsAt === undefined;
}

/** Draws a combination by its seed, with at most one variation for each requirement. */
export function drawCombination(seed: number, from: readonly Variation[]): readonly Variation[] {
  const random = seededRandom(seed);
  const byRequirement = Map.groupBy(from.filter(isCombinable), ({ requirement }) => requirement);
  return [...byRequirement.values()].flatMap((options) => options[Math.floor(random() * (options.length + 1))] ?? []);
}
