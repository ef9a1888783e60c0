/** Exchanges of other parties, for tests of what is judged of traffic: those of a run, and single ones made by hand. */

import type { Transport } from '../http/transport.ts';
import { trialSettings } from '../proof/trial.ts';
import { createClock, inProcess } from '../services/in-process.ts';
import { handleOf, type Service } from '../services/service.ts';
import type { CapturedExchange } from '../traffic/captured-exchange.ts';
import { runOver } from './run/bench.ts';

/** The traffic of a run of sixty requests against a service. */
export async function trafficOf(service: Service): Promise<readonly CapturedExchange[]> {
  const clock = createClock(service.startsAt);
  const serve = inProcess(handleOf(service), clock, service);
  const settings = trialSettings(60, { today: clock.now(), ...service.settings });
  const traffic: CapturedExchange[] = [];
  const capturing: Transport = async (outgoing) => {
    const startedAt = clock.now();
    const response = await serve(outgoing);
    const target = outgoing.url.slice(settings.baseUrl.length);
    traffic.push({ ...outgoing, target, response, startedAt, endedAt: clock.now() });
    return response;
  };
  await runOver(capturing, settings, { clock });
  return traffic;
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
