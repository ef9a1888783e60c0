/** Servers of the interface in different styles, each with legal choices of its own, as neighbour teams write them. */

import type { Plan } from '../../../spec/facts.ts';
import { eventSourced } from './event-sourced.ts';
import { laggingReplica } from './lagging-replica.ts';
import { dotNet, oneFile, php } from './one-file.ts';
import { sqlite } from './sqlite.ts';

export interface NeighbourOptions {
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly keys: { readonly api: string; readonly rateLimit: string };
}

export interface RunningNeighbour {
  readonly baseUrl: string;
  readonly close: () => Promise<void>;
}

/** A server and what its team decided where the interface is silent, written down before its first run. */
export interface Neighbour {
  readonly id: string;
  readonly choices: readonly string[];
  /** The plan of the API key; without it its limits are custom. */
  readonly plan?: Plan;
  /** The categories that it knows, where it does not take every int64. */
  readonly categoryIds?: readonly bigint[];
  /** A name that it takes, `{n}` being different each time, where it takes few. */
  readonly nameTemplate?: string;
  readonly start: (options: NeighbourOptions) => Promise<RunningNeighbour>;
}

export const neighbours = [
  oneFile,
  sqlite,
  eventSourced,
  laggingReplica,
  dotNet,
  php,
] as const satisfies readonly Neighbour[];
