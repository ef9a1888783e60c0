/** Faulty servers: each fault changes the requests to a conforming store, or its answers. */

import type { ApiKey, Handle, StoreRequest, StoreResponse } from '../index.ts';

/** One wrong behaviour, as a wrapper around a handle. The faults of the kit are in petstore-conformance/faults. */
export interface ServerFault {
  readonly id: string;
  /** The requirements that it breaks. */
  readonly breaks: readonly string[];
  /** Adds the fault to a server. */
  readonly wrap: (handle: Handle) => Handle;
  /** The base path of a service with this fault; /v1 by default. */
  readonly basePath?: string;
}

/** Faults are written for servers with these keys and no others. One key mixes cases, since a fault may ignore the case. */
export const faultKeys = ['Fault-Key-0aB1cD2eF3gH', 'Limit-Key-9zY8xW7vU6tS'] as const;

type Replace = (text: string) => string;

function replaceAll(pairs: Pairs): Replace {
  return (text) => pairs.reduce((changed, [from, to]) => changed.replaceAll(from, to), text);
}

/** Keys are ASCII: as latin1 the bytes around them pass through a string unchanged. */
function changeRequest({ headers, target, body, ...rest }: StoreRequest, replace: Replace): StoreRequest {
  return {
    ...rest,
    target: replace(target),
    headers: headers.map(([name, value]) => [name, replace(value)] as const),
    body: Buffer.from(replace(Buffer.from(body).toString('latin1')), 'latin1'),
  };
}

function changeAnswer({ status, headers, body }: StoreResponse, replace: Replace): StoreResponse {
  const changed = Object.entries(headers).map(([name, value]) => [name, replace(value)]);
  return { status, headers: Object.fromEntries(changed), body: replace(body) };
}

type Pairs = readonly (readonly [from: string, to: string])[];

/** A handle that sees other keys than its clients send, and shows them their own in its answers. */
function translateKeys(handle: Handle, pairs: Pairs): Handle {
  if (pairs.length === 0) return handle;
  const inwards = replaceAll(pairs);
  const outwards = replaceAll(pairs.map(([from, to]) => [to, from] as const));
  return (request, now) => changeAnswer(handle(changeRequest(request, inwards), now), outwards);
}

/** The keys of a server, and those that faults know in their place. */
function pairKeys(keys: readonly ApiKey[]): Pairs {
  return faultKeys.flatMap((theirs, at) => {
    const ours = keys[at]?.key;
    return ours === undefined || ours === theirs ? [] : [[ours, theirs] as const];
  });
}

/** The base path of a server with these faults; throws a RangeError where they need different ones. */
export function basePathOf(faults: readonly ServerFault[]): string {
  const paths = [...new Set(faults.flatMap(({ basePath }) => basePath ?? []))];
  if (paths.length <= 1) return paths[0] ?? '/v1';
  throw new RangeError(`These faults put the server at ${paths.join(' and ')}: take one of them.`);
}

/** The keys of a server, the first two replaced by those that faults know. */
export function keysForFaults(keys: readonly ApiKey[]): readonly ApiKey[] {
  return keys.map((key, at) => ({ ...key, key: faultKeys[at] ?? key.key }));
}

/**
 * Adds faults to a handle with the keys that faults know, the first innermost. Clients use the keys of the server. Only
 * whole keys are replaced: a fault takes a near miss of a key for any other key.
 */
export function withFaults(handle: Handle, faults: readonly ServerFault[], keys: readonly ApiKey[]): Handle {
  const faulty = faults.reduce((inner, { wrap }) => wrap(inner), handle);
  return translateKeys(faulty, pairKeys(keys));
}

/** Adds a fault to a handle with the keys of its clients, so that it can be taken away again. */
export function withPassingFault(handle: Handle, fault: ServerFault, keys: readonly ApiKey[]): Handle {
  const pairs = pairKeys(keys);
  const inner = translateKeys(
    handle,
    pairs.map(([ours, theirs]) => [theirs, ours] as const),
  );
  return translateKeys(fault.wrap(inner), pairs);
}
