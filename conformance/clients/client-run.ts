/** A visit: a client was in a world, ended in some way, and sent what is recorded here. */

import type { Exchange } from '../http/exchange.ts';
import { slowAnswerMs } from '../http/tolerances.ts';
import type { Attempt, AttemptResult } from './attempt.ts';
import { serveVariant } from './serve-variant.ts';
import type { ServiceVariant } from './service-variant.ts';

export interface ClientRun extends AttemptResult {
  readonly variant: ServiceVariant;
  /** Where the world was served. */
  readonly baseUrl: string;
  /** What came to the base address, in the order in which it came. */
  readonly exchanges: readonly Exchange[];
  /** What came to another host that answers named. */
  readonly elsewhere: readonly Exchange[];
  readonly durationMs: number;
}

/** Which requests follow on which answers shows only where the time that answers are held back is counted. */
function asAnswered(exchange: Exchange, world: ServiceVariant): Exchange {
  const heldBackMs = world.variations.some(({ isSlow }) => isSlow) ? slowAnswerMs : 0;
  const headers = Object.entries(exchange.request.headers).filter(([name]) => !ofConnections.has(name));
  return {
    ...exchange,
    check: world.id,
    request: { ...exchange.request, headers: Object.fromEntries(headers) },
    endedAt: exchange.endedAt + heldBackMs,
  };
}

/** Headers that belong to a connection or a library: whoever sends a request again has others. */
const ofConnections: ReadonlySet<string> = new Set(
  'host connection keep-alive content-length transfer-encoding accept-encoding accept-language sec-fetch-mode'.split(
    ' ',
  ),
);

/** Has a client visit a world; rejects where the client cannot be run at all. */
export async function runClient(
  world: ServiceVariant,
  usualRequests: number,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<ClientRun> {
  const served = await serveVariant(world, usualRequests);
  const beganAt = performance.now();
  try {
    const result = await attempt(served.environment, world.id, signal);
    return {
      ...result,
      variant: world,
      baseUrl: served.environment.baseUrl,
      exchanges: served.requests.map((exchange) => asAnswered(exchange, world)),
      elsewhere: served.elsewhere.map((exchange) => asAnswered(exchange, world)),
      durationMs: Math.round(performance.now() - beganAt),
    };
  } finally {
    await served.close();
  }
}
