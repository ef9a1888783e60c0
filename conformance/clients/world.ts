/** A world: a service that keeps the interface, described by what it does otherwise than the reference server. */

import type { Handle, NewPet } from '../../reference-server/index.ts';
import type { ClientStatementId } from '../../spec/client-statements.ts';
import type { GapChoices } from '../../spec/gaps.ts';

/** What a world is told about the client that visits it. */
export interface Surroundings {
  /** The category that exists, whichever do not. */
  readonly categoryId: bigint;
  /** The base address of another host, which only answers name; where no turn leads there, nobody answers. */
  readonly elsewhere: string;
  /** How many requests the client sent to the reference server. */
  readonly usualRequests: number;
}

/** One thing that a world does otherwise. */
export interface Turn {
  /** As a user reads it, for example `list-order: newest-first`. */
  readonly id: string;
  /** The statement that a client breaks which does not work there. */
  readonly statement: ClientStatementId;
  /** What a service does that has it, in a sentence. */
  readonly meaning: string;
  readonly gaps?: Partial<GapChoices>;
  readonly wrap?: (surroundings: Surroundings) => (handle: Handle) => Handle;
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

export interface World {
  readonly id: string;
  /** None in the reference world. */
  readonly turns: readonly Turn[];
}

export const referenceWorld: World = { id: 'reference', turns: [] };

export function worldOf(turns: readonly Turn[]): World {
  return { id: turns.map(({ id }) => id).join(' + '), turns };
}

/** How long every answer is held back in slow worlds, milliseconds: what is sent meanwhile was sent without knowing it. */
export const slowAnswerMs = 60;
