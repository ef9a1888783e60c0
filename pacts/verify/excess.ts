/** Exceeds the rate limit with the key that the user gave for it. */

import { type Exchange, exhaust, type PlannedRequest, rateLimitKey, type Session, statusOf } from './kit.ts';
import { NotReachable, NotWanted, type Reached } from './reached.ts';

/** The excess itself comes with the request, so that no other state comes between. */
export async function exceedLimit({ keys }: Session): Promise<Reached> {
  if (keys.rateLimit === undefined) throw new NotWanted('it takes a key that may be exhausted: --rate-limit-key-env');
  return { values: {}, credential: rateLimitKey(keys.rateLimit) };
}

/** Uses the key up that may be; resolves with the refusal. */
async function refusal(session: Session): Promise<Exchange> {
  const { refusal: refused, reason } = await exhaust(session, session.keys.rateLimit!);
  if (refused !== undefined) return refused;
  throw new NotReachable(reason ?? 'the key was served beyond its limit');
}

const triesForExcess = 3;

/** Sends a request with the key that is used up; a window that ends just then has the key used up once more. */
export async function exceedWith(session: Session, request: PlannedRequest): Promise<Exchange> {
  const resetOf = ({ response }: Exchange): string | undefined => response?.headers['x-ratelimit-reset'];
  for (let tries = 0; tries < triesForExcess; tries += 1) {
    const before = await refusal(session);
    const exchange = await session.sendOnce(request);
    if (statusOf(exchange) === 429 || resetOf(exchange) === resetOf(before)) return exchange;
  }
  throw new NotReachable('each time that the limit was exceeded, it had been reset before the request was there');
}
