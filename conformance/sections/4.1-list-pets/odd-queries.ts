/** §4.1 Odd queries: limits of every size, unknown parameters that services trip over, and headers that clients send. */

import { petStatuses } from '../../../spec/operations.ts';
import { statusOf } from '../../http/read-response.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { readHistory } from '../../verdict/history.ts';
import { shuffle } from '../4.2-create-pet/names.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { getPet, knownIds, listPets } from '../requests.ts';

/** Page sizes that interfaces often offer; services handle them specially more often than others. */
const commonLimits = [5, 10, 25, 50, 15, 30];
/** What the other scenarios need of the budget for each limit that is tried. */
const budgetPerLimit = 6;

/** The limits that no listing has asked for, common ones first, as far as the catalogue is longer. */
function untriedLimits(session: Session): readonly number[] {
  const { known } = readHistory(session.exchanges, session.settings);
  const tried = new Set(session.exchanges.map(({ request }) => request.target));
  const others = Array.from({ length: 100 }, (_nothing, at) => at + 1).filter((limit) => !commonLimits.includes(limit));
  const all = [...commonLimits, ...shuffle(others, session.random)];
  return all.filter((limit) => limit < known.size && !tried.has(`/pets?limit=${limit}`));
}

const everyLimit: Scenario = {
  kind: 'scenario',
  id: 'every-limit',
  rank: 7,
  canRunInParallel: true,
  verifies: ['list-limit'],
  title: 'Lists with limits that were not tried yet, as many as the budget allows',
  run: async (session) => {
    const most = Math.max(commonLimits.length, Math.floor(session.budget.requestsLeft() / budgetPerLimit));
    const limits = untriedLimits(session).slice(0, most);
    await session.sendAll(
      limits.map((limit, at) => {
        const status = at % 4 === 3 ? `&status=${petStatuses[at % petStatuses.length]}` : '';
        return listPets(`limit=${limit}${status}`);
      }),
    );
  },
};

/** Unknown parameters whose names or values services trip over; the interface says nothing about them. */
const oddParameters: readonly string[] = [
  'constructor=1',
  '__proto__=1',
  'toString=x',
  'null=null',
  'name=%F0%9F%A6%84',
  'q=%00',
  'q%20=%20',
  "name='%22",
  'page[size]=2',
  'filter[status][$ne]=sold',
  'ids[]=1',
  '_=1e400',
  'offset=-99999999999999999999',
  '=x',
  'sort',
  `q=${'a'.repeat(1_500)}`,
  'caf%C3%A9=1',
  'q=%7B%22a%22:1%7D',
];
/** A packed query that fails is split at most this often. */
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

const packedQueries: Scenario = {
  kind: 'scenario',
  id: 'packed-queries',
  rank: 7,
  canRunInParallel: true,
  verifies: ['errors-listed'],
  title: 'Lists with many unknown parameters at once',
  run: (session) => sendPacked(session, shuffle(oddParameters, session.random)),
};

/** Headers that HTTP libraries and browsers add by themselves; none of them changes what is asked for. */
const clientHeaders: readonly Readonly<Record<string, string>>[] = [
  { accept: 'application/json, text/plain, */*' },
  { accept: 'application/json; charset=utf-8' },
  { accept: '*/*;q=0.8' },
  { 'content-type': 'application/json; charset=utf-8' },
  { 'cache-control': 'no-cache' },
];

const headersOfClients: Scenario = {
  kind: 'scenario',
  id: 'headers-of-clients',
  rank: 5,
  canRunInParallel: true,
  verifies: ['list-answer', 'get-answer'],
  title: 'Lists and gets with the Accept, Content-Type and Cache-Control headers that clients add',
  run: async (session) => {
    const [id] = knownIds(session);
    const requests: readonly PlannedRequest[] = [
      listPets('limit=3'),
      ...(id === undefined || isRemoved(session) ? [] : [getPet(id)]),
    ];
    await session.sendAll(clientHeaders.map((headers, at) => ({ ...requests[at % requests.length]!, headers })));
  },
};

export const oddQueryScenarios: readonly Scenario[] = [headersOfClients, packedQueries, everyLimit];
