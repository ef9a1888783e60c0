/** A service variant: a service that keeps the interface, described by how it differs from the reference server. */

import type { NewPet } from '../../reference-server/index.ts';
import type { Wrap } from '../../reference-server/twin/wraps.ts';
import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { AnswerId, GapChoices, OpenGapId } from '../../spec/gaps.ts';
import type { Operation } from '../../spec/operations.ts';
import { manyAnimals } from '../sections/4.1-list-pets/other-clients.ts';

/** One request of the usual run: the first, second, … of its operation. */
export interface UsualRequest {
  readonly operation: Operation;
  readonly nth: number;
}

/** What is known of a client from its earlier runs. */
export interface ClientHabits {
  /** The requests with a key that the client sent to the base service, in order. */
  readonly usual: readonly UsualRequest[];
  /** A request that the client repeats after a plain 429; undefined until one is known. */
  readonly repeated?: UsualRequest;
  /** The longest time that the client waited after a 429, milliseconds. */
  readonly longestPauseMs: number;
}

/** What a variation knows of its surroundings. */
export interface VariationContext extends ClientHabits {
  /** The category that every service variant has. */
  readonly categoryId: bigint;
  /** The base address of another host; nobody answers there unless the variation leads there. */
  readonly otherHost: string;
}

/** One difference from the reference server. */
export interface Variation {
  /** For a person, for example `list-order: newest-first`. */
  readonly id: string;
  /** The requirement that a client breaks if it does not work with this difference. */
  readonly requirement: ClientRequirementId;
  /** What such a service does, in a sentence. */
  readonly meaning: string;
  /** The gap that it answers, if it is one answer to a gap. */
  readonly answer?: { readonly gap: OpenGapId; readonly id: AnswerId };
  readonly gaps?: Partial<GapChoices>;
  readonly wrap?: (context: VariationContext) => Wrap;
  /** Animals of other clients, in place of those of the base service. */
  readonly animals?: readonly NewPet[];
  /** Set if an answer names another host. */
  readonly leadsToOtherHost?: true;
  /** The time of the service, Unix milliseconds; that of the client if undefined. */
  readonly startsAt?: number;
  /** Set if the client is made to wait: more of these can run at a time. */
  readonly isSlow?: true;
  /** Set if a client may go on or give up: only its requests are judged. */
  readonly isOutcomeOpen?: true;
  /** The service that differs from this one only in the question at hand; the base service if undefined. */
  readonly control?: (habits: ClientHabits) => Variation | undefined;
}

export interface ServiceVariant {
  readonly id: string;
  /** None in the reference service. */
  readonly variations: readonly Variation[];
  /** Whether the catalogue holds some animals of other clients; otherwise it is empty at first. */
  readonly hasOtherAnimals: boolean;
  /** Answers to gaps in place of those of the reference server. */
  readonly gaps?: Partial<GapChoices>;
}

/** The reference server with an empty catalogue. */
export const referenceVariant: ServiceVariant = { id: 'reference', variations: [], hasOtherAnimals: false };

/** Six animals, of every status and without one: few enough for every page, enough for an order and a filter to show. */
export const someAnimals: readonly NewPet[] = manyAnimals(6);

export function variantWith(variations: readonly Variation[], hasOtherAnimals = true): ServiceVariant {
  return { id: variations.map(({ id }) => id).join(' + '), variations, hasOtherAnimals };
}

export function animalsOf({ variations, hasOtherAnimals }: ServiceVariant): readonly NewPet[] {
  return variations.find(({ animals }) => animals !== undefined)?.animals ?? (hasOtherAnimals ? someAnimals : []);
}

export function isSlow({ variations }: ServiceVariant): boolean {
  return variations.some((variation) => variation.isSlow);
}
