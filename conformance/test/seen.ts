/** Traffic for tests: what a run of the kit sends, as others would have recorded it, with its keys in it. */

import type { Handle } from '../../reference-server/index.ts';
import { findCredential } from '../checks/refused-credentials.ts';
import type { Exchange, RecordedResponse } from '../engine/evidence/exchange.ts';
import type { Settings } from '../engine/settings.ts';
import type { SeenExchange } from '../engine/traffic/seen.ts';
import { apiKey, limitKey } from '../faults/fault.ts';
import type { InProcessOptions } from '../faults/in-process.ts';
import { runInProcess, trialSettings } from '../faults/trial.ts';

/** Of a body that the evidence of the run has cut, nothing is known here. */
function bodyOf({ body, bodyLength }: RecordedResponse): Buffer | undefined {
  return bodyLength === undefined ? Buffer.from(body) : undefined;
}

function seenOf({ request, response, credential, startedAt, endedAt }: Exchange): SeenExchange {
  const sent = findCredential(credential.id, { api: apiKey, rateLimit: limitKey });
  return {
    ...request,
    headers: { ...request.headers, ...sent?.headers },
    ...(response === undefined ? {} : { response: { ...response, body: bodyOf(response) } }),
    startedAt,
    endedAt,
  };
}

/** What a run of sixty requests sends to a handle, and what comes back. */
export async function trafficOf(
  handle: Handle,
  options: InProcessOptions & { readonly settings?: Partial<Settings> } = {},
): Promise<readonly SeenExchange[]> {
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
  rest: Partial<SeenExchange> & { readonly sent?: unknown } = {},
): SeenExchange {
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
