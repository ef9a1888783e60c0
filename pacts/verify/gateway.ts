/**
 * The HTTP server that Pact's verifier talks to. It serves the pacts, reaches the provider states that the verifier names,
 * and sends the verifier's requests through the session, which records them for the judges. Those to a broker pass it, too.
 */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { Exchange } from '../../conformance/http/exchange.ts';
import { isPetStatus, pageSize, readListing } from '../../conformance/http/read-request.ts';
import { headerOf } from '../../conformance/http/read-response.ts';
import { RunStopped } from '../../conformance/run/pace.ts';
import { checkTarget } from '../../conformance/run/preflight.ts';
import type { Session } from '../../conformance/run/session.ts';
import { defined } from '../../spec/defined.ts';
import { type Pact, type PactFields, type State, writePact } from '../pact.ts';
import { providerStates } from '../states.ts';
import { createAttempt, createsAnimals, type VerifyAttempt } from './attempt.ts';
import { type Broker, createRelay } from './broker.ts';
import { forward } from './forward.ts';
import { createStates } from './states.ts';

const notReturned = /^(connection|keep-alive|transfer-encoding|content-length|content-encoding|set-cookie)$/;

/** Returns the target's answer without headers about the connection. */
function returnAnswer({ response }: Partial<Exchange>, outgoing: ServerResponse): void {
  if (response === undefined) return void outgoing.writeHead(503).end();
  // The verifier would compare no JSON under a Content-Type that a proxy repeats.
  const returned = Object.keys(response.headers).filter((name) => !notReturned.test(name));
  const headers = Object.fromEntries(returned.map((name) => [name, headerOf(response, name)]));
  outgoing.writeHead(response.status, headers).end(response.body);
}

