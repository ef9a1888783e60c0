/** §5 Requests without a key that a service or a cache may answer by mistake: what it has just answered to the key. */

import { defined } from '../../../spec/defined.ts';
import { noKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { isJsonObject, readJson } from '../../http/json.ts';
import { statusOf } from '../../http/read-response.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { nameTag } from '../../verdict/names.ts';
import { createdIds } from '../4.2-create-pet/creations.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { shuffle } from '../orders.ts';
import { createPet, getPet, idsIn, listPets, plainPet, readOf } from '../requests.ts';

/** Sends a request with the key, and at once the same without it: a cache that ignores keys answers with its copy. */
async function sendWithAndWithoutKey(session: Session, request: PlannedRequest): Promise<void> {
  await session.send(request);
  await session.send({ ...request, credential: noKey });
}

/** What distinguishes the requests of one operation: the query, or the media type and the fields of the body. */
function kindOf({ operation, request: { target, headers, body } }: Exchange): string {
  const reading = readJson(body ?? '{}');
  const fields = 'value' in reading && isJsonObject(reading.value) ? reading.value : {};
  return operation === 'createPet' ? `${headers['content-type']} ${fields['status']} ${Object.keys(fields)}` : target;
}

/** So many requests of an operation that were served are repeated without the key. */
const mostRepeated: Readonly<Record<Exchange['operation'], number>> = {
  listPets: 10,
  createPet: 5,
  getPet: 3,
  other: 0,
};

/** Requests that the key was served, each of another kind, in random order. */
function servedRequests({ exchanges, random }: Session): readonly Exchange[] {
  const served = exchanges.filter((exchange) => {
    const status = statusOf(exchange);
    return exchange.credential.kind === 'valid' && (status === 200 || status === 201);
  });
  const byOperation = Map.groupBy(shuffle(served, random), ({ operation }) => operation);
  return [...byOperation].flatMap(([operation, alike]) =>
    [...new Map(alike.map((exchange) => [kindOf(exchange), exchange])).values()].slice(0, mostRepeated[operation]),
  );
}

/** All headers by which careless services trust a request: of a proxy, of a health check, and of a page of the service itself. */
function trustedHeaders({ settings }: Session): Readonly<Record<string, string>> {
  return {
    'x-forwarded-for': '127.0.0.1',
    'x-real-ip': '127.0.0.1',
    forwarded: 'for=127.0.0.1',
    'user-agent': 'kube-probe/1.31',
    accept: 'text/html,application/json;q=0.9,*/*;q=0.8',
    referer: `${new URL(settings.baseUrl).origin}/`,
    'x-requested-with': 'XMLHttpRequest',
  };
}

export const publicCornerScenarios: readonly Scenario[] = [
  {
    id: 'public-corners',
    rank: 5,
    verifies: ['auth-missing-key'],
    title: 'Repeats short, filtered and plain listings and the read of a new animal without the key',
    run: async (session) => {
      for (const query of ['limit=1', 'status=available&limit=2', 'status=sold', '']) {
        await sendWithAndWithoutKey(session, listPets(query));
      }
      if (session.settings.isReadOnly || isRemoved(session)) return;
      const [id] = idsIn(await session.send(createPet(plainPet(session))));
      if (id !== undefined) await sendWithAndWithoutKey(session, getPet(id));
    },
  },
  {
    id: 'every-corner',
    rank: 7,
    verifies: ['auth-missing-key', 'auth-refused-stores-nothing'],
    title: 'Repeats requests of many kinds, which the key was served, without the key',
    run: async (session) => {
      session.budget.check('cannot-create');
      await session.sendAll(
        servedRequests(session).map(({ operation, request: { method, target, headers, body } }) =>
          defined({
            operation,
            method,
            target,
            contentType: headers['content-type'],
            body: body?.replace(nameTag, () => session.newName()),
            credential: noKey,
          }),
        ),
      );
    },
  },
  {
    id: 'trusted-without-key',
    rank: 7,
    verifies: ['auth-missing-key', 'auth-refused-stores-nothing'],
    title: 'Sends every operation without the key, with headers of proxies, health checks and web pages',
    run: async (session) => {
      const [id] = createdIds(session);
      const requests: readonly PlannedRequest[] = [
        listPets('limit=2'),
        ...(session.settings.isReadOnly ? [] : [createPet(plainPet(session))]),
        ...readOf(session, id),
      ];
      const headers = trustedHeaders(session);
      await session.sendAll(requests.map((request) => ({ ...request, headers, credential: noKey })));
    },
  },
];
