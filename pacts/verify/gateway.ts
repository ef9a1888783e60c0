/**
 * Stands between the verifier and the target: reaches provider states, puts the key in, and sends within the budget
 * and at the pace of a run, so that every exchange is recorded and judged.
 */

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BudgetSpent } from '../../conformance/engine/budget.ts';
import { noKey, type SentCredential, validKey } from '../../conformance/engine/credentials.ts';
import type { Exchange, Operation } from '../../conformance/engine/exchange.ts';
import { readNewPet } from '../../conformance/engine/read-request.ts';
import { type PlannedRequest, RunStopped, type Session } from '../../conformance/engine/session.ts';
import { type Fields, isFields, type PactInteraction, withoutBase } from '../pact.ts';
import { exceedWith, NotReachable, neverIssued, type Reached, reach } from './reach.ts';

/** What the gateway saw of one interaction. */
export interface Attempt {
  readonly exchanges: readonly number[];
  /** Whether its request was here. */
  readonly isAsked: boolean;
  /** Why its state cannot be reached, or its request cannot be sent. */
  readonly hindrance?: string;
  /** Whether the hindrance is something that the user did not give, or did not want. */
  readonly isForUser?: boolean;
  /** Why its request has no answer. */
  readonly failure?: string;
  /** Why another answer than the recorded one is no failure. */
  readonly excuse?: string;
}

export interface Gateway {
  /** Holds a secret, so that nothing else on the machine sends with the key of the run. */
  readonly url: string;
  readonly statesUrl: string;
  /** Begins with new interactions, and says what was seen of those before. */
  readonly take: () => readonly Attempt[];
  /** What ended the run, if anything did. */
  readonly stopped: () => RunStopped | undefined;
  readonly close: () => Promise<void>;
}

interface Current {
  readonly exchanges: number[];
  values: Record<string, string | number>;
  credential: SentCredential | undefined;
  hindrance?: string;
  isForUser?: boolean;
  failure?: string;
  excuse?: string;
  /** Set by the end of its states: what comes then belongs to the next. */
  isOver: boolean;
  /** Whether its request was here: only then there is something to judge. */
  isAsked: boolean;
}

const largestRequest = 1024 * 1024;

