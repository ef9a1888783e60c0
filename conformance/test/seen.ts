/** Traffic for tests: the requests of a run as another program would have recorded them, with keys. */

import type { Handle } from '../../reference-server/index.ts';
import type { Exchange, RecordedResponse } from '../http/exchange.ts';
import { runInProcess, trialSettings } from '../proof/trial.ts';
import { findCredential } from '../sections/5-authentication/credentials.ts';
import type { InProcessOptions } from '../services/in-process.ts';
import { apiKey, limitKey } from '../services/wraps.ts';
import type { CapturedExchange } from '../traffic/captured-exchange.ts';
import type { Settings } from '../world/settings.ts';

/** Undefined if the evidence of the run holds only a part. */
function bodyOf({ body, bodyLength }: RecordedResponse): Buffer | undefined {
  return bodyLength === undefined ? Buffer.from(body) : undefined;
}

const keys = { api: apiKey, rateLimit: limitKey };

function seenOf({ request, response, credential, startedAt, endedAt }: Exchange): CapturedExchange {
  const sent = findCredential(credential.id, keys);
  return {
    ...request,
    headers: { ...request.headers, ...sent?.headers },
    ...(response === undefined ? {} : { response: { ...response, body: bodyOf(response) } }),
    startedAt,
    endedAt,
  };
}

/** The traffic of a run of sixty requests against a handle. */
export async function trafficOf(
  handle: Handle,
  options: InProcessOptions & { readonly settings?: Partial<Settings> } = {},
): Promise<readonly CapturedExchange[]> {
  const exchanges: Exchange[] = [];
  const today = options.startsAt === undefined ? {} : { today: options.startsAt };
  const settings = trialSettings(60, { ...today, ...options.settings });
  await runInProcess(handle, settings, { ...options, onExchange: (exchange) => exchanges.push(exchange) });
  return exchanges.map(seenOf);
}

const head = { 'content-type': 'application/json' };

/** One exchange of traffic: a request with a key, and its answer; a second apart from the one before. */
export function seen(
  at: number,
  line: string,
  status: number,
  body: unknown,
  rest: Partial<CapturedExchange> & { readonly sent?: unknown } = {},
): CapturedExchange {
  const [method = '', target = ''] = line.split(' ');
  const { sent, ...others } = rest;
  const startedAt = Date.UTC(2026, 10, 21, 12, 0, at);
  const limits = { 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': String(999 - at) };
  const reset = { 'x-ratelimit-reset': String(Date.UTC(2026, 10, 21, 12, 1) / 1000) };
  return {
    method,
    target,
    headers: { authorization: 'Bearer key-of-a-team', ...(sent === undefined ? {} : head) },
    ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    response: { status, headers: { ...head, ...limits, ...reset }, body: Buffer.from(JSON.stringify(body)) },
    startedAt,
    endedAt: startedAt + 10,
    ...others,
  };
}
