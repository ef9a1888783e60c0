/** §4.1 The listings of a run, by rank. */

import { type PetStatus, pageLimit, petStatuses } from '../../../spec/operations.ts';
import type { Session } from '../../run/session.ts';
import type { Probe, ProbeKind } from '../../run/suite.ts';
import { countKnownBefore } from '../../world/world.ts';
import { listPets, worldOf } from '../requests.ts';
import { listings, type ValueRow, wrongQueries } from '../values.ts';

/** How many animals have a status, as far as the run knows, and of any. */
function countOf(session: Session, status: PetStatus | 'any'): number {
  return countKnownBefore(worldOf(session), undefined, status);
}

const listProbe = (rank: number, queryOf: (session: Session) => string | undefined): Probe => ({
  rank,
  request: (session) => {
    const query = queryOf(session);
    return query === undefined ? undefined : listPets(query);
  },
});

const rowsOf = (rows: readonly ValueRow[]): readonly Probe[] =>
  rows.map(({ rank, text }) => listProbe(rank, () => text));

/** A limit of this share of the animals with a status, or of all: only a limit below their number shows that it holds. */
const shortPage = (rank: number, share: number, status: PetStatus | 'any'): Probe =>
  listProbe(rank, (session) => {
    const count = countOf(session, status);
    if (count < 2 && rank < 5) return undefined;
    const limit = `limit=${Math.max(pageLimit.least, Math.min(pageLimit.most, Math.floor(count * share)))}`;
    if (status === 'any') return limit;
    // The early pages have the parameters in the other order.
    return `${limit}&status=${status}`;
  });

const statefulListings: readonly Probe[] = [
  // While an animal of one status is missing: a first version answers 404 where nothing matches.
  listProbe(1.5, (session) => {
    const status = petStatuses.findLast((one) => countOf(session, one) === 0) ?? 'pending';
    return `status=${status}&limit=2`;
  }),
  // Of the status that most of the first animals have.
  listProbe(1.5, (session) => {
    const [status] = petStatuses.toSorted((one, other) => countOf(session, other) - countOf(session, one));
    const hasNoneTwice = countOf(session, 'any') > 1 && countOf(session, status!) === 1;
    return hasNoneTwice ? 'limit=1' : `status=${status}&limit=1`;
  }),
  // The page to compare with where a default may show.
  listProbe(2.2, (session) => (countOf(session, 'any') > 9 ? `limit=${pageLimit.usual}` : undefined)),
  ...petStatuses.flatMap((status) => [shortPage(4, 0.6, status), shortPage(5, 1, status)]),
  ...[0.4, 0.8].map((share) => shortPage(4, share, 'any')),
  shortPage(5, 1, 'any'),
];

export const listPetsProbes: readonly ProbeKind[] = [
  {
    id: 'listings',
    verifies: [
      'list-answer',
      'list-complete',
      'list-limit',
      'list-limit-default',
      'list-status-filter',
      'create-refused-stores-nothing',
      'auth-refused-stores-nothing',
    ],
    probes: () => [...rowsOf(listings), ...statefulListings],
  },
  {
    // Alone, so that --only spends no request of another requirement on them.
    id: 'wrong-queries',
    verifies: ['list-answer', 'list-limit', 'list-limit-refused', 'list-status-refused', 'errors-listed'],
    probes: () => rowsOf(wrongQueries),
  },
];
