/** All worlds, in the order in which they are visited. */

import { seededRandom } from '../../engine/random.ts';
import { type Turn, type World, worldOf } from '../world.ts';
import { answerTurns } from './answers.ts';
import { countTurns } from './counts.ts';
import { formTurns } from './forms.ts';
import { limitTurns, plainLimit } from './limits.ts';

/** Everything that a world may do otherwise. */
export const turns: readonly Turn[] = [...answerTurns, ...formTurns, ...countTurns, plainLimit, ...limitTurns];

/** What may be combined: what makes nobody wait and happens today. Of one statement a world takes one turn. */
const combinable = [...answerTurns, ...formTurns, ...countTurns].filter(({ startsAt }) => startsAt === undefined);

/** A combination of legal answers, by its seed; `without` are turns that break the client alone. */
export function combination(seed: number, without: ReadonlySet<Turn>): World {
  const random = seededRandom(seed);
  const byStatement = Map.groupBy(combinable, ({ statement }) => statement);
  const drawn = [...byStatement.values()].flatMap((options) => {
    const option = options[Math.floor(random() * (options.length + 1))];
    return option === undefined || without.has(option) ? [] : [option];
  });
  return { ...worldOf(drawn), id: `combination ${seed}` };
}
