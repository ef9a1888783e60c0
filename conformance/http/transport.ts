/** Sends one request at a time over sockets: bounded in time and size, without following redirects. */

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Readable } from 'node:stream';
import fetch from 'node-fetch';

/** A request to send, with its credential. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
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

/** Why there is no response. `unreachable`: nothing was sent. `too-large`: the body cannot be judged. */
export class TransportError extends Error {
  readonly code: 'timeout' | 'too-large' | 'unreachable' | 'broken';

  constructor(code: TransportError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Sends one request and resolves with its response; rejects with a TransportError only. */
export type Transport = (outgoing: Outgoing) => Promise<Incoming>;

/** A page of 100 animals with long names is far smaller. The start of a larger body is enough. */
const mostBytes = 2 * 1024 * 1024;

const unreachableCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

function transportErrorOf(error: unknown, timeoutMs: number): TransportError {
  if (error instanceof Error && error.name === 'AbortError') {
    return new TransportError('timeout', `no complete response within ${timeoutMs} ms`);
  }
  const code = errorCodeOf(error);
  if (/CERT|SIGNATURE|SELF_SIGNED/.test(code)) {
    return new TransportError('unreachable', `${code}, name the authority to trust by NODE_EXTRA_CA_CERTS`);
  }
  if (/^(EPROTO|ERR_SSL_.*)$/.test(code)) {
    return new TransportError('unreachable', `${code}, no TLS is spoken there: does the address begin with http://?`);
  }
  return new TransportError(unreachableCodes.has(code) ? 'unreachable' : 'broken', code);
}

/** The code of an error of node-fetch or of its stream. */
function errorCodeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : 'unreadable response';
}

/** Reads at most so many bytes of a body. */
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

/**
 * A transport over real sockets with keep-alive. `timeoutMs` bounds the whole exchange, body included. `proxyEnv` names
 * proxies as curl has it: HTTP_PROXY, HTTPS_PROXY, NO_PROXY. Of a body no more than `most` bytes are read.
 */
export function fetchTransport(
  timeoutMs: number,
  proxyEnv: NodeJS.ProcessEnv = {},
  most = mostBytes,
): Transport & {
  /** Ends the connections that are kept. */
  readonly close: () => void;
} {
  const agents = {
    http: new HttpAgent({ keepAlive: true, proxyEnv }),
    https: new HttpsAgent({ keepAlive: true, proxyEnv }),
  };
  const send: Transport = async ({ method, url, headers, body }) => {
    // AbortSignal.timeout would keep its timer after the response, and a long run has many.
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    try {
      const response = await fetch(url, {
        method,
        headers: {
          accept: 'application/json',
          'user-agent': 'petstore-conformance',
          ...headers,
        },
        // A stream has no known length, so it is sent in chunks.
        ...(body === undefined ? {} : { body: 'transfer-encoding' in headers ? Readable.from([body]) : body }),
        redirect: 'manual',
        signal: controller.signal,
        agent: (target) => (target.protocol === 'https:' ? agents.https : agents.http),
      });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        ...(await readBytes(response.body, most)),
      };
    } catch (error) {
      throw transportErrorOf(error, timeoutMs);
    } finally {
      clearTimeout(timer);
    }
  };
  const close = (): void => {
    agents.http.destroy();
    agents.https.destroy();
  };
  return Object.assign(send, { close });
}
