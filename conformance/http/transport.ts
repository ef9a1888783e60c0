/** Sends one request at a time over sockets: bounded in time and size, without following redirects. */

import { Readable } from 'node:stream';
import fetch from 'node-fetch';
import { defined } from '../../spec/defined.ts';
import { encodeBody } from './body-bytes.ts';
import { createConnections, idleOf } from './connections.ts';
import { describeProxyError } from './proxies.ts';

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
  /** At most as many bytes as a run can use. */
  readonly body: Uint8Array;
  /** Set if the body was longer. */
  readonly isCut?: true;
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

/** A page of 100 animals with long names is far smaller. The start of a larger body is enough. */
const mostBytes = 2 * 1024 * 1024;

const unreachable = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/** What is wrong with a certificate whose authority may well be trusted. */
const certificateProblems: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: is the clock of this machine right?',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

function transportErrorOf(error: unknown, timeoutMs: number, url: string, proxyEnv: NodeJS.ProcessEnv): TransportError {
  const { name, message } = error as Error;
  const code = errorCodeOf(error);
  if (name === 'AbortError') return new TransportError('timeout', `no complete response within ${timeoutMs} ms`);
  if (/CERT|SIGNATURE|SELF_SIGNED/.test(code)) {
    const why = certificateProblems[code] ?? 'name the authority to trust by NODE_EXTRA_CA_CERTS=ca.pem';
    return new TransportError('unreachable', `${code}, ${why}`);
  }
  if (/^(EPROTO|ERR_SSL_.*)$/.test(code)) {
    return new TransportError('unreachable', `${code}, no TLS is spoken there: does the address begin with http://?`);
  }
  // llhttp's code for a first line that is no status line.
  if (code === 'HPE_INVALID_CONSTANT') return new TransportError('malformed', code);
  const ofProxy = describeProxyError(code, message, url, proxyEnv);
  return new TransportError(
    ofProxy !== undefined || unreachable.test(code) ? 'unreachable' : 'broken',
    ofProxy ?? code,
  );
}

/** The code of an error of node-fetch or of its stream. */
function errorCodeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : 'unreadable response';
}

async function readBytes(
  stream: NodeJS.ReadableStream | null,
  most: number,
): Promise<Pick<Incoming, 'body' | 'isCut'>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (stream ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk.subarray(0, most - length));
    length += chunk.length;
    // Leaving the loop destroys the stream, and so the connection.
    if (length > most) return { body: Buffer.concat(chunks), isCut: true };
  }
  return { body: Buffer.concat(chunks) };
}

/** The connection broke before the response: codes of sockets, not of malformed responses. */
const brokenConnection = /^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/;

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

/**
 * A transport over sockets that are kept alive. `timeoutMs` bounds the whole exchange, body included. `proxyEnv` names
 * proxies, read by readProxies. At most `most` bytes of a body are read, and at most `mostOpen` connections are kept: as many
 * as requests are usually under way.
 */
export function fetchTransport(
  timeoutMs: number,
  proxyEnv: Readonly<Record<string, string | undefined>> = {},
  most = mostBytes,
  mostOpen = 1,
): Transport & {
  /** Ends all connections; a request under way breaks. */
  readonly close: () => void;
} {
  const connections = createConnections(proxyEnv, mostOpen, timeoutMs);
  let isClosed = false;

  const send: Transport = async ({ method, url, headers, body }) => {
    // AbortSignal.timeout would keep its timer after the response, and a long run has many.
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    const agent = connections.agentFor(url);
    const dropIdle = (): void => {
      for (const socket of idleOf(agent)) socket.destroy();
    };
    // The other side may have closed a connection long ago. A request that may create something must not be repeated, so it
    // goes out on a new one; another that breaks on an old one is sent once more.
    if (method !== 'GET' || body !== undefined) dropIdle();
    const isReusing = idleOf(agent).length > 0;
    const exchange = async (): Promise<Incoming> => {
      const response = await fetch(url, {
        method,
        headers: { accept: 'application/json', 'user-agent': 'petstore-conformance', ...headers },
        ...defined({ body: body === undefined ? undefined : sentAs(body, headers) }),
        redirect: 'manual',
        signal: controller.signal,
        agent,
      });
      const { status } = response;
      return { status, headers: Object.fromEntries(response.headers), ...(await readBytes(response.body, most)) };
    };
    try {
      return await exchange().catch((error: unknown) => {
        if (!isReusing || isClosed || !brokenConnection.test(errorCodeOf(error))) throw error;
        dropIdle();
        return exchange();
      });
    } catch (error) {
      throw transportErrorOf(error, timeoutMs, url, proxyEnv);
    } finally {
      clearTimeout(timer);
    }
  };
  return Object.assign(send, {
    close() {
      isClosed = true;
      connections.close();
    },
  });
}
