/** Sends requests on which the interface is silent, so that observers have something to read. */

import type { Exchange } from '../http/exchange.ts';
import { statusOf } from '../http/read-response.ts';
import type { Scenario } from '../run/scenario.ts';
import type { Session } from '../run/session.ts';
import { readHistory } from '../verdict/history.ts';
import { unknownOrigin } from './1-service/observers.ts';
import { lengthsToAsk } from './2-resources/name-observers.ts';
import { refusedCategories } from './4.2-create-pet/category-observers.ts';
import { creationsOf } from './4.2-create-pet/observers.ts';
import { isRemoved } from './4.3-get-pet/reads.ts';
import { createPet, drawUnknownId, getPet, knownIds, listPets, plainCategory, plainPet } from './requests.ts';

/** Where the target refuses long names: creates animals around the maximum lengths that services commonly have. */
async function askForLengths(session: Session): Promise<void> {
  if (session.settings.isReadOnly || !session.settings.isDisposable) return;
  const lengths = lengthsToAsk(creationsOf(readHistory(session.exchanges, session.settings)));
  // The refusal of a plain name of up to 30 characters is a failure; a leading hyphen keeps these names out of that.
  const create = (length: number): Promise<Exchange> =>
    session.send(createPet({ name: `-${session.newName()} `.padEnd(length, 'x'), categoryId: plainCategory(session) }));
  for (const length of lengths) {
    if (statusOf(await create(length + 1)) === 201) continue;
    await create(length);
    return;
  }
}

/** A category that a service with a list of its own hardly knows; then one beyond 32 bits, and a negative one. */
const [unlikelyCategory, ...tellingCategories] = [7_919n, 2n ** 31n, -1n] as const;

/** Where the target refuses a category: asks whether it refuses a range or has a list. */
async function askForCategories(session: Session): Promise<void> {
  if (session.settings.isReadOnly || refusedCategories(readHistory(session.exchanges, session.settings)).length === 0) {
    return;
  }
  const isAccepted = async (categoryId: bigint): Promise<boolean> =>
    statusOf(await session.send(createPet({ ...plainPet(session), categoryId }))) === 201;
  if (!(await isAccepted(unlikelyCategory))) return;
  for (const categoryId of tellingCategories) await isAccepted(categoryId);
}

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
      await askForLengths(session);
      await askForCategories(session);
    },
  },
];
