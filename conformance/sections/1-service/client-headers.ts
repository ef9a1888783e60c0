/** §1 The headers that clients add by themselves, with every operation and its parameters. */

import { petStatuses } from '../../../spec/operations.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Scenario } from '../../run/scenario.ts';
import { createOrConfirm, mayCreate } from '../4.2-create-pet/creations.ts';
import { createPet, knownIds, listPets, plainPet, readOf } from '../requests.ts';

type Headers = Readonly<Record<string, string>>;

/** Values of Accept that HTTP libraries send by themselves. */
const commonAccepts: readonly Headers[] = [
  { accept: 'application/json, text/plain, */*' },
  { accept: 'application/json; charset=utf-8' },
  // What curl and many libraries send where nobody names a media type.
  { accept: '*/*' },
];

/** Headers of browsers, caches, proxies and tracing; the conditions do not hold. */
const furtherSets: readonly Headers[] = [
  {
    'accept-language': 'de-CH, fr;q=0.9, *;q=0.1',
    cookie: 'theme=dark; visits=3',
    'x-request-id': '6f2c8f5e-7d0b-4c39-9a57-2f8f3f8b2a11',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    'cache-control': 'no-cache',
  },
  {
    'if-none-match': '"no-such-version"',
    'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT',
    'x-requested-with': 'XMLHttpRequest',
    dnt: '1',
    pragma: 'no-cache',
  },
];

const typed: Headers = { 'content-type': 'application/json; charset=utf-8' };

/** What clients add by themselves, and everything at once, which goes with a read. None of it changes what is asked for. */
const commonHeaders: readonly Headers[] = [...commonAccepts, Object.assign({}, typed, ...furtherSets), typed];

const furtherHeaders: readonly Headers[] = [
  ...commonAccepts,
  { accept: 'application/*' },
  { accept: 'Application/JSON' },
  { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8' },
  ...furtherSets,
];

export const headerScenarios: readonly Scenario[] = [
  {
    id: 'headers-of-clients',
    rank: 5,
    canRunInParallel: true,
    verifies: ['list-answer', 'get-answer'],
    title: 'Lists and gets with the headers that clients add, such as Accept, cookies, and conditions that do not hold',
    run: async (session) => {
      const [id] = knownIds(session);
      const requests: readonly PlannedRequest[] = [listPets('limit=3'), ...readOf(session, id)];
      await session.sendAll(commonHeaders.map((headers, at) => ({ ...requests[at % requests.length]!, headers })));
    },
  },
  {
    id: 'headers-of-every-operation',
    rank: 7,
    verifies: ['list-answer', 'get-answer', 'create-answer'],
    title: 'Sends every operation, with and without parameters, with further headers of clients',
    run: async (session) => {
      const [id] = knownIds(session);
      const reads = (at: number): readonly PlannedRequest[] => [
        listPets(`status=${petStatuses[at % petStatuses.length]}&limit=2`),
        ...readOf(session, id),
      ];
      await session.sendAll([
        ...furtherHeaders.flatMap((headers, at) =>
          reads(at).flatMap((request, which) => (which === at % 2 ? [{ ...request, headers }] : [])),
        ),
        ...reads(0).map((request) => ({ ...request, headers: { 'content-type': 'application/json' } })),
      ]);
      for (const headers of furtherHeaders) {
        if (mayCreate(session)) await createOrConfirm(session, () => ({ ...createPet(plainPet(session)), headers }));
      }
    },
  },
];
