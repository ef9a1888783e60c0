/** Sends requests over sockets: bounded in time and size, without following redirects. */

import { type AgentOptions, type ClientRequest, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Readable } from 'node:stream';
import fetch from 'node-fetch';
import { defined } from '../../spec/defined.ts';
import { encodeBody } from './body-bytes.ts';

/** A request to send, with its credential. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Written as body-bytes.ts says. */
  readonly body?: string;
}

/** A response as it was received. */
export interface Incoming {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Why there is no response. `unreachable`: nothing was sent. `malformed`: no HTTP. `too-large`: beyond the size limit. */
export class TransportError extends Error {
  readonly code: 'timeout' | 'too-large' | 'unreachable' | 'malformed' | 'broken';

  constructor(code: TransportError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Sends one request and resolves with its response; rejects with a TransportError only. */
export type Transport = (outgoing: Outgoing) => Promise<Incoming>;

/** Some fifty thousand animals, where a service ignores the limit. */
const largestAnswer = 8 * 1024 * 1024;

/** Codes of node, OpenSSL and llhttp, what they mean, and a hint; the first row that fits. */
const meanings: readonly (readonly [code: RegExp, kind: TransportError['code'], hint: string])[] = [
  [/CERT|SIGNATURE|SELF_SIGNED/, 'unreachable', ', name the authority to trust by NODE_EXTRA_CA_CERTS=ca.pem'],
  [/^(EPROTO|ERR_SSL_.*)$/, 'unreachable', ', no TLS is spoken there: does the address begin with http://?'],
  [/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_PROXY_.*)$/, 'unreachable', ''],
  // The first line is no status line.
  [/^HPE_INVALID_CONSTANT$/, 'malformed', ''],
  // The response breaks off or breaks a rule of HTTP after its first line, so that TLS is not the reason.
  [/^HPE_/, 'broken', ', the response is not well-formed HTTP'],
  [/^/, 'broken', ''],
];

/** Why there is no response, by an error of node-fetch, of node:http or of a stream. */
export function transportErrorOf(
  error: unknown,
  timeoutMs: number,
  hasProxy: boolean,
  most = largestAnswer,
): TransportError {
  const { name, type, code = 'unreadable response' } = error as NodeJS.ErrnoException & { readonly type?: string };
  if (name === 'AbortError') return new TransportError('timeout', `no complete response within ${timeoutMs} ms`);
  if (type === 'max-size') return new TransportError('too-large', `a body of more than ${most} bytes`);
  const [, kind, hint] = meanings.find(([pattern]) => pattern.test(code))!;
  const by = hasProxy && kind === 'unreachable' && hint === '' ? ', by the proxy of the environment' : hint;
  return new TransportError(kind, code + by);
}

/**
 * A stream has no known length, so it is sent in chunks; node-fetch would add a media type to a text without one. It is cut
 * within each multi-byte character, after its first byte: a service that decodes each chunk by itself loses those.
 */
function sentAs(body: string, headers: Outgoing['headers']): Buffer | Readable {
  const bytes = encodeBody(body);
  if (!('transfer-encoding' in headers)) return bytes;
  const cuts = [...bytes.keys()].filter((at) => bytes[at]! >= 0xc0).map((at) => at + 1);
  return Readable.from([0, ...cuts].map((from, at) => bytes.subarray(from, cuts[at])));
}

/** The method by which node:http hands a request to its agent; its types leave the method out. */
interface RequestReceiver {
  addRequest: (request: ClientRequest, ...rest: readonly unknown[]) => void;
}

/**
 * Creates an agent whose responses end where node:http says so. node-fetch looks by itself for `0\r\n\r\n` at the end of a
 * chunked body, and reports a body that ends with trailers as cut off when its connection closes. It looks only where
 * `headers` names the coding, so the name is removed there; what the kit records comes from `rawHeaders`.
 */
function createAgent(url: string, options: AgentOptions): HttpAgent {
  // An agent of HTTPS loads TLS.
  const agent = /^https:/i.test(url) ? new HttpsAgent(options) : new HttpAgent(options);
  const receiver = agent as unknown as RequestReceiver;
  const addRequest = receiver.addRequest.bind(agent);
  receiver.addRequest = (request, ...rest) => {
    request.once('response', ({ headers }) => {
      delete headers['transfer-encoding'];
    });
    addRequest(request, ...rest);
  };
  return agent;
}

/**
 * A transport over sockets that are kept alive. `timeoutMs` bounds the whole exchange, body included. `proxyEnv` is an
 * environment that may name proxies. At most `most` bytes of a body are read. `mostOpen` is the number of requests that are
 * usually under way: no idle connection is kept while so many others are busy, since a server with few threads serves
 * nobody else as long as one is idle.
 */
export function fetchTransport(
  timeoutMs: number,
  proxyEnv: NodeJS.ProcessEnv = {},
  { most = largestAnswer, mostOpen = 1 }: { readonly most?: number; readonly mostOpen?: number } = {},
): Transport & {
  /** Ends all connections; a request under way breaks. */
  readonly close: () => void;
} {
  const hasProxy = Object.entries(proxyEnv).some(([name, value]) => /^https?_proxy$/i.test(name) && value !== '');
  // The time limit of a connection ends one to a proxy that never opens the tunnel.
  const options = { keepAlive: true, proxyEnv, timeout: timeoutMs };
  let agent: HttpAgent | undefined;
  let kept = mostOpen;
  let underWay = 0;

  const send: Transport = async ({ method, url, headers, body }) => {
    // AbortSignal.timeout would keep its timer after the response, and a long run has many.
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    // A service that cannot read chunks takes them for another request, and would answer that on the same connection.
    const ending = 'transfer-encoding' in headers ? { connection: 'close' } : {};
    underWay += 1;
    try {
      // All addresses of a run have one scheme.
      agent ??= createAgent(url, options);
      // Another process of the service may answer on a new connection, as it may answer another client.
      if (body !== undefined) for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
      agent.maxFreeSockets = kept + 1 - underWay;
      const response = await fetch(url, {
        method,
        headers: { accept: 'application/json', 'user-agent': 'petstore-conformance', ...ending, ...headers },
        ...defined({ body: body === undefined ? undefined : sentAs(body, headers) }),
        redirect: 'manual',
        signal: controller.signal,
        size: most,
        // Other clients read answers with a bare LF, or with a length beside chunks; how HTTP frames them is not judged.
        insecureHTTPParser: true,
        agent,
      });
      const received = { status: response.status, headers: Object.fromEntries(response.headers) };
      return { ...received, body: Buffer.from(await response.arrayBuffer()) };
    } catch (error) {
      const failure = transportErrorOf(error, timeoutMs, hasProxy, most);
      // The service may end connections that wait, without saying so: from now on none waits.
      if (failure.code === 'broken') kept = 0;
      throw failure;
    } finally {
      underWay -= 1;
      clearTimeout(timer);
    }
  };
  return Object.assign(send, { close: () => agent?.destroy() });
}
