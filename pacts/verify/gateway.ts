/**
 * The HTTP server that Pact's verifier talks to. It serves the pacts, reaches the provider states that the verifier names,
 * and sends the verifier's requests through the session, which records and judges them as requests of a run.
 */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Exchange } from '../../conformance/http/exchange.ts';
import { isPetStatus } from '../../conformance/http/read-request.ts';
import { headerOf } from '../../conformance/http/read-response.ts';
import type { Session } from '../../conformance/run/session.ts';
import { petStatuses } from '../../spec/operations.ts';
import { type Fields, fieldsOf, type Pact, type PactInteraction, type State, writePact } from '../pact.ts';
import { providerStates } from '../states.ts';
import { type Attempts, createAttempts } from './attempts.ts';
import { claimsOf } from './claims.ts';
import { forward } from './forward.ts';
import { createStates, createsAnimals, NotVerifiable, type States } from './states.ts';

const largestRequest = 1024 * 1024;

async function readAll(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestRequest) throw new NotVerifiable(`its request has more than ${largestRequest} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** On a shorter page, one more animal may leave no room for the matching one if the limit applies before the filter. */
const shortestPage = 3;

/**
 * The states that a listing by status needs in place of a state that creates animals: one with that status, since version 2
 * has no parameters to name it, after an animal of another status, which a provider without a filter would list.
 */
function statesFor(state: State, interaction: PactInteraction): readonly [needed: State, unmatched?: State] {
  const { operation, query, status: expected } = claimsOf(interaction);
  const [status] = query.get('status') ?? [];
  if (!createsAnimals(state) || operation !== 'listPets' || expected !== 200 || !isPetStatus(status)) return [state];
  const needed = { ...state, params: { status, ...state.params } };
  if (!(Number(query.get('limit')?.[0] ?? shortestPage) >= shortestPage)) return [needed];
  const other = petStatuses.find((one) => one !== status);
  return [needed, { name: providerStates.animalExists.name, params: { status: other } }];
}

/** Handles a state change: the verifier posts `setup` before a request and `teardown` after it. Returns injected values. */
async function changeState(states: States, attempts: Attempts, text: string): Promise<Fields> {
  const { action, state: name, params } = JSON.parse(text) as Fields;
  if (action !== 'setup') {
    attempts.end();
    return {};
  }
  const attempt = attempts.current();
  if (attempt === undefined || typeof name !== 'string' || name === '') return {};
  const [needed, unmatched] = statesFor({ name, params: fieldsOf(params) }, attempt.interaction);
  if (unmatched !== undefined) await attempts.work(attempt, () => states.enter(unmatched));
  const entered = await attempts.work(attempt, () => states.enter(needed, attempt.states));
  attempt.states.push(needed);
  if (entered === undefined) return attempt.values;
  attempt.exchanges.push(...entered.exchanges.filter((number) => !attempt.exchanges.includes(number)));
  attempt.values = { ...attempt.values, ...entered.values };
  attempt.credential = entered.credential ?? attempt.credential;
  attempt.animals += entered.animals ?? 0;
  return attempt.values;
}

/** Sends one request of the verifier; undefined if something blocks it. */
async function ask(session: Session, attempts: Attempts, incoming: IncomingMessage, target: string) {
  const attempt = attempts.current();
  if (attempt === undefined) return undefined;
  return attempts.work(attempt, async () => {
    // A second request follows a redirect, which the consumer did not record.
    if (attempt.isSent) throw new NotVerifiable('its request was sent more than once');
    attempt.isSent = true;
    const { method = 'GET', headers } = incoming;
    return forward(session, attempt, { method, target, headers, body: await readAll(incoming) });
  });
}

const notReturned = /^(connection|keep-alive|transfer-encoding|content-length|content-encoding|set-cookie)$/;

/**
 * Returns the target's answer, without headers about the connection and without the address of a redirect. A header that a
 * proxy repeats is returned once, since the verifier would compare no JSON under a repeated Content-Type.
 */
function returnAnswer({ response }: Partial<Exchange>, outgoing: ServerResponse): void {
  if (response === undefined) return void outgoing.writeHead(503).end();
  const { status, headers, body } = response;
  const isRedirect = status >= 300 && status < 400;
  const returned = Object.entries(headers).filter(
    ([name, value]) =>
      !notReturned.test(name) && !(isRedirect && name === 'location') && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
  );
  outgoing.writeHead(status, Object.fromEntries(returned.map(([name]) => [name, headerOf(response, name)]))).end(body);
}

/** Answers a request below one of the paths of the gateway; `path` is the rest of its address. */
type Door = (incoming: IncomingMessage, outgoing: ServerResponse, path: string) => Promise<void> | void;

/** The answer of a further door: its status and its JSON. */
export interface RelayedAnswer {
  readonly status: number;
  readonly text: string;
}

/** Answers the verifier in the place of a broker; `here` is the address at which the verifier knows it. */
export type Relay = (method: string, path: string, body: string, here: string) => Promise<RelayedAnswer>;

export interface GatewayOptions {
  /** Whether interactions are given to the verifier although an option of the user keeps them from being verified. */
  readonly requiresAll?: boolean;
  readonly relay?: (give: (pact: Pact) => string | undefined, attempts: Attempts) => Relay;
}

export async function startGateway(session: Session, { requiresAll = false, relay }: GatewayOptions = {}) {
  const attempts = createAttempts(session, requiresAll);
  const states = createStates(session);
  const pacts: string[] = [];
  let origin = '';

  /** The text of a pact for the verifier; undefined if nothing of it can be verified. */
  function give(pact: Pact): string | undefined {
    const interactions = attempts.give(pact);
    return interactions.length === 0 ? undefined : writePact(pact, interactions);
  }
  const relayed = relay?.(give, attempts);
  const send = ({ status, text }: RelayedAnswer, outgoing: ServerResponse): void =>
    void outgoing.writeHead(status, { 'content-type': 'application/json' }).end(text);

  const doors = {
    target: async (incoming, outgoing, path) =>
      returnAnswer((await ask(session, attempts, incoming, path)) ?? {}, outgoing),
    states: async (incoming, outgoing) => {
      const values = await changeState(states, attempts, await readAll(incoming));
      send({ status: 200, text: JSON.stringify(values) }, outgoing);
    },
    pacts: (_incoming, outgoing, path) => send({ status: 200, text: pacts[Number(path.slice(1))] ?? '' }, outgoing),
    broker: async (incoming, outgoing, path) => {
      const { method = 'GET' } = incoming;
      send(await relayed!(method, path, await readAll(incoming), addressOf('broker')), outgoing);
    },
  } as const satisfies Record<string, Door>;
  // Secrets, so that no other program on the machine can send requests with the key of the run.
  const paths = new Map(
    Object.keys(doors).map((name) => [`/${randomBytes(16).toString('hex')}`, name as keyof typeof doors]),
  );

  function addressOf(door: keyof typeof doors): string {
    return origin + [...paths].find(([, name]) => name === door)![0];
  }

  const server = createServer(async (incoming, outgoing) => {
    const [, path = '', rest = ''] = /^(\/[^/?]*)(.*)$/.exec(incoming.url ?? '') ?? [];
    const door = paths.get(path);
    // The verifier may have been led elsewhere.
    if (door === undefined || (door === 'target' && !rest.startsWith('/'))) return void outgoing.writeHead(404).end();
    try {
      await doors[door](incoming, outgoing, rest);
    } catch (error) {
      const attempt = attempts.current();
      if (attempt !== undefined) attempt.failure = String(error);
      outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(500).end();
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: addressOf('target'),
    statesUrl: addressOf('states'),
    brokerUrl: addressOf('broker'),
    /** Serves a pact, and returns its address; undefined if nothing of it can be verified. */
    serve(pact: Pact): string | undefined {
      const text = give(pact);
      return text === undefined ? undefined : `${addressOf('pacts')}/${pacts.push(text) - 1}`;
    },
    take: attempts.take,
    stopped: attempts.stopped,
    close: (): Promise<void> => {
      server.closeAllConnections();
      return server[Symbol.asyncDispose]();
    },
  };
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>;
