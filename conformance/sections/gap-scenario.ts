/** Sends requests on which the interface is silent, so that observers have something to read. */

import type { Scenario } from '../run/scenario.ts';
import { isRemoved } from './4.3-get-pet/reads.ts';
import { unknownOrigin } from './observers.ts';
import { drawUnknownId, getPet, knownIds, listPets } from './requests.ts';

/** A path that the interface does not show (§4.4). */
export const unknownPath = '/no-such-path';

export const gapScenarios: readonly Scenario[] = [
  {
    id: 'ask-the-gaps',
    rank: 5,
    verifies: ['errors-listed'],
    title: 'Sends what the interface leaves open: an origin, unknown parameters, paths and methods',
    run: async (session) => {
      const [known] = knownIds(session);
      // On an animal that does not exist, so that it changes nothing.
      const otherMethod = { operation: 'other', method: 'POST', target: `/pets/${drawUnknownId(session)}` } as const;
      await session.sendAll([
        listPets('limit=1&colour=brown'),
        { operation: 'other', target: unknownPath, headers: { origin: unknownOrigin } },
        ...(session.settings.isReadOnly ? [] : [otherMethod]),
        ...(isRemoved(session) && known !== undefined ? [getPet(known)] : []),
      ]);
    },
  },
];
