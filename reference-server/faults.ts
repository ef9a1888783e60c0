/** A server with faults: each changes what goes in or comes out of a store that keeps the interface. */

import type { StoreResponse } from './answer.ts';
import type { ApiKey } from './keys.ts';
import type { Handle } from './pet-store.ts';
import type { StoreRequest } from './request.ts';

/** One wrong behaviour, as a wrapper around a handle; those of the kit stand in conformance/faults. */
export interface ServerFault {
  readonly id: string;
  /** The requirements that it breaks. */
  readonly breaks: readonly string[];
  /** The server with the fault, of a server without it. */
  readonly wrap: (handle: Handle) => Handle;
  /** Where a service with it stands; /v1 where nothing is said. */
  readonly basePath?: string;
}

/** The keys that faults know: they are written for servers that have these and no others. Mixed case, so that one can ignore it. */
export const keysOfFaults = ['Fault-Key-0aB1cD2eF3gH', 'Limit-Key-9zY8xW7vU6tS'] as const;

/** Puts texts in the place of others, wherever they stand in a text. */
type Exchange = (text: string) => string;

function exchange(pairs: readonly (readonly [from: string, to: string])[]): Exchange {
  return (text) => pairs.reduce((changed, [from, to]) => changed.replaceAll(from, to), text);
}

/** Keys are ASCII, so that bytes around them come through a text of bytes unchanged. */
function changeRequest({ headers, target, body, ...rest }: StoreRequest, change: Exchange): StoreRequest {
  return {
    ...rest,
    target: change(target),
    headers: headers.map(([name, value]) => [name, change(value)] as const),
    body: Buffer.from(change(Buffer.from(body).toString('latin1')), 'latin1'),
  };
}

function changeAnswer({ status, headers, body }: StoreResponse, change: Exchange): StoreResponse {
  const changed = Object.entries(headers).map(([name, value]) => [name, change(value)]);
  return { status, headers: Object.fromEntries(changed), body: change(body) };
}

/** The base path of a server with these faults; throws a RangeError where they stand at different ones. */
export function basePathOf(faults: readonly ServerFault[]): string {
  const paths = [...new Set(faults.flatMap(({ basePath }) => basePath ?? []))];
  if (paths.length <= 1) return paths[0] ?? '/v1';
  throw new RangeError(`These faults put the server at ${paths.join(' and ')}: take one of them.`);
}

/** Keys as faults know them, in the place of the first two of a server. */
export function keysForFaults(keys: readonly ApiKey[]): readonly ApiKey[] {
  return keys.map((key, at) => ({ ...key, key: keysOfFaults[at] ?? key.key }));
}

/**
 * A handle with faults, the first innermost. Faults know keys of their own: to a client the keys are those of its
 * server all the same, but what is nearly one of them is to a fault a key like any other.
 */
export function withFaults(handle: Handle, faults: readonly ServerFault[], keys: readonly ApiKey[]): Handle {
  const wrapped = faults.reduce((inner, { wrap }) => wrap(inner), handle);
  const pairs = keysOfFaults.flatMap((theirs, at) => {
    const ours = keys[at]?.key;
    return ours === undefined || ours === theirs ? [] : [[ours, theirs] as const];
  });
  if (pairs.length === 0) return wrapped;
  const inwards = exchange(pairs);
  const outwards = exchange(pairs.map(([ours, theirs]) => [theirs, ours] as const));
  return (request, now) => changeAnswer(wrapped(changeRequest(request, inwards), now), outwards);
}
