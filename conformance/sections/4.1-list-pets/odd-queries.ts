/** §4.1 Odd queries: limits of every size, and parameters and values that services trip over. */

import { petStatuses } from '../../../spec/operations.ts';
import { statusOf } from '../../http/read-response.ts';
import type { Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { waitToSettle } from '../../run/settling.ts';
import { readHistory } from '../../verdict/history.ts';
import { mayCreate } from '../4.2-create-pet/creations.ts';
import { shuffle } from '../orders.ts';
import { createPet, drawUnknownId, knownIds, listPets, plainPet, readOf } from '../requests.ts';
import { oddCharacters, strangeTexts, words } from '../strange-texts.ts';

/** Page sizes that interfaces often offer; services handle them specially more often than others. */
const commonLimits = [5, 10, 25, 50, 15, 30];
/** The share of the requests left that goes to limits: with the budget of a disposable target, all of them are tried. */
const shareForLimits = 0.37;

/** The limits that no page has filled yet, common ones first, as far as the catalogue is longer. */
function untriedLimits(session: Session): readonly number[] {
  const { known, pages } = readHistory(session.exchanges, session.settings);
  const tried = new Set(pages.map(({ exchange, entries }) => `${exchange.request.target} ${entries.length}`));
  const others = Array.from({ length: 100 }, (_nothing, at) => at + 1).filter((limit) => !commonLimits.includes(limit));
  const all = [...commonLimits, ...shuffle(others, session.random)];
  return all.filter((limit) => limit < known.size && !tried.has(`/pets?limit=${limit} ${limit}`));
}

/** Names of parameters that interfaces often have; this one says nothing about them. */
const parameterNames: readonly string[] = words(
  'page offset cursor sort order q name id categoryId fields include after before per_page size start',
  'from since date lang filter search tags type category where group_by expand v _',
);

/** Whole parameters whose names or form services trip over. */
const oddParameters: readonly string[] = [
  ...words(
    'constructor=1 __proto__=1 toString=x null=null q%20=%20 page[size]=2 filter[status][$ne]=sold',
    'ids[]=1 ids[]=2 =x =',
  ),
  '',
  ...words('sort caf%C3%A9=1 %F0%9F%A6%84=1 a.b=1 $where=1 tag=1 tag=1 a+b=c+d x;y=1;z'),
  `${'n'.repeat(200)}=1`,
  `q=${'a'.repeat(1_500)}`,
];

/** Parameters that some readers take for a listed one. They have a listing of their own, since it may be refused. */
const almostListed: readonly string[] = words(
  'limit[]=1 status[]=sold status[$ne]=sold LIMIT=1 Status=sold limit%20=1 limit.max=1 statuses=sold',
);

/** Values of limit and of status that are not allowed, and that a careless service fails on. */
const oddLimits: readonly string[] = [
  ...[...words('00 007 -0 1e400 NaN Infinity null constructor 0x10 1_0'), '5 ', ' 5', '+5', '5abc', '\u0663', '[]'],
  ...['2147483648', '4294967297', '9007199254740993', '18446744073709551616', '-2147483649', '9'.repeat(60)],
  ...[`-${'9'.repeat(60)}`, '0.5', '\u0000', '\n', oddCharacters, 'x'.repeat(300), '1000', '10000'],
];
const oddStatuses: readonly string[] = [
  ...['null', 'undefined', 'true', '0', '1', '-1', 'NaN', 'constructor', '__proto__', 'toString', 'length', '[]', '{}'],
  ...['sold,pending', 'sold|pending', ' sold', 'soId', '*', '%', '_', "sold' or '1'='1", '9'.repeat(60), '\u0000'],
  ...['\n', oddCharacters, 'x'.repeat(300)],
];

/** Every common name and every strange text once, in listings of a size that every service reads. */
function packedQueries(session: Session): readonly (readonly string[])[] {
  const names = shuffle(parameterNames, session.random);
  const texts = shuffle(strangeTexts, session.random);
  const pairs = texts.map(
    (text, at) => `${names[at % names.length]}${at < names.length ? '' : at}=${encodeURIComponent(text)}`,
  );
  const third = Math.ceil(pairs.length / 3);
  return [
    shuffle(oddParameters, session.random),
    almostListed,
    ...[0, 1, 2].map((part) => pairs.slice(part * third, (part + 1) * third)),
  ];
}
const mostSplits = 5;

/** Sends many parameters at once; where the service fails, halves them until one that fails stands alone. */
async function sendPacked(session: Session, parameters: readonly string[]): Promise<void> {
  let left = parameters;
  for (let split = 0; split <= mostSplits; split += 1) {
    const exchange = await session.send(listPets(['limit=2', ...left].join('&')));
    if ((statusOf(exchange) ?? 0) < 500 || left.length === 1) return;
    const half = left.slice(0, Math.ceil(left.length / 2));
    const first = await session.send(listPets(['limit=2', ...half].join('&')));
    left = (statusOf(first) ?? 0) >= 500 ? half : left.slice(half.length);
    if (left === half && half.length === 1) return;
  }
}

async function sendEveryPacked(session: Session): Promise<void> {
  for (const parameters of packedQueries(session)) await sendPacked(session, parameters);
}

export const oddQueryScenarios: readonly Scenario[] = [
  {
    id: 'packed-queries',
    rank: 6,
    canRunInParallel: true,
    verifies: ['errors-listed'],
    title: 'Lists with many unknown parameters at once',
    run: async (session) => {
      if (session.settings.isDisposable) await sendEveryPacked(session);
    },
  },
  {
    id: 'odd-limits-and-filters',
    rank: 7,
    canRunInParallel: true,
    verifies: ['errors-listed', 'list-limit-refused', 'list-status-refused', 'pet-id-assigned'],
    title: 'Lists with strange limits and filters, and reads and creates with parameters that are not shown',
    run: async (session) => {
      // A firewall of a shared target may take them for an attack, so they come late there.
      if (!session.settings.isDisposable) await sendEveryPacked(session);
      const [id] = knownIds(session);
      const query = `page=2&q=%F0%9F%A6%84&sort&id=${drawUnknownId(session)}`;
      await session.sendAll([
        ...readOf(session, id).map((read) => ({ ...read, target: `${read.target}?${query}` })),
        ...(mayCreate(session)
          ? [{ ...createPet(plainPet(session, 'sold')), target: `/pets?status=pending&${query}` }]
          : []),
        ...oddLimits.map((limit) => listPets(`limit=${encodeURIComponent(limit)}`)),
        listPets(`limit=${102 + Math.floor(session.random() * 890)}`),
        ...oddStatuses.map((status) => listPets(`limit=2&status=${encodeURIComponent(status)}`)),
      ]);
    },
  },
  {
    id: 'every-limit',
    rank: 7,
    canRunInParallel: true,
    verifies: ['list-limit'],
    title: 'Lists with limits that were not tried yet, as many as the budget allows',
    run: async (session) => {
      session.budget.check('cannot-create');
      const most = Math.max(commonLimits.length, Math.floor(session.budget.requestsLeft() * shareForLimits));
      const limits = untriedLimits(session).slice(0, most);
      const pets = [...readHistory(session.exchanges, session.settings).known.values()];
      await session.sendAll(
        limits.map((limit, at) => {
          const status = petStatuses[at % petStatuses.length];
          // A filtered page shows the limit only if more animals match.
          const isFiltered = at % 2 === 1 && pets.filter((pet) => pet.status === status).length > limit;
          return listPets(`limit=${limit}${isFiltered ? `&status=${status}` : ''}`);
        }),
      );
    },
  },
  // Pages of a catalogue that is longer than the largest page.
  {
    id: 'full-pages',
    rank: 8,
    verifies: ['list-limit', 'list-limit-default', 'list-complete', 'list-status-filter'],
    title: 'Lists a long catalogue with the largest limits, beyond them, and without one',
    run: async (session) => {
      await waitToSettle(session);
      const queries = [
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
      const byStatus = petStatuses.flatMap((status) => [`status=${status}&limit=100`, `status=${status}`]);
      await session.sendAll([...queries, ...byStatus].map((query) => listPets(query)));
    },
  },
];
