/** §4.3 The reads of a run, by rank: of its animals, of ids that no animal has, and of path segments that are no int64. */

import { petStatuses } from '../../../spec/operations.ts';
import { shuffle } from '../../../spec/random.ts';
import type { Exchange } from '../../http/exchange.ts';
import { statusOf } from '../../http/read-response.ts';
import type { Session } from '../../run/session.ts';
import type { Probe, ProbeKind } from '../../run/suite.ts';
import { sightings } from '../../world/animals.ts';
import { createdIds, drawUnknownId, getPet, hardestOf, knownIds, worldOf } from '../requests.ts';
import { wrongIds } from '../values.ts';
import { isRemoved } from './reads.ts';

type IdOf = (id: bigint, session: Session) => bigint;

const larger = (one: bigint, other: bigint): bigint => (other > one ? other : one);

/** Ids of no animal. Truncation, a lost sign, rounding or wrapping turns many of them into the id that they are made of. */
const unknownIds: readonly (readonly [rank: number, ...ids: readonly IdOf[]])[] = [
  [1.5, (_id, session) => drawUnknownId(session)],
  [2.5, (id) => 2n ** 64n + id],
  [2.6, () => 0n],
  [3.5, () => -1n, (id) => BigInt.asUintN(32, id) - 2n ** 32n],
  [4, (id) => id + 2n ** 32n, (id) => -id, () => 2n ** 63n - 1n],
  // The id that comes next where ids count up: a refused request may have left an animal there, or a cache remember a 404.
  ...[4, 4].map((rank): [number, IdOf] => [rank, (_id, session) => knownIds(session).reduce(larger, 0n) + 1n]),
  [7, () => -(2n ** 63n), (id) => 2n ** 128n + id, (id) => 2n ** 63n + BigInt.asUintN(63, id)],
];

const read = (rank: number, idOf: (session: Session) => bigint | string | undefined): Probe => ({
  rank,
  request: (session) => {
    const id = isRemoved(session) ? undefined : idOf(session);
    return id === undefined ? undefined : getPet(id);
  },
});

const readsOf = ({ exchanges }: Session, id: bigint): readonly Exchange[] =>
  exchanges.filter(({ request }) => request.target === `/pets/${id}`);

/** The newest animal, once: some services find it only when there is another. */
const newest = (session: Session): bigint | undefined =>
  createdIds(session)
    .slice(-1)
    .find((id) => readsOf(session, id).length === 0);

/**
 * An animal that no read has shown, first one whose id was asked for before it was assigned: a cache may remember the 404.
 * A page shows an animal as the listing has it; only a read shows it as the store has it.
 */
function unread(session: Session): bigint | undefined {
  const left = createdIds(session).filter((id) => !readsOf(session, id).some((one) => statusOf(one) === 200));
  return left.find((id) => readsOf(session, id).length > 0) ?? left[Math.floor(session.random() * left.length)];
}

const repeat = (count: number, probe: Probe): readonly Probe[] => Array.from({ length: count }, () => probe);

function ofKnown(session: Session, at: number): bigint {
  const ids = createdIds(session);
  return ids[at % Math.max(1, ids.length)] ?? knownIds(session)[0] ?? 1n;
}

const readProbes: readonly Probe[] = [
  // Before the first page: later sights of other animals show that the catalogue is still the same.
  read(0.9, (session) => hardestOf(session) ?? knownIds(session)[0]),
  // Before a page shows it: after that, another status may be a transition, which is legal (§3).
  read(2.15, (session) => {
    const world = worldOf(session);
    return world.created.findLast((pet) => pet.sent?.status === 'pending' && !sightings(world).has(pet))?.id;
  }),
  read(3.5, (session) => {
    const sold = worldOf(session).created.find(({ sent }) => sent?.status === 'sold');
    return sold?.id ?? knownIds(session)[0];
  }),
  read(4, newest),
  // One of each status: a page that showed it first would make another status a transition, which is legal.
  ...petStatuses.map((status) =>
    read(4, (session) => (worldOf(session).created.at(-1)?.sent?.status === status ? newest(session) : undefined)),
  ),
  ...repeat(9, read(5, unread)),
];

export const getPetProbes: readonly ProbeKind[] = [
  {
    id: 'reads',
    verifies: ['get-answer', 'get-until-removal', 'pet-name-kept', 'pet-category-id-kept', 'pet-status-kept'],
    probes: () => readProbes,
  },
  {
    id: 'unknown-ids',
    verifies: ['get-not-found', 'get-id-not-int64', 'errors-listed'],
    probes: ({ random }) => [
      ...unknownIds.flatMap(([rank, ...ids]) =>
        ids.map((make, at) =>
          read(rank, (session) => {
            const id = make(ofKnown(session, at), session);
            return knownIds(session).includes(id) ? undefined : id;
          }),
        ),
      ),
      ...shuffle(wrongIds, random).map(({ rank, text }, at) =>
        read(rank, (session) => text.replaceAll('%I', String(ofKnown(session, at)))),
      ),
    ],
  },
];
