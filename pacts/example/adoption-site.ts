/** A worked consumer: the client of a site that shows animals to adopt. It honours Retry-After (§8). */

import type { components } from '../../spec/openapi.ts';

export type Pet = components['schemas']['Pet'];
export type NewPet = components['schemas']['NewPet'];

/** An Error of the service, or another failed answer. */
export class PetStoreError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface AdoptionSiteOptions {
  readonly baseUrl: string;
  readonly key?: string;
  /** The most attempts for one request; 4 by default. */
  readonly attempts?: number;
  /** Injected, so that tests do not wait. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly now?: () => number;
  readonly fetch?: typeof globalThis.fetch;
}

export interface AdoptionSite {
  readonly listAvailable: (limit: number) => Promise<readonly Pet[]>;
  readonly offer: (pet: NewPet) => Promise<Pet>;
  /** Resolves with undefined if no animal has this id. */
  readonly find: (id: number) => Promise<Pet | undefined>;
}

const firstBackoffMs = 500;

/** Milliseconds until the next attempt: doubled each time, and never shorter than Retry-After. */
function backoffMs(attempt: number, retryAfter: string | null, now: number): number {
  const backoff = firstBackoffMs * 2 ** (attempt - 1);
  if (retryAfter === null) return backoff;
  const asked = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now;
  return Number.isNaN(asked) ? backoff : Math.max(backoff, asked);
}

export function createAdoptionSite({
  baseUrl,
  key,
  attempts = 4,
  sleep,
  now = Date.now,
  fetch = globalThis.fetch,
}: AdoptionSiteOptions): AdoptionSite {
  async function send(path: string, init: { method?: string; body?: string } = {}): Promise<Response> {
    const headers = new Headers();
    if (key !== undefined) headers.set('authorization', `Bearer ${key}`);
    if (init.body !== undefined) headers.set('content-type', 'application/json');
    for (let attempt = 1; ; attempt += 1) {
      const response = await fetch(baseUrl + path, { ...init, headers });
      // A creation that got 429 was not carried out, so it may be sent again as well.
      if (response.status !== 429 || attempt >= attempts) return response;
      await response.body?.cancel();
      await sleep(backoffMs(attempt, response.headers.get('retry-after'), now()));
    }
  }

  async function read<Result>(response: Response): Promise<Result> {
    if (response.ok) return (await response.json()) as Result;
    const body: unknown = await response.json().catch(() => undefined);
    const message = typeof body === 'object' && body !== null && 'message' in body ? String(body.message) : '';
    throw new PetStoreError(response.status, message || `the service answered ${response.status}`);
  }

  return {
    listAvailable: async (limit) => read(await send(`/pets?status=available&limit=${limit}`)),
    offer: async (pet) => read(await send('/pets', { method: 'POST', body: JSON.stringify(pet) })),
    find: async (id) => {
      const response = await send(`/pets/${id}`);
      if (response.status === 404) return undefined;
      return read(response);
    },
  };
}
