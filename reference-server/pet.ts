/** An animal as a client describes it (§2). */

import type { components } from '../spec/openapi.ts';
import type { JsonValue } from './json.ts';

/** Whether an animal can be had (§2, §3). */
export type PetStatus = components['schemas']['PetStatus'];

/** An animal to be added; `more` holds further fields where the server keeps them. */
export interface NewPet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status?: PetStatus;
  readonly more?: Readonly<Record<string, JsonValue>>;
}

const statuses: ReadonlySet<unknown> = new Set<PetStatus>(['available', 'pending', 'sold']);

/** Whether a value is one of the three. */
export function isPetStatus(value: unknown): value is PetStatus {
  return statuses.has(value);
}
