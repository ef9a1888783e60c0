/**
 * The HTTP server that Pact's verifier talks to. It serves the pacts, reaches the provider states that the verifier names,
 * and sends the verifier's requests through the session, which records them for the judges. Those to a broker pass it, too.
 */

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import type { Exchange, RecordedRequest } from '../../conformance/http/exchange.ts';
import { listenLocally } from '../../conformance/http/local-server.ts';
import { headerOf } from '../../conformance/http/read-response.ts';
import { checkTarget } from '../../conformance/run/preflight.ts';
import type { Session } from '../../conformance/run/session.ts';
import { RunStopped } from '../../conformance/run/waits.ts';
import { defined } from '../../spec/defined.ts';
import type { Pact } from '../pact.ts';
import { type Attempts, createAttempts } from './attempts.ts';
import { type Broker, type BrokerRelay, createRelay } from './broker.ts';

const notReturned = /^(connection|keep-alive|transfer-encoding|content-length|content-encoding|set-cookie)$/;

/** Returns the target's answer without headers about the connection. */
function returnAnswer({ response }: Partial<Exchange>, outgoing: ServerResponse): void {
  if (response === undefined) return void outgoing.writeHead(503).end();
  // The verifier would compare no JSON under a Content-Type that a proxy repeats.
  const returned = Object.keys(response.headers).filter((name) => !notReturned.test(name));
  const headers = Object.fromEntries(returned.map((name) => [name, headerOf(response, name)]));
  outgoing.writeHead(response.status, headers).end(response.body);
}

/** The paths below which the gateway answers. */
const doorNames = ['target', 'states', 'pacts', 'broker'] as const;
type DoorName = (typeof doorNames)[number];

interface GatewayCall {
  readonly incoming: IncomingMessage;
  /** What follows the door: a path and a query, or nothing. */
  readonly rest: string;
  readonly body: string;
  readonly outgoing: ServerResponse;
}

type Door = (call: GatewayCall) => unknown;

/** The request of the verifier, as its consumer would send it to a service. */
function consumerRequest({ incoming: { method = 'GET', headers }, rest, body }: GatewayCall): RecordedRequest {
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  // The verifier asks for the path "/" without it.
  const target = rest.startsWith('/') ? rest : `/${rest}`;
  return defined({ method, target, headers: sent, body: body === '' ? undefined : body });
}

function endWithJson(outgoing: ServerResponse, text: string | undefined, status = 200): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

/** What the gateway does at each door. */
function openDoors(
  attempts: Attempts,
  pacts: readonly string[],
  relay: BrokerRelay | undefined,
  addressOf: (door: DoorName) => string,
): Readonly<Record<DoorName, Door>> {
  return {
    target: async (call) => returnAnswer((await attempts.send(consumerRequest(call)))?.exchange ?? {}, call.outgoing),
    states: async ({ body, outgoing }) =>
      endWithJson(outgoing, JSON.stringify(await attempts.begin(JSON.parse(body) as Record<string, unknown>))),
    pacts: ({ rest, outgoing }) => endWithJson(outgoing, pacts[Number(rest.slice(1))]),
    async broker({ incoming: { method = '' }, rest, body, outgoing }) {
      // A link may have led the verifier elsewhere.
      if (relay === undefined) return endWithJson(outgoing, undefined, 404);
      const { status, text } = await relay.answer(method, rest, body, addressOf('broker'));
      return endWithJson(outgoing, text, status);
    },
  };
}

/** Starts a server on a free port of this machine that passes each request to the door that its path names. */
async function startDoors(open: (addressOf: (door: DoorName) => string) => Readonly<Record<DoorName, Door>>) {
  // A secret, so that no other program on the machine can send requests with the key of the run.
  const secret = randomBytes(16).toString('hex');
  const path = new RegExp(`^/${secret}/(${doorNames.join('|')})((?:[/?].*)?)$`);
  let origin = '';
  const addressOf = (door: DoorName): string => `${origin}/${secret}/${door}`;
  const doors = open(addressOf);

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const [, door, rest = ''] = path.exec(incoming.url ?? '') ?? [];
    const body = await readText(incoming);
    if (door === undefined) return endWithJson(outgoing, undefined, 404);
    await doors[door as DoorName]({ incoming, rest, body, outgoing });
  }

  // The verifier is killed when the run is stopped.
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing).catch(() => outgoing.destroy()));
  const local = await listenLocally(server, 0);
  origin = local.origin;
  return { addressOf, close: local.close };
}

export async function startGateway(session: Session, broker?: Broker) {
  const attempts = createAttempts(session);
  const pacts: string[] = [];
  const isEnded = (): boolean => attempts.stopped() !== undefined;
  const relay = broker && createRelay(broker, session.mask.body, attempts.give, isEnded);
  const { addressOf, close } = await startDoors((address) => openDoors(attempts, pacts, relay, address));
  return {
    url: addressOf('target'),
    statesUrl: addressOf('states'),
    brokerUrl: addressOf('broker'),
    relay,
    /** Checks the target before the first interaction; a target that cannot be judged blocks them all. */
    preflight: () =>
      checkTarget(session).catch((error: unknown) => {
        if (!(error instanceof RunStopped)) throw error;
        attempts.end(error);
      }),
    /** Serves a pact, and returns its address, or none if nothing of it can be verified. */
    serve(pact: Pact): string[] {
      const text = attempts.give(pact);
      return text === undefined ? [] : [`${addressOf('pacts')}/${pacts.push(text) - 1}`];
    },
    take: attempts.take,
    stopped: attempts.stopped,
    close,
  };
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>;
