/** §4.1 The listings of a run, by rank: the table of limits and filters, allowed or not, and when each is worth sending. */

import { type PetStatus, petStatuses } from '../../../spec/operations.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Probe, ProbeKind } from '../../run/probe.ts';
import type { Session } from '../../run/session.ts';
import { readHistory } from '../../verdict/history.ts';
import { createdIds, mayCreate } from '../4.2-create-pet/creations.ts';
import { shuffle } from '../orders.ts';
import { createPet, drawUnknownId, knownIds, listPets, plainPet, readOf } from '../requests.ts';
import { oddCharacters, strangeTexts, words } from '../strange-texts.ts';

/** Limits and filters that §4.1 does not allow, by rank. */
export const wrongQueries: Readonly<Record<2 | 2.5 | 3.5 | 4 | 6 | 7, readonly string[]>> = {
  2: words('limit=0 status=unknown'),
  // Where one of these fails, the other parameter hardly matters.
  2.5: words('limit=1.5 limit=-1 limit=101 limit=abc&status=sold&status=pending'),
  3.5: words('limit=9223372036854775808&status='),
  4: [
    ...words('limit= limit=101&status=available limit=2&limit=3 status=available,sold status=AVAILABLE'),
    ...words('limit=10abc limit=-1&status=sold status=null'),
  ],
  6: [
    ...words('status=sold&status=pending limit=0&status=available limit=0x10 limit=%00 limit=0.9 limit=true'),
    ...words('status=avail limit=all limit=2147483648 status=%27%22%C3%A9%00,sold status=Sold limit=1e1 limit=null'),
    ...['status=available%20'],
  ],
  7: [
    ...[
      ...words('00 007 -0 1e400 NaN Infinity constructor 1_0 [] 0.5 10000 10; %2B5'),
      '5 ',
      ' 5',
      '+5',
      '5abc',
      '\u0663',
    ],
    ...['4294967297', '9007199254740993', '18446744073709551616', '-2147483649', '9'.repeat(60), `-${'9'.repeat(60)}`],
    ...['\u0000', '\n', oddCharacters, 'x'.repeat(300)],
  ]
    .map((limit) => `limit=${encodeURIComponent(limit)}`)
    .concat(
      [
        ...words(
          'undefined true 0 1 -1 NaN constructor __proto__ toString length [] {} sold,pending sold|pending soId',
        ),
        ...['*', '%', '_', ' sold', "sold' or '1'='1", '9'.repeat(60), '\u0000', '\n', oddCharacters, 'x'.repeat(300)],
      ].map((status) => `limit=2&status=${encodeURIComponent(status)}`),
    ),
};

/** Names of parameters that interfaces often have; this one says nothing about them. */
const parameterNames: readonly string[] = words(
  'page offset cursor sort order q name id categoryId fields include after before per_page size start',
  'from since date lang filter search tags type category where group_by expand v _',
);

/** Whole parameters whose names or form services trip over. */
const oddParameters: readonly string[] = [
  ...words(
    'constructor=1 __proto__=1 toString=x null=null q%20=%20 page[size]=2 filter[status][$ne]=sold ids[]=1 ids[]=2 =x =',
    'sort caf%C3%A9=1 %F0%9F%A6%84=1 a.b=1 $where=1 tag=1 tag=1 a+b=c+d x;y=1;z',
  ),
  `${'n'.repeat(200)}=1`,
  `q=${'a'.repeat(1_500)}`,
];

/** Parameters that some readers take for a listed one. They have a listing of their own, since it may be refused. */
const almostListed: readonly string[] = words(
  'limit[]=1 status[]=sold status[$ne]=sold LIMIT=1 Status=sold limit%20=1 limit.max=1 statuses=sold',
);

/** Every common name and every strange text once, in listings of a size that every service reads. */
function packedQueries({ random }: Session): readonly (readonly string[])[] {
  const names = shuffle(parameterNames, random);
  const pairs = shuffle(strangeTexts, random).map(
    (text, at) => `${names[at % names.length]}${at < names.length ? '' : at}=${encodeURIComponent(text)}`,
  );
  const third = Math.ceil(pairs.length / 3);
  const thirds = [0, 1, 2].map((part) => pairs.slice(part * third, (part + 1) * third));
  return [shuffle(oddParameters, random), almostListed, ...thirds];
}

/** Many parameters at once; where the service fails, each half is sent until one that fails stands alone. */
function packed(rank: number, parameters: readonly string[]): Probe {
  return {
    rank,
    request: () => listPets(['limit=2', ...parameters].join('&')),
    next: (_session, { response }) => {
      if ((response?.status ?? 0) < 500 || parameters.length === 1) return [];
      const half = Math.ceil(parameters.length / 2);
      return [packed(rank, parameters.slice(0, half)), packed(rank, parameters.slice(half))];
    },
  };
}

/** How many animals have a status, as far as the run knows, and of any. */
function countOf({ exchanges, settings }: Session, status: PetStatus | 'any'): number {
  return readHistory(exchanges, settings).knownSince.get(status)?.length ?? 0;
}

const list = (rank: number, queryOf: (session: Session) => string | undefined): Probe => ({
  rank,
  request: (session): PlannedRequest | undefined => {
    const query = queryOf(session);
    return query === undefined ? undefined : listPets(query);
  },
});

/** The same query, once the run has so many animals, or cannot have more. */
const onceThereAre = (rank: number, animals: number, query: string): Probe =>
  list(rank, (session) => (createdIds(session).length >= animals || !mayCreate(session) ? query : undefined));

