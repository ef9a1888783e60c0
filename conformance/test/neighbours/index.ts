/** Servers of the interface in different styles, each with legal choices of its own, as neighbour teams write them. */

import type { Plan } from '../../../spec/facts.ts';
import { eventSourced } from './event-sourced.ts';
import { inOtherLanguages, oneFile } from './one-file.ts';
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

export interface Neighbour {
  readonly id: string;
  /** The plan of the API key; without it its limits are custom. */
  readonly plan?: Plan;
  readonly start: (options: NeighbourOptions) => Promise<RunningNeighbour>;
}

export const neighbours: readonly Neighbour[] = [oneFile, sqlite, eventSourced, ...inOtherLanguages];
