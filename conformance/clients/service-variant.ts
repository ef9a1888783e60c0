/** A world: a service that keeps the interface, described by what it does otherwise than the reference server. */

import type { Handle, NewPet } from '../../reference-server/index.ts';
import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { GapChoices } from '../../spec/gaps.ts';

/** What a world is told about the client that visits it. */
export interface VariationContext {
  /** The category that exists, whichever do not. */
  readonly categoryId: bigint;
  /** The base address of another host, which only answers name; where no turn leads there, nobody answers. */
  readonly elsewhere: string;
  /** How many requests the client sent to the reference server. */
  readonly usualRequests: number;
}

/** One thing that a world does otherwise. */
export interface Variation {
  /** As a user reads it, for example `list-order: newest-first`. */
  readonly id: string;
  /** The requirement that a client breaks which does not work there. */
  readonly requirement: ClientRequirementId;
  /** What a service does that has it, in a sentence. */
  readonly meaning: string;
  readonly gaps?: Partial<GapChoices>;
  readonly wrap?: (surroundings: VariationContext) => (handle: Handle) => Handle;
  readonly animals?: readonly NewPet[];
  /** Set where an answer names another host. */
  readonly leadsElsewhere?: true;
  /** When it is there, Unix milliseconds; now where nothing is said. */
  readonly startsAt?: number;
  /** Set where the client is made to wait: its world may be visited beside others. */
  readonly isSlow?: true;
  /** Set where it is open whether the client goes on or gives up: only its requests are judged. */
  readonly isOutcomeOpen?: true;
}

export interface ServiceVariant {
  readonly id: string;
  /** None in the reference world. */
  readonly variations: readonly Variation[];
}

export const referenceVariant: ServiceVariant = { id: 'reference', variations: [] };

export function variantWith(turns: readonly Variation[]): ServiceVariant {
  return { id: turns.map(({ id }) => id).join(' + '), variations: turns };
}
