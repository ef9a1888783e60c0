/**
 * The HTTP server between Pact's verifier and the target. It reaches the provider states that the verifier names, and
 * sends the verifier's requests through the session, which records and judges them as requests of a run.
 */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Exchange } from '../../conformance/http/exchange.ts';
import { headerOf, idsShownIn, statusOf } from '../../conformance/http/read-response.ts';
import type { Session } from '../../conformance/run/session.ts';
import { waitToSettle } from '../../conformance/run/settling.ts';
import { type Fields, fieldsOf, type PactInteraction, type State } from '../pact.ts';
import { type Attempts, createAttempts } from './attempts.ts';
import { createEnteredStates, type EnteredStates } from './entered-states.ts';
import { forward } from './forward.ts';
import { unmatchedState, withStatus } from './needed-states.ts';
import { NotVerifiable } from './reached.ts';

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

/** Handles a state change: the verifier posts `setup` before a request and `teardown` after it. Returns injected values. */
async function changeState(states: EnteredStates, attempts: Attempts, text: string): Promise<Fields> {
  const { action, state, params } = JSON.parse(text) as Fields;
  if (action !== 'setup') {
    const last = attempts.last();
    if (last !== undefined) last.isOver = true;
    return {};
  }
  const attempt = attempts.current();
  if (typeof state !== 'string' || state === '') return {};
  const given = withStatus({ name: state, params: fieldsOf(params) }, attempt.expected);
  const unmatched = unmatchedState(given, attempt.expected);
  if (unmatched !== undefined) await attempts.workAhead(() => states.enter(unmatched, []));
  const reached = await attempts.work(attempt, () => states.enter(given, attempt.states));
  attempt.states.push(given);
  attempt.exchanges.push(...(reached?.exchanges ?? []).filter((number) => !attempt.exchanges.includes(number)));
  attempt.values = { ...attempt.values, ...reached?.values };
  attempt.credential = reached?.credential ?? attempt.credential;
  return attempt.values;
}

/** Sends one request of the verifier; undefined if something blocks it. */
async function ask(
  session: Session,
  attempts: Attempts,
  incoming: IncomingMessage,
  target: string,
): Promise<Exchange | undefined> {
  const attempt = attempts.current();
  return attempts.work(attempt, async () => {
    // A second request follows a redirect, which the consumer did not record.
    if (attempt.isSent) throw new NotVerifiable('its request was sent more than once');
    attempt.isSent = true;
    const { method = 'GET', headers } = incoming;
    const consumer = { method, target, headers, body: await readAll(incoming) };
    return forward(session, attempt, consumer);
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
  const returned = Object.entries(headers)
    .filter(
      ([name, value]) =>
        !notReturned.test(name) && !(isRedirect && name === 'location') && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
    )
    .map(([name]) => [name, headerOf(response, name)]);
  outgoing.writeHead(status, Object.fromEntries(returned)).end(body);
}

async function renewStates(
  session: Session,
  states: EnteredStates,
  { workAhead }: Attempts,
  interactions: readonly PactInteraction[],
): Promise<void> {
  states.forget();
  for (const interaction of interactions) {
    const before: State[] = [];
    for (const named of interaction.states) {
      const state = withStatus(named, interaction);
      await workAhead(() => states.enter(state, before));
      before.push(state);
    }
  }
  await workAhead(() => waitToSettle(session));
}

/** Whether the last exchange is a read without an animal, or a page without one that an exchange before it created. */
function lacksAnimal(exchanges: readonly Exchange[]): boolean {
  const last = exchanges.at(-1);
  if (last?.request.method !== 'GET') return false;
  if (last.operation === 'getPet') return statusOf(last) === 404;
  const created = exchanges.filter((exchange) => statusOf(exchange) === 201).flatMap(idsShownIn);
  const listed = new Set(idsShownIn(last));
  return statusOf(last) === 200 && created.some((id) => !listed.has(id));
}

function secretPath(): string {
  return `/${randomBytes(16).toString('hex')}`;
}

export async function startGateway(session: Session) {
  const attempts = createAttempts(session);
  const states = createEnteredStates(session);
  const [pathOfTarget, pathOfStates] = [secretPath(), secretPath()];

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { url = '' } = incoming;
    if (url === pathOfStates) {
      const values = await changeState(states, attempts, await readAll(incoming));
      return void outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(values));
    }
    if (!url.startsWith(`${pathOfTarget}/`)) return void outgoing.writeHead(404).end();
    const target = url.slice(pathOfTarget.length);
    returnAnswer((await ask(session, attempts, incoming, target)) ?? {}, outgoing);
  }

  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((error: unknown) => {
      const attempt = attempts.last();
      if (attempt !== undefined) attempt.failure = String(error);
      outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(500).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    /** Contains a secret, so that no other program on the machine can send requests with the key of the run. */
    url: origin + pathOfTarget,
    statesUrl: origin + pathOfStates,
    expect: attempts.expect,
    take: attempts.take,
    stopped: attempts.stopped,
    /** Reaches the states of interactions again, ahead of them, and waits until the created animals must be visible. */
    renew: (interactions: readonly PactInteraction[]): Promise<void> =>
      renewStates(session, states, attempts, interactions),
    /** Waits until the animals created so far are so old, milliseconds. */
    wait: (ageMs: number): Promise<void> => attempts.workAhead(() => waitToSettle(session, ageMs)),
    /** Whether the last of some exchanges may lack an animal only since it came too early. */
    mayBeEarly: (numbers: readonly number[]): boolean =>
      lacksAnimal(numbers.map((number) => session.exchanges[number - 1]!)),
    close: (): Promise<void> => {
      server.closeAllConnections();
      return server[Symbol.asyncDispose]();
    },
  };
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>;
