/** §5 Requests without a key that a service or a cache may answer by mistake: what it has just answered to the key. */

import { noKey } from '../../http/credentials.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { createPet, getPet, idsIn, listPets, plainPet } from '../requests.ts';

/** Sends a request with the key, and at once the same without it: a cache that ignores keys answers with its copy. */
async function sendWithAndWithoutKey(session: Session, request: PlannedRequest): Promise<void> {
  await session.send(request);
  await session.send({ ...request, credential: noKey });
}

const publicCorners: Scenario = {
  kind: 'scenario',
  id: 'public-corners',
  rank: 5,
  verifies: ['auth-missing-key'],
  title: 'Repeats short, filtered and plain listings and the read of a new animal without the key',
  run: async (session) => {
    for (const query of ['limit=1', 'status=available&limit=2', 'status=sold', '']) {
      await sendWithAndWithoutKey(session, listPets(query));
    }
    if (session.settings.isReadOnly || isRemoved(session)) return;
    const [id] = idsIn(await session.send(createPet(plainPet(session))));
    if (id !== undefined) await sendWithAndWithoutKey(session, getPet(id));
  },
};

export const publicCornerScenarios: readonly Scenario[] = [publicCorners];
