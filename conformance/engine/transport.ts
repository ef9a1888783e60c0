/** The only place that opens sockets: one request, bounded in time and size, no redirect followed. */

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import fetch, { FetchError } from 'node-fetch';

export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Incoming {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Why there is no response: `timeout`, `too-large`, `unreachable` (nothing was sent) or `broken`. */
export class TransportError extends Error {
  readonly code: 'timeout' | 'too-large' | 'unreachable' | 'broken';

  constructor(code: TransportError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Sends one request and resolves with its response; rejects with a TransportError only. */
export type Transport = (outgoing: Outgoing) => Promise<Incoming>;

/** A page of 100 animals with long names is far smaller. */
const maxBodyBytes = 16 * 1024 * 1024;

const unreachableCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

function transportErrorOf(error: unknown, timeoutMs: number): TransportError {
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')) {
    return new TransportError('timeout', `no complete response within ${timeoutMs} ms`);
  }
  if (error instanceof FetchError && error.type === 'max-size') {
    return new TransportError('too-large', `a body of more than ${maxBodyBytes} bytes`);
  }
  const code = error instanceof FetchError ? error.code : undefined;
  const code_ = code ?? 'unreadable response';
  if (/CERT|SIGNATURE|SELF_SIGNED/.test(code_)) {
    return new TransportError('unreachable', `${code_}, name the authority to trust by NODE_EXTRA_CA_CERTS`);
  }
  return new TransportError(unreachableCodes.has(code_) ? 'unreachable' : 'broken', code_);
}

/**
 * A transport over real sockets with keep-alive. `timeoutMs` bounds the whole exchange, body included. `proxyEnv` names
 * proxies as curl has it: HTTP_PROXY, HTTPS_PROXY, NO_PROXY.
 */
export function fetchTransport(
  timeoutMs: number,
  proxyEnv: NodeJS.ProcessEnv = {},
): Transport & { readonly close: () => void } {
  const agents = {
    http: new HttpAgent({ keepAlive: true, proxyEnv }),
    https: new HttpsAgent({ keepAlive: true, proxyEnv }),
  };
  const send: Transport = async ({ method, url, headers, body }) => {
    try {
      const response = await fetch(url, {
        method,
        headers: {
          accept: 'application/json',
          'user-agent': 'petstore-conformance',
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        size: maxBodyBytes,
        signal: AbortSignal.timeout(timeoutMs),
        agent: (target) => (target.protocol === 'https:' ? agents.https : agents.http),
      });
      const bytes = new Uint8Array(await response.arrayBuffer());
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: bytes,
      };
    } catch (error) {
      throw transportErrorOf(error, timeoutMs);
    }
  };
  const close = (): void => {
    agents.http.destroy();
    agents.https.destroy();
  };
  return Object.assign(send, { close });
}
