/** §4.3 Claims about reads: getPet does not find an animal that is there. */

import { removalDayInWords } from '../../../spec/facts.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { readPetId } from '../../http/read-request.ts';
import { idsShownIn, statusOf } from '../../http/read-response.ts';
import { type Claim, type Look, moved, settled, unprovable } from '../../run/confirm.ts';
import type { Session } from '../../run/session.ts';
import { fails } from '../../verdict/finding.ts';
import { sightings } from '../../world/animals.ts';
import type { CreatedPet } from '../../world/world.ts';
import { mayCreate } from '../4.2-create-pet/creations.ts';
import { createPet, getPet, largestPage, listPets, plainPet, worldOf } from '../requests.ts';
import { isRemoved, readsOfKnown } from './reads.ts';

/**
 * Whether an animal that neither reads nor pages show was never stored. An animal that was seen before is gone. Where an older
 * animal of the run is gone, this one may be gone as well, although no answer has shown it.
 */
export async function wasNeverStored(session: Session, pet: CreatedPet): Promise<boolean> {
  const seen = sightings(worldOf(session));
  if (seen.has(pet)) return false;
  const older = [...seen.keys()].findLast((other) => happenedBefore(other.exchange, pet.exchange));
  if (older === undefined) return true;
  return statusOf(await session.send(getPet(older.id))) === 200;
}

/** The claim that getPet does not find an animal, which `looks` have shown so far; `shown` are the exchanges of the last look. */
interface Missed {
  readonly id: bigint;
  readonly pet: CreatedPet | undefined;
  /** The answer that first showed the animal. */
  readonly shownBy: Exchange;
  /** Whether getPet finds another animal. */
  readonly isAnyFound: boolean;
  readonly looks: number;
  readonly shown: readonly Exchange[];
}

async function lookAtRead(session: Session, missed: Missed): Promise<Look> {
  const { id, pet, looks } = missed;
  const standsBy = (...shown: readonly Exchange[]): Look => {
    return { sight: 'stands', claim: claimOfRead({ ...missed, looks: looks + 1, shown }) };
  };
  const read = await session.send(getPet(id));
  if (statusOf(read) !== 404) return settled;
  const page = await session.send(listPets(largestPage));
  if (idsShownIn(page).includes(id)) return standsBy(page, read);
  // Another client may have removed its animal (§4.4).
  if (pet === undefined) return settled;
  return (await wasNeverStored(session, pet)) ? standsBy(read) : moved;
}

function claimOfRead(missed: Missed): Claim {
  const { id, pet, shownBy, isAnyFound, looks, shown } = missed;
  return {
    requirement: 'get-answer',
    key: `getPet ${id}`,
    since: shownBy.endedAt,
    takesTime: true,
    cost: 3,
    costOfProof: 0,
    look: (session) => lookAtRead(session, missed),
    failures: (seconds) => {
      const exchanges = [shownBy, ...shown];
      const beginning = pet === undefined ? 'a page showed it' : 'its creation';
      const received = `404 for each of ${looks} reads, until ${seconds} s after ${beginning}`;
      const facts = { expected: `200 for the animal ${id}, which exists`, received, status: 404 };
      const failure = fails('get-answer', 'unexpected-status', facts, ...exchanges);
      if (isAnyFound) return [failure];
      const gone = { ...facts, expected: `getPet to answer until ${removalDayInWords}` };
      return [failure, fails('get-until-removal', 'removed-early', gone, ...exchanges)];
    },
  };
}

/** Creates an animal, finds it, lists, and does not find it any more. */
async function lookForRemoval(session: Session, looks: number): Promise<Look> {
  const creation = await session.send(createPet(plainPet(session, 'available')));
  const read = getPet(idsShownIn(creation)[0] ?? 0n);
  const first = await session.send(read);
  // One listing may remove what it shows, the other what its filter leaves out.
  const whole = await session.send(listPets(largestPage));
  const filtered = await session.send(listPets('status=sold'));
  // A late replica may answer one read.
  const second = await session.send(read);
  const third = await session.send(read);
  const isGone = statusOf(first) === 200 && statusOf(second) === 404 && statusOf(third) === 404;
  if (!isGone) return unprovable;
  const shown = [creation, first, whole, filtered, second, third];
  return { sight: 'stands', claim: claimOfRemoval(looks + 1, shown) };
}

/** The claim that listings remove animals, after so many looks; `shown`: the exchanges of the last one. */
function claimOfRemoval(looks: number, shown: readonly Exchange[]): Claim {
  return {
    requirement: 'get-answer',
    key: 'removed by listings',
    since: 0,
    // An animal that was removed does not come back.
    takesTime: false,
    cost: 6,
    costOfProof: 0,
    look: (session) => lookForRemoval(session, looks),
    failures: () => {
      const expected = '200 for an animal that was only read and listed since its creation';
      const facts = { expected, received: `404, for each of ${looks} animals`, status: 404 };
      return [fails('get-answer', 'unexpected-status', facts, ...shown)];
    },
  };
}

/** The claim for the newest known animal whose latest read got 404, and that of removal where an animal was seen before. */
export function claimsOfReads(session: Session): readonly Claim[] {
  const world = worldOf(session);
  const reads = isRemoved(session) ? [] : readsOfKnown(world);
  const ofKey = reads.filter(({ credential }) => credential.kind === 'valid');
  const latest = new Map(ofKey.map((read) => [readPetId(read) as bigint, read]));
  const isAnyFound = [...latest.values()].some((read) => statusOf(read) === 200);
  const missed = [...latest].filter(([, read]) => statusOf(read) === 404).map(([id]) => id);
  const isAnyGone = missed.some((id) => sightings(world).has(world.createdById.get(id)!)) && mayCreate(session);
  const claims = missed.slice(-1).map((id): Claim => {
    const pet = world.createdById.get(id);
    const shownBy = pet?.exchange ?? world.known.get(id)!.shownBy;
    return claimOfRead({ id, pet, shownBy, isAnyFound, looks: 0, shown: [] });
  });
  return isAnyGone ? [...claims, claimOfRemoval(0, [])] : claims;
}
