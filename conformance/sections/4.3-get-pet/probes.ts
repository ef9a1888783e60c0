/** §4.3 The reads of a run, by rank: of its animals, of ids that no animal has, and of path segments that are no int64. */

import { isInt64 } from '../../http/json.ts';
import type { Probe, ProbeKind } from '../../run/probe.ts';
import type { Session } from '../../run/session.ts';
import { readHistory } from '../../verdict/history.ts';
import { createdIds, mayCreate } from '../4.2-create-pet/creations.ts';
import { shuffle } from '../orders.ts';
import { drawUnknownId, getPet, hardestOf, knownIds } from '../requests.ts';
import { words } from '../strange-texts.ts';
import { isRemoved } from './reads.ts';

/** From an id of an animal, ids of none that truncation, a lost sign, rounding or counting turns into one. */
const unknownIds: Readonly<Record<1.5 | 2.5 | 3.5 | 4 | 6, readonly ((id: bigint, session: Session) => bigint)[]>> = {
  1.5: [(_id, session) => drawUnknownId(session)],
  2.5: [() => 0n, () => -1n],
  3.5: [(id) => BigInt.asUintN(32, id) - 2n ** 32n],
  4: [(id) => id + 2n ** 32n, (id) => -id, () => 2n ** 63n - 1n],
  6: [
    () => -(2n ** 63n),
    (id) => id + 2n ** 53n,
    (id) => id - 2n ** 32n,
    (id) => BigInt(Number(id)),
    (id) => BigInt.asIntN(53, id),
    () => 2n ** 53n + 1n,
    (id) => id * 10n + 7n,
    (id) => id + 2n ** 16n,
    (_id, session) => drawUnknownId(session),
  ],
};

/** Segments that are no int64, from an id that a careless parser cuts, wraps or strips them to. */
export const wrongIds: Readonly<Record<1.5 | 2.5 | 3.5 | 4 | 6 | 7, readonly ((id: bigint) => string)[]>> = {
  1.5: [(id) => `${id}.!`],
  2.5: [(id) => String(2n ** 64n + id)],
  3.5: [() => 'abc'],
  4: [
    // Each breaks another kind of parser: of numbers, of objects, of integers of a fixed size.
    ...['null', '9223372036854775808', '9'.repeat(400)].map((segment) => () => segment),
    // All marks that a path segment may hold (RFC 3986, 3.3): a service that splits or calculates may fail on one.
    () => `1-1:1;a=1,2@3!$&'()*+~_`,
    ...['abc'].map((end) => (id: bigint) => `${id}${end}`),
  ],
  6: [
    ...['.5', ',1', '=1'].map((end) => (id: bigint) => `${id}${end}`),
    (id) => String(2n ** 128n + id),
    () => 'NaN',
    () => 'undefined',
    () => '1.5',
    (id) => `x${id}`,
    ...words('1e400 __proto__').map((segment) => () => segment),
  ],
  7: [
    ...[...words('- ~ ! & * : $ @ %23 :1 n %00 %20or%201 %25 e-1 .5 -1')].map((end) => (id: bigint) => `${id}${end}`),
    ...words("%22 ' --").map((mark) => (id: bigint) => `${mark}${id}${mark === '--' ? '' : mark}`),
    (id) => `${id}%7C${id}`,
    (id) => `(${id})`,
    (id) => `%5B${id}%5D`,
    (id) => `%7B${id}%7D`,
    (id) => `id=${id}`,
    (id) => `${id}.${id}`,
    (id) => String(2n ** 63n + BigInt.asUintN(63, id)),
    (id) => String(-(2n ** 64n) - BigInt.asUintN(63, id)),
    ...words('%25 * latest true - constructor %F0%9F%A6%84 caf%C3%A9 %00 %0A').map((segment) => () => segment),
    () => 'a'.repeat(1_500),
  ],
};

const read = (rank: number, idOf: (session: Session) => bigint | string | undefined): Probe => ({
  rank,
  request: (session) => {
    const id = isRemoved(session) ? undefined : idOf(session);
    return id === undefined ? undefined : getPet(id);
  },
});

const wasRead = (session: Session, id: bigint): boolean =>
  session.exchanges.some(({ operation, request }) => operation === 'getPet' && request.target === `/pets/${id}`);

/** The newest animal, once: some services find it only when there is another. */
function newest(session: Session): bigint | undefined {
  const id = createdIds(session).at(-1);
  return id === undefined || wasRead(session, id) ? undefined : id;
}

/** An animal that was not read yet. A page shows it as the listing has it; only a read shows it as the store has it. */
function unread(session: Session): bigint | undefined {
  const left = createdIds(session).filter((id) => !wasRead(session, id));
  return left[Math.floor(session.random() * left.length)];
}

/** The id that comes next where ids count up: a refused request may have left an animal there, or a cache remember a 404. */
function following(session: Session): bigint | undefined {
  const highest = knownIds(session).reduce((most, id) => (id > most ? id : most), 0n);
  return isInt64(highest + 1n) ? highest + 1n : undefined;
}

const repeat = (count: number, probe: Probe): readonly Probe[] => Array.from({ length: count }, () => probe);

function ofKnown(session: Session, at: number): bigint {
  const ids = createdIds(session);
  return ids[at % Math.max(1, ids.length)] ?? knownIds(session)[0] ?? 1n;
}

const reads: readonly Probe[] = [
  read(1, (session) => {
    const isEarly = createdIds(session).length < 2 && mayCreate(session) && session.exchanges.length < 8;
    return isEarly ? undefined : (hardestOf(session) ?? knownIds(session)[0]);
  }),
  read(2, newest),
  read(3.5, (session) => {
    const { created } = readHistory(session.exchanges, session.settings);
    return created.find(({ sent }) => sent?.status === 'sold')?.id ?? knownIds(session)[0];
  }),
  ...repeat(4, read(4, newest)),
  ...repeat(2, read(5, unread)),
  // The first animal twice in a row: a cache may change it.
  ...repeat(
    2,
    read(6, (session) => knownIds(session)[0]),
  ),
  ...repeat(16, read(8, unread)),
];

export const getPetProbes: readonly ProbeKind[] = [
  {
    id: 'reads',
    verifies: ['get-answer', 'get-until-removal', 'pet-name-kept', 'pet-category-id-kept', 'pet-status-kept'],
    title: 'Gets animals of the run: the newest, the first, and those that were not read yet',
    probes: () => reads,
  },
  {
    id: 'unknown-ids',
    verifies: ['get-not-found', 'errors-listed'],
    title: 'Gets ids that no animal has',
    probes: () => [
      ...Object.entries(unknownIds).flatMap(([rank, makes]) =>
        makes.map((make, at) =>
          read(Number(rank), (session) => {
            const id = make(ofKnown(session, at), session);
            return isInt64(id) && !knownIds(session).includes(id) ? id : undefined;
          }),
        ),
      ),
      ...repeat(2, read(4, following)),
    ],
  },
  {
    id: 'wrong-ids',
    verifies: ['get-id-not-int64', 'errors-listed'],
    title: 'Gets path segments that are no int64',
    probes: ({ random }) =>
      Object.entries(wrongIds).flatMap(([rank, makes]) =>
        shuffle(makes, random).map((make, at) => read(Number(rank), (session) => make(ofKnown(session, at)))),
      ),
  },
];