/** A limit below the number of animals with a status, or of all: only then a page shows that it holds. */
const shortPage = (
  rank: number,
  share: number,
  status: PetStatus | 'any',
  isStatusFirst: 'status-first' | 'limit-first',
): Probe =>
  list(rank, (session) => {
    const count = countOf(session, status);
    const limit = Math.max(1, Math.min(99, Math.floor((count - 1) * share)));
    if (count < 2 && rank < 5) return undefined;
    const parts = [...(status === 'any' ? [] : [`status=${status}`]), `limit=${limit}`];
    return (isStatusFirst === 'status-first' ? parts : parts.reverse()).join('&');
  });

const byStatus = (build: (status: PetStatus, at: number) => readonly Probe[]): readonly Probe[] =>
  petStatuses.flatMap(build);

/** Listings that are compared with each other, one right after the other. */
const inSequence = (rank: number, [query, ...others]: readonly string[]): Probe => ({
  ...list(rank, () => query),
  next: () => (others.length === 0 ? [] : [inSequence(rank, others)]),
});

/** Queries for pages of a catalogue that is longer than the largest page. */
const fullPages = [
  'limit=100',
  'limit=101',
  'limit=1000',
  '',
  'limit=99',
  'limit=0',
  'limit=-1',
  'limit=',
  'limit=all',
];

/** Page sizes that interfaces often offer; services handle them specially more often than others. */
const commonLimits = [10, 50, 25, 99, 5, 21, 15, 30];

function listings(): readonly Probe[] {
  return [
    onceThereAre(1, 2, 'limit=100'),
    // There may be no sold animal yet: an empty page is an array, too.
    list(1.5, () => 'status=sold&limit=2'),
    // Of the status that most of the first animals have.
    list(1.5, (session) => {
      const [status] = petStatuses.toSorted((one, other) => countOf(session, other) - countOf(session, one));
      const hasNoneTwice = countOf(session, 'any') > 1 && countOf(session, status!) === 1;
      return hasNoneTwice ? 'limit=1' : `status=${status}&limit=1`;
    }),
    list(2, () => 'limit=1'),
    list(2.2, () => 'status=pending&limit=100'),
    list(2.2, () => 'limit=100'),
    // The default shows where there are many animals.
    {
      ...list(2.2, (session) => (countOf(session, 'any') > 9 ? 'limit=20' : undefined)),
      next: () => [inSequence(2.2, ['', 'limit=20'])],
    },
    // Whether a refused body was stored.
    list(2.55, () => ''),
    // A listing after a 404, a refused body or a wrong key, and one right after a creation, come at drawn places.
    ...['limit=100', '', 'limit=100', 'status=sold', 'status=pending&limit=100'].map((query) => list(4, () => query)),
    ...byStatus((status, at) => [
      shortPage(4, 0.6, status, at % 2 === 0 ? 'limit-first' : 'status-first'),
      shortPage(6, 0.1, status, 'status-first'),
      list(4.8, () => `status=${status}&limit=100`),
      list(5, (session) => `limit=${Math.max(1, countOf(session, status))}&status=${status}`),
    ]),
    shortPage(4, 0.4, 'any', 'limit-first'),
    shortPage(4, 0.8, 'any', 'limit-first'),
    // The whole catalogue, and the default between two pages with limit 20.
    list(4.8, () => 'limit=100'),
    // A page of the default length, or a longer one, shows what became of a limit that is not allowed.
    ...['limit=0', 'limit=abc', 'limit=1000'].map((query) => list(4.8, () => query)),
    inSequence(4.8, ['limit=20', '', 'limit=20']),
    inSequence(4.8, ['limit=20&status=available', 'status=available', 'status=available&limit=20']),
    list(5, (session) => `limit=${Math.max(1, Math.min(100, countOf(session, 'any')))}`),
    ...commonLimits.map((limit, at) => list(at < 1 ? 5 : 6, () => `limit=${limit}`)),
    list(6, () => 'limit=100'),
    ...[...fullPages, ...petStatuses.flatMap((status) => [`status=${status}&limit=100`, `status=${status}`])].map(
      (query) => list(8, () => query),
    ),
  ];
}

/** Reads and creations with parameters that are not shown. */
const withParameters: readonly Probe[] = [
  {
    rank: 7,
    request: (session) => {
      const [read] = readOf(session, knownIds(session)[0]);
      return read && { ...read, target: `${read.target}?page=2&q=%F0%9F%A6%84&sort&id=${drawUnknownId(session)}` };
    },
  },
  {
    rank: 7,
    request: (session) =>
      mayCreate(session)
        ? {
            ...createPet(plainPet(session, 'sold')),
            target: `/pets?status=pending&page=2&q=%F0%9F%A6%84&sort&id=${drawUnknownId(session)}`,
          }
        : undefined,
  },
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
    title: 'Lists all animals, by status, with limits of every size and without one',
    probes: listings,
  },
  {
    id: 'wrong-queries',
    verifies: ['list-answer', 'list-limit', 'list-limit-refused', 'list-status-refused', 'errors-listed'],
    title: 'Lists with limits and filters that are not allowed',
    probes: () =>
      Object.entries(wrongQueries).flatMap(([rank, queries]) =>
        queries.map((query) => list(Number(rank), () => query)),
      ),
  },
  {
    id: 'packed-queries',
    verifies: ['errors-listed', 'pet-id-assigned'],
    title: 'Sends many parameters at once that the interface does not show',
    probes: (session) => [
      // A firewall of a shared target may take them for an attack, so they come late there.
      ...packedQueries(session).map((parameters) => packed(session.settings.isDisposable ? 6 : 7, parameters)),
      ...withParameters,
    ],
  },
];