async function readAll(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestRequest) throw new NotReachable(`its request has more than ${largestRequest} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Headers that are of one connection, or that the session sets itself. */
const notForwarded =
  /^(host|connection|keep-alive|transfer-encoding|content-length|content-type|accept-encoding|te|upgrade|expect|proxy-.*|authorization|user-agent)$/;
const notReturned = /^(connection|keep-alive|transfer-encoding|content-length|content-encoding|set-cookie)$/;

/** Headers that ask for another answer than the interface describes: what comes is the consumer's matter alone. */
const asksOtherwise = /^(if-.*|range|prefer|accept-charset|accept-language|x-http-method.*)$/;

/** The operation that a request asks for. What the interface does not show is read at most. */
function operationOf(method: string, target: string, headers: IncomingHttpHeaders): Operation {
  const { accept = '*/*' } = headers;
  const path = target.split('?')[0] ?? '';
  const isCreation = method === 'POST' && path === '/pets';
  if (!isCreation && method !== 'GET' && method !== 'HEAD') {
    throw new NotReachable(`the interface shows no ${method} ${path}, so it is not sent`);
  }
  // What another media type is answered with is not said.
  if (!/\*\/\*|application\/(\*|json)/i.test(accept)) {
    if (isCreation) throw new NotReachable(`the interface does not say what answers a creation that accepts ${accept}`);
    return 'other';
  }
  if (isCreation) return 'createPet';
  if (Object.keys(headers).some((name) => asksOtherwise.test(name))) return 'other';
  if (method === 'GET' && path === '/pets') return 'listPets';
  return method === 'GET' && /^\/pets\/[^/]+$/.test(path) ? 'getPet' : 'other';
}

/** The path below the base address; consumers may have recorded that of the base address, which ends in v1 (§1). */
function targetOf(url: string, baseUrl: string): string {
  const base = new URL(baseUrl).pathname.replace(/\/$/, '');
  return base !== '' && url.startsWith(`${base}/`) ? url.slice(base.length) : withoutBase(url);
}

/** Pacts of version 2 cannot have values injected: an id that stands in the path is that of the state. */
function withInjectedId(target: string, id: string | number | undefined): string {
  return id === undefined ? target : target.replace(/^\/pets\/-?\d+(?=$|\?)/, `/pets/${id}`);
}

/** The native verifier reads no JSON that is nested more deeply. */
const deepest = 127;

function isTooDeep(body: string): boolean {
  let depth = 0;
  return (body.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/[[\]{}]/g) ?? []).some((bracket) => {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    return depth > deepest;
  });
}

/** A valid body in a category that nothing shows to be known is refused: which categories are accepted is not shown. */
function isOpenRefusal(session: Session, exchange: Exchange): boolean {
  const reading = readNewPet(exchange);
  if (exchange.response?.status !== 400 || reading.kind === 'invalid' || reading.pet === undefined) return false;
  const { categoryId } = reading.pet;
  const isAccepted = (other: Exchange): boolean => {
    const sent = readNewPet(other);
    return other.response?.status === 201 && sent.kind !== 'invalid' && sent.pet?.categoryId === categoryId;
  };
  return !session.settings.categoryIds.includes(categoryId) && !session.exchanges.some(isAccepted);
}

/** Starts a gateway; `expected` are the interactions in their order, where they are known beforehand. */
export async function startGateway(
  session: Session,
  expectedAt: (index: number) => PactInteraction | undefined,
): Promise<Gateway> {
  const [secret, statesSecret] = [0, 1].map(() => `/${randomBytes(16).toString('hex')}`);
  let attempts: Current[] = [];
  let ended: RunStopped | undefined;

  function begin(): Current {
    const current: Current = { exchanges: [], values: {}, credential: undefined, isOver: false, isAsked: false };
    if (ended !== undefined) current.hindrance = ended.message;
    attempts.push(current);
    return current;
  }
  function current(): Current {
    const last = attempts.at(-1);
    return last === undefined || last.isOver ? begin() : last;
  }

  /** Runs something that sends; what hinders it is noted and ends nothing. */
  async function hindered<Result>(attempt: Current, work: () => Promise<Result>): Promise<Result | undefined> {
    const before = session.exchanges.length;
    try {
      return attempt.hindrance === undefined ? await work() : undefined;
    } catch (error) {
      if (error instanceof RunStopped) ended = error;
      else if (!(error instanceof NotReachable) && !(error instanceof BudgetSpent)) throw error;
      attempt.isForUser = error instanceof NotReachable && error.isForUser;
      attempt.hindrance = error instanceof BudgetSpent ? `${error.message}; raise it` : (error as Error).message;
      return undefined;
    } finally {
      attempt.exchanges.push(...session.exchanges.slice(before).map(({ number }) => number));
    }
  }

  /** The verifier tells each state before the request, and its end after it. */
  async function changeState(text: string): Promise<Fields> {
    const { action, state, params } = JSON.parse(text) as Fields;
    if (action !== 'setup') {
      const last = attempts.at(-1);
      if (last !== undefined) last.isOver = true;
      return {};
    }
    const attempt = current();
    if (typeof state !== 'string' || state === '') return {};
    const given = { name: state, params: isFields(params) ? params : {} };
    const reached = await hindered<Reached>(attempt, () => reach(session, given));
    attempt.values = { ...attempt.values, ...reached?.values };
    attempt.credential = reached?.credential ?? attempt.credential;
    return attempt.values;
  }

  /** States decide; without one, an interaction that expects 401 gets what it asks for, all others the key. */
  function credentialOf(attempt: Current, hasKey: boolean): SentCredential {
    if (attempt.credential !== undefined) return attempt.credential;
    const expected = expectedAt(attempts.indexOf(attempt));
    if (expected?.response['status'] !== 401) return validKey(session.keys.api);
    return hasKey ? neverIssued(session.keys.api) : noKey;
  }

  async function forward(incoming: IncomingMessage, url: string): Promise<Exchange | undefined> {
    const attempt = current();
    return hindered(attempt, async () => {
      // One that follows a redirect is none of the consumer's.
      if (attempt.isAsked) throw new NotReachable('it was asked more than once');
      attempt.isAsked = true;
      const { method = 'GET', headers } = incoming;
      const body = await readAll(incoming);
      const target = withInjectedId(targetOf(url, session.settings.baseUrl), attempt.values['id']);
      const passed = Object.entries(headers).filter(([name]) => !notForwarded.test(name));
      const credential = credentialOf(attempt, headers.authorization !== undefined);
      // A pact with a JSON body need not say so: the interface has no other.
      const contentType = headers['content-type'] ?? (body === '' ? undefined : 'application/json');
      const request: PlannedRequest = {
        operation: operationOf(method, target, headers),
        method,
        target,
        ...(body === '' ? {} : { body }),
        ...(contentType === undefined ? {} : { contentType }),
        headers: Object.fromEntries(passed.map(([name, value]) => [name, String(value)])),
        credential,
      };
      const recorded = { method, target, body, contentType: contentType ?? '' };
      const isCreation = request.operation === 'createPet' && readNewPet({ request: recorded }).kind !== 'invalid';
      if (isCreation && session.settings.isReadOnly && credential.shown.kind === 'valid') {
        throw new NotReachable('the run is read-only', true);
      }
      const isExcess = credential.shown.kind === 'rate-limit';
      const exchange = await (isExcess ? exceedWith(session, request) : session.send(request));
      if (exchange.failure !== undefined) attempt.failure = exchange.failure.message;
      if (isCreation && isOpenRefusal(session, exchange)) {
        attempt.excuse = 'createPet answered 400: the category may not be known, see --category-id';
      }
      if (isTooDeep(exchange.response?.body ?? '')) {
        throw new NotReachable('its answer is nested too deeply for the verifier of Pact');
      }
      return exchange;
    });
  }

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { url = '' } = incoming;
    if (url === statesSecret) {
      const values = await changeState(await readAll(incoming));
      return void outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(values));
    }
    if (!url.startsWith(`${secret}/`)) return void outgoing.writeHead(404).end();
    const exchange = await forward(incoming, url.slice(secret!.length));
    if (exchange?.response === undefined) return void outgoing.writeHead(503).end();
    const { status, headers, body } = exchange.response;
    const isRedirect = status >= 300 && status < 400;
    const returned = Object.entries(headers).filter(
      ([name, value]) =>
        !notReturned.test(name) && !(isRedirect && name === 'location') && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
    );
    outgoing.writeHead(status, Object.fromEntries(returned)).end(body);
  }

  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((error: unknown) => {
      const attempt = attempts.at(-1);
      if (attempt !== undefined) attempt.failure = String(error);
      outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: origin + secret,
    statesUrl: origin + statesSecret,
    take() {
      const taken = attempts;
      attempts = [];
      return taken;
    },
    stopped: () => ended,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
