/** Serves a world on a free port, and records what comes to it and to the host beside it. */

import { randomBytes } from 'node:crypto';
import { type ReceivedExchange, type Server, startServer } from '../../reference-server/twin/index.ts';
import type { GapChoices } from '../../spec/gaps.ts';
import { slowAnswerMs } from '../http/tolerances.ts';
import type { ClientEnvironment } from './attempt.ts';
import type { ServiceVariant, Variation, VariationContext } from './service-variant.ts';

export interface ServedVariant {
  readonly environment: ClientEnvironment;
  /** What came to the base address. */
  readonly requests: readonly ReceivedExchange[];
  /** What came to another host that answers named. */
  readonly elsewhere: readonly ReceivedExchange[];
  readonly close: () => Promise<void>;
}

/** The category that every world has. */
export const categoryId = 4_711n;

function gapsOf(turns: readonly Variation[]): Partial<GapChoices> {
  return Object.assign({}, ...turns.map(({ gaps }) => gaps)) as Partial<GapChoices>;
}

/** A clock that starts at an instant and runs on. */
function clockFrom(instant: number): () => number {
  const ahead = instant - Date.now();
  return () => Date.now() + ahead;
}

function startWorld(
  { variations: turns }: ServiceVariant,
  key: string,
  surroundings: VariationContext,
): Promise<Server> {
  const startsAt = turns.find((turn) => turn.startsAt !== undefined)?.startsAt;
  const isSlow = turns.some((turn) => turn.isSlow);
  return startServer({
    keys: [{ key, plan: 'business' }],
    gaps: gapsOf(turns),
    faults: turns.flatMap(({ id, requirement, wrap }) =>
      wrap === undefined ? [] : [{ id, breaks: [requirement], wrap: wrap(surroundings) }],
    ),
    animals: turns.flatMap(({ animals = [] }) => animals),
    ...(isSlow ? { networkConditions: { latency: { ms: slowAnswerMs, jitterMs: 0 } } } : {}),
    ...(startsAt === undefined ? {} : { clock: clockFrom(startsAt) }),
  });
}

/** Starts the servers of a world, with a key that is valid in no other. */
export async function serveVariant(world: ServiceVariant, usualRequests: number): Promise<ServedVariant> {
  const key = `client-${randomBytes(12).toString('hex')}`;
  const isNeeded = world.variations.some(({ leadsElsewhere }) => leadsElsewhere);
  // Another port is another host to a client.
  const other = isNeeded ? await startServer({ keys: [{ key, plan: 'business' }] }) : undefined;
  const surroundings = { categoryId, elsewhere: other?.url ?? 'http://127.0.0.1:9/v1', usualRequests };
  const server = await startWorld(world, key, surroundings);
  return {
    environment: { baseUrl: server.url, key, categoryId },
    requests: server.requests,
    elsewhere: other?.requests ?? [],
    close: async () => {
      await Promise.all([server.close(), other?.close()]);
    },
  };
}
