/** The operations that the interface shows (§4), and which one a request asks for. A test compares them with openapi.yaml. */

import type { components } from './openapi.ts';

/** The states of an animal (§2, §3). */
export type PetStatus = components['schemas']['PetStatus'];
export const petStatuses = ['available', 'pending', 'sold'] as const satisfies readonly PetStatus[];
/** All states in a sentence: "available, pending or sold". */
export const petStatusesInWords = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(petStatuses);

/** How many animals a client may ask for in one page, at least and at most, and how many it gets without asking (§4.1). */
export const pageLimit = { least: 1, most: 100, usual: 20 } as const;
/** The limits that a client may ask for in a sentence: "from 1 to 100". */
export const pageLimitInWords = `from ${pageLimit.least} to ${pageLimit.most}`;

/** Each with the HTTP statuses and the query parameters that §4 lists for it. */
export const operations = {
  listPets: { method: 'GET', path: '/pets', statuses: [200, 401], query: ['limit', 'status'] },
  createPet: { method: 'POST', path: '/pets', statuses: [201, 400, 401], query: [] },
  getPet: { method: 'GET', path: '/pets/{petId}', statuses: [200, 401, 404], query: [] },
} as const;

const statusesOfAll: readonly number[] = Object.values(operations).flatMap(({ statuses }) => [...statuses]);
/** The statuses that §4 lists for some operation, and 429, which §7 lists for every operation. */
export const listedStatuses: readonly number[] = [...new Set([...statusesOfAll, 429])].toSorted((a, b) => a - b);

/** The name of an operation that the interface shows (§4). */
export type OperationName = keyof typeof operations;
/** `other` is everything that the interface does not show (§4.4). */
export type Operation = OperationName | 'other';

/** The text that stands for petId in a path of getPet; undefined for any other path. */
export function petIdIn(path: string): string | undefined {
  return /^\/pets\/([^/]+)$/.exec(path)?.[1];
}

/** The operation that a method and a path ask for; the path is relative to the base address and has no query. */
export function operationOf(method: string, path: string): Operation {
  if (method === 'POST' && path === '/pets') return 'createPet';
  if (method === 'GET' && path === '/pets') return 'listPets';
  if (method === 'GET' && petIdIn(path) !== undefined) return 'getPet';
  return 'other';
}

/** Whether §4.1 allows the text of a limit, or its absence. */
export function isAllowedLimit(limit: string | null): boolean {
  if (limit === null) return true;
  // Another spelling of an integer, such as 01 or 1.0, is none that the interface shows.
  return /^[1-9]\d*$/.test(limit) && Number(limit) >= pageLimit.least && Number(limit) <= pageLimit.most;
}
