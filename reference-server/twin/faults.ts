/** Faulty servers: each fault changes the requests to a conforming store, or its answers. */

import type { ApiKey } from '../index.ts';
import type { Keys, Wrap } from './wraps.ts';

/** One wrong behaviour, as a wrapper around a handle. The faults of the kit are in petstore-conformance/faults. */
export interface ServerFault {
  readonly id: string;
  /** The requirements that it breaks. */
  readonly breaks: readonly string[];
  /** Adds the fault to a server with some keys. */
  readonly wrap: Wrap;
  /** The base path of a service with this fault; /v1 by default. */
  readonly basePath?: string;
}

/** The keys of a server as faults take them. */
export function keysFor([api, rateLimit]: readonly ApiKey[]): Keys {
  return { api: api?.key ?? '', rateLimit: rateLimit?.key ?? '' };
}

/** The base path of a server with these faults; throws a RangeError where they need different ones. */
export function basePathOf(faults: readonly ServerFault[]): string {
  const paths = [...new Set(faults.flatMap(({ basePath }) => basePath ?? []))];
  if (paths.length <= 1) return paths[0] ?? '/v1';
  throw new RangeError(`These faults put the server at ${paths.join(' and ')}: take one of them.`);
}