export async function startGateway(session: Session, broker?: Broker) {
  const reachOnce = createStates();
  const pacts: string[] = [];
  let attempts: readonly VerifyAttempt[] = [];
  /** The attempts whose state the verifier has posted, in its order: it gives each of them a result. */
  let named: VerifyAttempt[] = [];
  let ended: RunStopped | undefined;

  /**
   * The text of a pact for the verifier, without blocked interactions; undefined if none can be verified. The one state
   * of each interaction names it, since the verifier skips pacts that it cannot load.
   */
  function give(pact: Pact): string | undefined {
    const added = pact.interactions.map((one) => createAttempt(session, pact, one));
    attempts = [...attempts, ...added];
    const given = added
      .filter(({ blockedBy }) => blockedBy === undefined)
      .map(({ name, interaction }) => ({ ...interaction.exact, providerStates: [{ name }] }));
    return given.length === 0 ? undefined : writePact(pact, given);
  }
  const relay = broker && createRelay(broker, session.mask.body, give, () => ended !== undefined);

  /** Runs a task for an attempt, unless it is blocked. An error is noted as what blocks the attempt, and does not reject. */
  async function work<Result>(
    attempt: VerifyAttempt,
    task: (own: Session) => Promise<Result>,
  ): Promise<Result | undefined> {
    attempt.blockedBy ??= ended?.message;
    if (attempt.blockedBy !== undefined) return undefined;
    const before = session.exchanges.length;
    try {
      return await task(session.forCheck(session.mask.text(attempt.pact.consumer)));
    } catch (error) {
      if (error instanceof RunStopped) ended = error;
      attempt.blockedBy = error instanceof Error ? error.message : String(error);
      return undefined;
    } finally {
      attempt.exchanges.push(...session.exchanges.slice(before).map(({ number }) => number));
    }
  }

  /**
   * Reaches a state for an attempt. A listing by status needs an animal of that status, which version 2 has no parameters to
   * name, and one of another status, which a provider without a filter would list. Both need room on a page of three, since
   * the limit may come before the filter.
   */
  async function reach(attempt: VerifyAttempt, { name, params }: State): Promise<void> {
    const { operation, request } = attempt.interaction;
    const listing = readListing({ request: { ...request, headers: {} } });
    const isByStatus = operation === 'listPets' && createsAnimals(name) && isPetStatus(listing.status);
    if (isByStatus && pageSize(listing) >= 3) {
      const status = listing.status === 'sold' ? 'available' : 'sold';
      await work(attempt, (own) => reachOnce(own, { name: providerStates.animalExists, params: { status } }));
    }
    const all = isByStatus ? { status: listing.status, ...params } : params;
    const { animals = 0, ...reached } = (await work(attempt, (own) => reachOnce(own, { name, params: all }))) ?? {};
    Object.assign(attempt, reached, { values: { ...attempt.values, ...reached.values } });
    attempt.animals += animals;
  }

  /** The verifier posts the state that names an interaction before its request. Returns the values that its states inject. */
  async function begin({ action, state }: PactFields): Promise<PactFields> {
    const attempt = action === 'setup' ? attempts.find(({ name }) => name === state) : undefined;
    if (attempt === undefined) return {};
    named.push(attempt);
    for (const one of attempt.interaction.states) await reach(attempt, one);
    return attempt.values;
  }

  /** Sends the request of the verifier; undefined if something blocks it. */
  async function send({ method = 'GET', headers }: IncomingMessage, target: string, body: string) {
    const attempt = named.at(-1);
    if (attempt === undefined) return undefined;
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    const asked = defined({ method, target, headers: sent, body: body === '' ? undefined : body });
    attempt.asked = asked;
    return work(attempt, async (own) => {
      attempt.exchange = await forward(own, attempt, asked);
      return attempt.exchange;
    });
  }

  // A secret, so that no other program on the machine can send requests with the key of the run.
  const secret = randomBytes(16).toString('hex');
  let origin = '';
  const addressOf = (door: 'target' | 'states' | 'pacts' | 'broker'): string => `${origin}/${secret}/${door}`;

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<unknown> {
    const [, door, rest = ''] = new RegExp(`^/${secret}/(\\w+)(.*)$`).exec(incoming.url ?? '') ?? [];
    const body = await readText(incoming);
    if (door === 'target' && rest.startsWith('/'))
      return returnAnswer((await send(incoming, rest, body)) ?? {}, outgoing);
    outgoing.setHeader('content-type', 'application/json');
    if (door === 'states') return outgoing.end(JSON.stringify(await begin(JSON.parse(body))));
    if (door === 'pacts') return outgoing.end(pacts[Number(rest.slice(1))]);
    // A link may have led the verifier elsewhere.
    if (door !== 'broker' || relay === undefined) return outgoing.writeHead(404).end();
    const { status, text } = await relay.answer(incoming.method ?? '', rest, body, addressOf('broker'));
    return outgoing.writeHead(status).end(text);
  }

  // The verifier is killed when the run is stopped.
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing).catch(() => outgoing.destroy()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: addressOf('target'),
    statesUrl: addressOf('states'),
    brokerUrl: addressOf('broker'),
    relay,
    /** Checks the target before the first interaction; a target that cannot be judged blocks them all. */
    preflight: () =>
      checkTarget(session).catch((error: unknown) => {
        if (!(error instanceof RunStopped)) throw error;
        ended = error;
      }),
    /** Serves a pact, and returns its address, or none if nothing of it can be verified. */
    serve(pact: Pact): string[] {
      const text = give(pact);
      return text === undefined ? [] : [`${addressOf('pacts')}/${pacts.push(text) - 1}`];
    },
    /** Returns the interactions so far, and those of them that the verifier named, and starts over. */
    take() {
      const taken = { attempts, named };
      [attempts, named] = [[], []];
      return taken;
    },
    /** The reason why the run ended; undefined while it goes on. */
    stopped: () => ended,
    close: (): Promise<void> => {
      server.closeAllConnections();
      return server[Symbol.asyncDispose]();
    },
  };
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>;
