/** A worked consumer: the client of a site that shows animals to adopt. It honours Retry-After (§8). */

import type { components } from '../../spec/openapi.ts';

export type Pet = components['schemas']['Pet'];
export type NewPet = components['schemas']['NewPet'];

/** A failed answer. */
export class PetStoreError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the service answered ${status}`);
    this.status = status;
  }
}

export interface AdoptionSiteOptions {
  readonly baseUrl: string;
  readonly key?: string;
  /** The most attempts for one request; 4 by default. */
  readonly attempts?: number;
  /** Injected, so that tests do not wait. */
  readonly sleep?: (ms: number) => Promise<void>;
  readonly now?: () => number;
  readonly fetch?: typeof globalThis.fetch;
}

/** Milliseconds until the next attempt: half a second, doubled each time, and never shorter than Retry-After. */
function backoffMs(attempt: number, retryAfter: string | null, now: number): number {
  const asked = /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) * 1000 : Date.parse(retryAfter ?? '') - now;
  return Math.max(500 * 2 ** (attempt - 1), asked || 0);
}

export function createAdoptionSite({
  baseUrl,
  key,
  attempts = 4,
  sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  now = Date.now,
  fetch = globalThis.fetch,
}: AdoptionSiteOptions) {
  async function send<Result>(path: string, init: { method?: string; body?: string } = {}): Promise<Result> {
    const headers = new Headers(init.body === undefined ? {} : { 'content-type': 'application/json' });
    if (key !== undefined) headers.set('authorization', `Bearer ${key}`);
    for (let attempt = 1; ; attempt += 1) {
      const response = await fetch(baseUrl + path, { ...init, headers });
      if (response.ok) return (await response.json()) as Result;
      await response.body?.cancel();
      // A creation that got 429 was not carried out, so it may be sent again as well.
      if (response.status !== 429 || attempt >= attempts) throw new PetStoreError(response.status);
      await sleep(backoffMs(attempt, response.headers.get('retry-after'), now()));
    }
  }

  return {
    listAvailable: (limit: number) => send<readonly Pet[]>(`/pets?status=available&limit=${limit}`),
    offer: (pet: NewPet) => send<Pet>('/pets', { method: 'POST', body: JSON.stringify(pet) }),
    /** Resolves with undefined if no animal has this id. */
    find: (id: number) =>
      send<Pet>(`/pets/${id}`).catch((error: unknown) => {
        if (error instanceof PetStoreError && error.status === 404) return undefined;
        throw error;
      }),
  };
}
