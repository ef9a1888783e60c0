/** All worlds, in the order in which they are visited. */

import { seededRandom } from '../../run/random.ts';
import { type ServiceVariant, type Variation, variantWith } from '../service-variant.ts';
import { answerVariations } from './answers.ts';
import { countVariations } from './counts.ts';
import { formVariations } from './forms.ts';
import { limitVariations, plainLimit } from './limits.ts';

/** Everything that a world may do otherwise. */
export const variations: readonly Variation[] = [
  ...answerVariations,
  ...formVariations,
  ...countVariations,
  plainLimit,
  ...limitVariations,
];

/** What may be combined: what makes nobody wait and happens today. Of one requirement a world takes one turn. */
const combinable = [...answerVariations, ...formVariations, ...countVariations].filter(
  ({ startsAt }) => startsAt === undefined,
);

/** A combination of legal answers, by its seed; `without` are turns that break the client alone. */
export function combination(seed: number, without: ReadonlySet<Variation>): ServiceVariant {
  const random = seededRandom(seed);
  const byRequirement = Map.groupBy(combinable, ({ requirement }) => requirement);
  const drawn = [...byRequirement.values()].flatMap((options) => {
    const option = options[Math.floor(random() * (options.length + 1))];
    return option === undefined || without.has(option) ? [] : [option];
  });
  return { ...variantWith(drawn), id: `combination ${seed}` };
}
