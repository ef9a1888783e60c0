/**
 * The role of each operation: the facts of §4 and §9 on which checks depend and for which openapi.yaml has no place. A new
 * operation does not compile before its role is stated here, and a new effect or kind of answer does not compile before
 * every table that is keyed by it has an entry.
 */

import { removalOfGetPet } from './facts.ts';
import type { Operation, OperationName } from './operations.ts';

/** The effect of a successful request on the animals of the service. */
export type Effect = 'none' | 'creates';
/** The animals in the body of a successful answer. */
export type Shown = 'page' | 'known-animal' | 'new-animal';

interface OperationRole {
  readonly effect: Effect;
  readonly shows: Shown;
  /** From this time on the operation is not judged, since it is removed (§9). Unix milliseconds. */
  readonly removedAt?: number;
}

const roles: Readonly<Record<OperationName, OperationRole>> = {
  listPets: { effect: 'none', shows: 'page' },
  createPet: { effect: 'creates', shows: 'new-animal' },
  getPet: { effect: 'none', shows: 'known-animal', removedAt: removalOfGetPet },
};

/** The effect of an operation; `unknown` for one that is not shown (§4.4). */
export function effectOf(operation: Operation): Effect | 'unknown' {
  return operation === 'other' ? 'unknown' : roles[operation].effect;
}

/** The kind of animals in a successful answer; undefined for an operation that is not shown. */
export function animalsShownBy(operation: Operation): Shown | undefined {
  return operation === 'other' ? undefined : roles[operation].shows;
}

/** Whether an operation is removed at a time in Unix milliseconds (§9). */
export function isRemovedAt(operation: Operation, time: number): boolean {
  const removedAt = operation === 'other' ? undefined : roles[operation].removedAt;
  return removedAt !== undefined && time >= removedAt;
}
