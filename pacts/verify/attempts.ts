/** The interactions that the verifier was given, in their order, each with what the gateway saw of it. */

import type { SentCredential } from '../../conformance/http/credentials.ts';
import { readNewPet } from '../../conformance/http/read-request.ts';
import { BudgetSpent } from '../../conformance/run/budget.ts';
import { RunStopped } from '../../conformance/run/pace.ts';
import type { Session } from '../../conformance/run/session.ts';
import type { Pact, PactInteraction, State } from '../pact.ts';
import { providerStates } from '../states.ts';
import { claimsOf } from './claims.ts';
import { createsAnimals, NotVerifiable, type Reached } from './states.ts';

/** One interaction under verification. */
export interface Attempt {
  readonly pact: Pact;
  readonly interaction: PactInteraction;
  /** The numbers of its exchanges: those that reached its states, then its own. */
  readonly exchanges: number[];
  readonly states: State[];
  values: Reached['values'];
  credential: SentCredential | undefined;
  /** How many animals its states have brought. */
  animals: number;
  /** Whether the verifier sent its request; otherwise there is nothing to judge. */
  isSent: boolean;
  /** Set at the teardown of its states; later requests belong to the next interaction. */
  isOver: boolean;
  /** Why its state cannot be reached or its request cannot be sent. */
  blockedBy: string | undefined;
  /** Whether `blockedBy` is an option that the user did not give, or chose. */
  readonly isExcused: boolean;
  /** Whether the verifier is not given it at all. */
  readonly isLeftOut: boolean;
  /** Why its request has no answer. */
  failure?: string | undefined;
  /** Why a different answer is not a failure. */
  excuse?: string | undefined;
}

/** The option because of which an interaction is not verified: one that the user did not give, or chose. */
function optionAgainst({ keys, settings }: Session, interaction: PactInteraction): string | undefined {
  const { states } = interaction;
  if (keys.rateLimit === undefined && states.some(({ name }) => name === providerStates.limitExceeded.name)) {
    return 'set PETSTORE_RATE_LIMIT_KEY to a key that may be exhausted';
  }
  if (!settings.isReadOnly) return undefined;
  if (states.some(createsAnimals)) return 'the state needs an animal, and the run is read-only';
  const { operation, method, path, sentText, mediaType, status } = claimsOf(interaction);
  const request = { method, target: path, body: sentText, headers: { 'content-type': mediaType } };
  const isCreation = operation === 'createPet' && readNewPet({ request }).kind !== 'invalid';
  return isCreation && status !== 401 ? 'the run is read-only' : undefined;
}

export function createAttempts(session: Session, requiresAll: boolean) {
  let given: Attempt[] = [];
  let current: Attempt | undefined;
  let ended: RunStopped | undefined;

  function note(attempt: Attempt, error: unknown): void {
    if (error instanceof RunStopped) ended = error;
    else if (!(error instanceof NotVerifiable) && !(error instanceof BudgetSpent)) throw error;
    attempt.blockedBy = error.message;
  }

  return {
    /** Adds the interactions of a pact, and returns those that the verifier is to be given: not those that are left out. */
    give(pact: Pact): readonly PactInteraction[] {
      const all = pact.interactions.map((interaction): Attempt => {
        const option = optionAgainst(session, interaction);
        const none = { exchanges: [], states: [], values: {}, credential: undefined, animals: 0, isSent: false };
        const isLeftOut = interaction.obstacle !== undefined || (option !== undefined && !requiresAll);
        const blockedBy = interaction.obstacle?.reason ?? option;
        return { ...none, pact, interaction, isLeftOut, isOver: isLeftOut, blockedBy, isExcused: option !== undefined };
      });
      given.push(...all);
      return all.filter(({ isLeftOut }) => !isLeftOut).map(({ interaction }) => interaction);
    },
    /** The interaction to which the next request belongs; undefined if the verifier sends more than it was given. */
    current(): Attempt | undefined {
      if (current !== undefined && !current.isOver) return current;
      current = given.find(({ isOver }) => !isOver);
      if (current === undefined) return undefined;
      session.enter(session.redact(current.pact.consumer));
      current.blockedBy ??= ended?.message;
      return current;
    },
    end(): void {
      if (current !== undefined) current.isOver = true;
    },
    /** Runs a function that sends requests, unless the attempt is blocked. An obstacle is noted and does not reject. */
    async work<Result>(attempt: Attempt, send: () => Promise<Result>): Promise<Result | undefined> {
      if (attempt.blockedBy !== undefined) return undefined;
      const before = session.exchanges.length;
      try {
        return await send();
      } catch (error) {
        note(attempt, error);
        return undefined;
      } finally {
        attempt.exchanges.push(...session.exchanges.slice(before).map(({ number }) => number));
      }
    },
    /** Returns the interactions so far, and starts over. */
    take(): readonly Attempt[] {
      const taken = given;
      given = [];
      current = undefined;
      return taken;
    },
    /** The reason why the run ended; undefined while it goes on. */
    stopped: () => ended,
  };
}

export type Attempts = ReturnType<typeof createAttempts>;
