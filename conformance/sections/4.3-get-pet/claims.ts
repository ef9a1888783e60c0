/** §4.3 Claims about reads: getPet does not find an animal that is there. */

import { happenedBefore } from '../../http/exchange.ts';
import { readPetId } from '../../http/read-request.ts';
import { idsShownIn, statusOf } from '../../http/read-response.ts';
import { type Claim, type Look, settled } from '../../run/confirm.ts';
import type { Session } from '../../run/session.ts';
import { fails } from '../../verdict/finding.ts';
import { sightings } from '../../world/animals.ts';
import type { CreatedPet } from '../../world/world.ts';
import { mayCreate } from '../4.2-create-pet/creations.ts';
import { createPet, getPet, listPets, plainPet, worldOf } from '../requests.ts';
import { isRemoved, readsOfKnown } from './reads.ts';

/**
 * Whether an animal that neither reads nor pages show was never stored. If it was seen before, it is gone. If an older one of
 * the run is gone, so may this one be, although it was never seen.
 */
export async function wasNeverStored(session: Session, pet: CreatedPet): Promise<boolean> {
  const seen = sightings(worldOf(session));
  if (seen.has(pet)) return false;
  const older = [...seen.keys()].findLast((other) => happenedBefore(other.exchange, pet.exchange));
  if (older === undefined) return true;
  return statusOf(await session.send(getPet(older.id))) === 200;
}

async function lookAtRead(session: Session, id: bigint, pet: CreatedPet | undefined): Promise<Look> {
  const read = await session.send(getPet(id));
  if (statusOf(read) !== 404) return settled;
  const page = await session.send(listPets('limit=100'));
  const isListed = idsShownIn(page).includes(id);
  if (isListed) return { sight: 'shown', exchanges: [page, read] };
  // Another client may have removed its animal (§4.4).
  if (pet === undefined) return settled;
  return { sight: (await wasNeverStored(session, pet)) ? 'shown' : 'moved', exchanges: [read] };
}

/** The claim that listings remove animals: each look creates an animal, finds it, lists, and does not find it any more. */
const claimOfRemoval: Claim = {
  requirement: 'get-answer',
  key: 'removed by listings',
  // No time brings them back.
  since: () => 0,
  cost: 6,
  look: async (session) => {
    const exchanges = [await session.send(createPet(plainPet(session, 'available')))];
    const read = getPet(idsShownIn(exchanges[0]!)[0] ?? 0n);
    // One listing may remove what it shows, the other what its filter leaves out. A late replica may answer one read.
    for (const request of [read, listPets('limit=100'), listPets('status=sold'), read, read])
      exchanges.push(await session.send(request));
    const [, first, , , ...last] = exchanges;
    const isGone = statusOf(first!) === 200 && last.every((one) => statusOf(one) === 404);
    return { sight: isGone ? 'shown' : 'unprovable', exchanges };
  },
  failures: (looks) => {
    const expected = '200 for an animal that was only read and listed since its creation';
    const facts = { expected, received: `404, for each of ${looks.length} animals`, status: 404 };
    return [fails('get-answer', 'unexpected-status', facts, ...looks.at(-1)!.exchanges)];
  },
};

/** The claim for the newest known animal whose latest read got 404, and that of removal where an animal was seen before. */
export const claimsOfReads = (session: Session): readonly Claim[] => {
  const world = worldOf(session);
  const reads = isRemoved(session) ? [] : readsOfKnown(world);
  const ofKey = reads.filter(({ credential }) => credential.kind === 'valid');
  const latest = new Map(ofKey.map((read) => [readPetId(read) as bigint, read]));
  const isAnyFound = [...latest.values()].some((read) => statusOf(read) === 200);
  const missed = [...latest].filter(([, read]) => statusOf(read) === 404).map(([id]) => id);
  const isAnyGone = missed.some((id) => sightings(world).has(world.createdById.get(id)!)) && mayCreate(session);
  const claims = missed.slice(-1).map((id): Claim => {
    const pet = world.createdById.get(id);
    const since = pet?.exchange ?? world.known.get(id)!.shownBy;
    return {
      requirement: 'get-answer',
      key: `getPet ${id}`,
      since: () => since.endedAt,
      cost: 3,
      look: (session) => lookAtRead(session, id, pet),
      failures: (looks, seconds) => {
        const exchanges = [since, ...looks.at(-1)!.exchanges];
        const received = `404 for each of ${looks.length} reads, until ${seconds} s after ${pet === undefined ? 'a page showed it' : 'its creation'}`;
        const facts = { expected: `200 for the animal ${id}, which exists`, received, status: 404 };
        const gone = { ...facts, expected: 'getPet to answer until 5 December 2030' };
        return [
          fails('get-answer', 'unexpected-status', facts, ...exchanges),
          ...(isAnyFound ? [] : [fails('get-until-removal', 'removed-early', gone, ...exchanges)]),
        ];
      },
    };
  });
  return isAnyGone ? [...claims, claimOfRemoval] : claims;
};
