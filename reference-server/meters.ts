/** The meters of many clients: one is made when its client first asks, and given up when it remembers nothing any more. */

import type { Meter, Verdict } from './rate-limit.ts';

export interface Meters<Client> {
  /** Counts a request of a client at a time, Unix milliseconds. */
  readonly count: (client: Client, now: number) => Verdict;
  /** How many meters are held. */
  readonly size: () => number;
}

/**
 * Holds the meters of this period and of the one before: whoever has not asked for a whole period, which is as long as
 * a meter remembers, stands where a new client does. So nothing needs to be looked through. A period ends early, too,
 * with `most` clients in it: beyond twice that many, those who have been away for the longest start anew.
 */
export function createMeters<Client>(
  create: (client: Client) => Meter,
  periodMs: number,
  most: number,
): Meters<Client> {
  let current = new Map<Client, Meter>();
  let before = new Map<Client, Meter>();
  let period = 0;

  function begin(next: number): void {
    before = next - period > 1 ? new Map() : current;
    current = new Map();
    period = next;
  }

  function find(client: Client): Meter {
    const known = current.get(client);
    if (known !== undefined) return known;
    if (current.size >= most) begin(period);
    const meter = before.get(client) ?? create(client);
    before.delete(client);
    current.set(client, meter);
    return meter;
  }

  return {
    count(client, now) {
      const at = Math.floor(now / periodMs);
      if (at !== period) begin(at);
      return find(client)(now);
    },
    size: () => current.size + before.size,
  };
}
