/** Exceeds the rate limit, with the key that the user gave for that. */

import { rateLimitKey } from '../../conformance/http/credentials.ts';
import type { Exchange } from '../../conformance/http/exchange.ts';
import { statusOf } from '../../conformance/http/read-response.ts';
import type { PlannedRequest } from '../../conformance/run/planned-request.ts';
import type { Session } from '../../conformance/run/session.ts';
import { exhaust } from '../../conformance/sections/8-limits/exhaustion.ts';
import { listPets } from '../../conformance/sections/requests.ts';
import { NotVerifiable, type ReachedState, SkippedByUser } from './reached.ts';

/** Chooses the key. The limit is exceeded only when the request is sent, so that no other state comes in between. */
export function exceedLimit({ keys }: Session): ReachedState {
  if (keys.rateLimit === undefined)
    throw new SkippedByUser('it needs a key that may be exhausted: --rate-limit-key-env');
  return { values: {}, credential: rateLimitKey(keys.rateLimit) };
}

/** Exhausts the key; resolves with the refusal. */
async function refusal(session: Session): Promise<Exchange> {
  const key = session.keys.rateLimit!;
  const { refusal: refused, reason } = await exhaust(session, key, () => listPets('limit=1', rateLimitKey(key)));
  if (refused !== undefined) return refused;
  throw new NotVerifiable(reason ?? 'the key was served beyond its limit');
}

const triesForExcess = 3;

/** Sends a request with the exhausted key. If the window ends in between, exhausts the key again. */
export async function exceedWith(session: Session, request: PlannedRequest): Promise<Exchange> {
  const resetOf = ({ response }: Exchange): string | undefined => response?.headers['x-ratelimit-reset'];
  for (let tries = 0; tries < triesForExcess; tries += 1) {
    const before = await refusal(session);
    const exchange = await session.sendOnce(request);
    if (statusOf(exchange) === 429 || resetOf(exchange) === resetOf(before)) return exchange;
  }
  throw new NotVerifiable('the limit was reset each time before the request could exceed it');
}
