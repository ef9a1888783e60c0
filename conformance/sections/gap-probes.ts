/** Sends requests on which the interface is silent, so that observers have something to read. */

import type { Probe, ProbeKind } from '../run/suite.ts';
import { isRemoved } from './4.3-get-pet/reads.ts';
import { unknownOrigin } from './observers.ts';
import { drawUnknownId, getPet, knownIds, listPets } from './requests.ts';

const requests: readonly Probe['request'][] = [
  () => listPets('limit=1&colour=brown'),
  // The interface does not show this path (§4.4).
  () => ({ operation: 'other', target: '/no-such-path', headers: { origin: unknownOrigin } }),
  // On an animal that does not exist, so that it changes nothing.
  (session) =>
    session.settings.isReadOnly
      ? undefined
      : { operation: 'other', method: 'POST', target: `/pets/${drawUnknownId(session)}` },
  (session) => {
    const [known] = knownIds(session);
    return isRemoved(session) && known !== undefined ? getPet(known) : undefined;
  },
];

export const gapProbes: ProbeKind = {
  id: 'ask-the-gaps',
  verifies: ['errors-listed'],
  probes: () => requests.map((request) => ({ rank: 5, request })),
};
