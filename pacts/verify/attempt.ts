/** One interaction under verification: what the gateway was asked for it, and why it cannot be verified. */

import { randomUUID } from 'node:crypto';
import type { SentCredential } from '../../conformance/http/credentials.ts';
import type { Exchange, RecordedRequest } from '../../conformance/http/exchange.ts';
import type { Session } from '../../conformance/run/session.ts';
import type { Pact, PactInteraction, State } from '../pact.ts';
import { providerStates } from '../states.ts';
import type { NativeResult } from './verifier.ts';

export interface VerifyAttempt {
  /** The state by which the verifier names the interaction. */
  readonly name: string;
  readonly pact: Pact;
  readonly interaction: PactInteraction;
  /** The numbers of its exchanges: those that reached its states, then its own. */
  readonly exchanges: number[];
  /** The values that its states inject. */
  values: Readonly<Record<string, string | number>>;
  credential?: SentCredential | undefined;
  /** How many animals its states have brought. */
  animals: number;
  /** What the verifier sent, with or without the path of a base address; undefined if nothing. */
  asked?: RecordedRequest;
  /** The answer to its request, or why there is none; undefined if it was not sent to the target. */
  exchange?: Exchange;
  /** What the verifier found; undefined if something blocked it. */
  result?: NativeResult | undefined;
  /** Why it cannot be verified. */
  blockedBy: string | undefined;
  /** Why a different answer is not a failure. */
  excuse?: string | undefined;
  /** Whether `blockedBy` is an option that the user did not give, or chose. */
  readonly isExcused: boolean;
}

/** Whether a state creates animals; the interface does not say how soon they appear. */
export function createsAnimals(name: State['name']): boolean {
  return name === providerStates.animalExists || name === providerStates.animalsExist;
}

/** The option because of which an interaction is not verified: one that the user did not give, or chose. */
function optionAgainst({ keys, settings }: Session, { states, operation, status }: PactInteraction) {
  if (keys.rateLimit === undefined && states.some(({ name }) => name === providerStates.limitExceeded)) {
    return 'set PETSTORE_RATE_LIMIT_KEY to a key that may be exhausted';
  }
  if (!settings.isReadOnly) return undefined;
  if (states.some(({ name }) => createsAnimals(name))) return 'the state needs an animal, and the run is read-only';
  return operation === 'createPet' && status < 400 ? 'the run is read-only' : undefined;
}

/** An interaction that was not verified yet; the verifier is not given one that is blocked. */
export function createAttempt(session: Session, pact: Pact, interaction: PactInteraction): VerifyAttempt {
  const option = optionAgainst(session, interaction);
  const blockedBy = interaction.isMessage ? 'it is a message, but the interface shows none' : option;
  const isExcused = option !== undefined;
  return { name: randomUUID(), pact, interaction, exchanges: [], values: {}, animals: 0, blockedBy, isExcused };
}
