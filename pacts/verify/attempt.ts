/** One interaction under verification: what can prevent that, and what came of it. */

import { randomUUID } from 'node:crypto';
import type { SentCredential } from '../../conformance/http/credentials.ts';
import type { Exchange, RecordedRequest } from '../../conformance/http/exchange.ts';
import type { Session } from '../../conformance/run/session.ts';
import { isHttp, type Pact, type PactInteraction, type State } from '../pact.ts';
import { providerStates } from '../states.ts';

/** Why an interaction cannot be verified. */
interface Obstacle {
  readonly why: string;
  /** Set if it is an option that the user did not give, or chose. */
  readonly isExcused?: true;
}

/** An interaction cannot be verified; the message says why, for people. */
export class NotVerifiable extends Error {}

/** What the states of an interaction have brought. */
export interface Reached {
  /** The values that they inject. */
  readonly values: Readonly<Record<string, string | number>>;
  readonly credential?: SentCredential | undefined;
  /** How many animals they have brought. */
  readonly animals: number;
}

/** The answer to the request of an interaction. */
export interface Forwarded {
  /** It may have a failure in place of a response. */
  readonly exchange: Exchange;
  /** Why another answer than the expected one is no failure of the target. */
  readonly excuse?: string | undefined;
}

/** What came of an interaction at the gateway. */
export interface Attempted extends Partial<Forwarded> {
  /** The state by which the verifier names the interaction. */
  readonly name: string;
  readonly pact: Pact;
  readonly interaction: PactInteraction;
  /** The numbers of its exchanges: those that reached its states, then its own. */
  readonly exchanges: readonly number[];
  readonly reached: Reached;
  /** What the verifier sent, with or without the path of a base address; undefined if nothing. */
  readonly asked?: RecordedRequest | undefined;
  readonly obstacle?: Obstacle | undefined;
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

/** What is known to prevent the verification before it begins. */
function obstacleTo(session: Session, interaction: PactInteraction): Obstacle | undefined {
  const { type, status } = interaction;
  if (/message/i.test(type)) return { why: 'it is a message, but the interface shows none' };
  if (!isHttp(interaction)) return { why: `its type is "${type}", but the interface has requests of HTTP alone` };
  if (Number.isNaN(status)) return { why: 'the status of its response is no number' };
  const option = optionAgainst(session, interaction);
  return option === undefined ? undefined : { why: option, isExcused: true };
}

/** An interaction that was not verified yet; the verifier is not given one that has an obstacle. */
export function createAttempt(session: Session, pact: Pact, interaction: PactInteraction): Attempted {
  return {
    name: randomUUID(),
    pact,
    interaction,
    exchanges: [],
    reached: { values: {}, animals: 0 },
    obstacle: obstacleTo(session, interaction),
  };
}
