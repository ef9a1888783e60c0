/** Keeps the state of each interaction under verification: the values of its states, and what blocked it. */

import type { SentCredential } from '../../conformance/http/credentials.ts';
import { BudgetSpent } from '../../conformance/run/budget.ts';
import { RunStopped } from '../../conformance/run/pace.ts';
import type { Session } from '../../conformance/run/session.ts';
import { defined } from '../../spec/defined.ts';
import type { PactInteraction, State } from '../pact.ts';
import { NotVerifiable, type ReachedState, SkippedByUser } from './reached.ts';

export interface CurrentAttempt {
  /** Undefined if the verifier sends more requests than it has interactions. */
  readonly expected: PactInteraction | undefined;
  readonly exchanges: number[];
  readonly states: State[];
  values: ReachedState['values'];
  credential: SentCredential | undefined;
  /** Whether the verifier sent its request; otherwise there is nothing to judge. */
  isSent: boolean;
  /** The reason why its state cannot be reached or its request cannot be sent. */
  blockedBy?: string;
  /** Whether `blockedBy` is an option that the user did not give, or chose. */
  isUserChoice?: boolean;
  /** The reason why its request has no answer. */
  failure?: string;
  /** The reason why a different answer is not a failure. */
  excuse?: string | undefined;
  /** Set at the teardown of its states; later requests belong to the next interaction. */
  isOver: boolean;
}

/** One interaction as the gateway saw it. */
export type Attempt = Readonly<Omit<CurrentAttempt, 'expected' | 'states' | 'values' | 'credential' | 'isOver'>>;

export function createAttempts(session: Session) {
  let attempts: CurrentAttempt[] = [];
  let expected: readonly PactInteraction[] = [];
  let ended: RunStopped | undefined;

  function begin(): CurrentAttempt {
    const attempt: CurrentAttempt = {
      expected: expected[attempts.length],
      exchanges: [],
      states: [],
      values: {},
      credential: undefined,
      isSent: false,
      isOver: false,
      ...defined({ blockedBy: ended?.message }),
    };
    attempts.push(attempt);
    return attempt;
  }

  function note(error: unknown): asserts error is Error {
    if (error instanceof RunStopped) ended = error;
    else if (!(error instanceof NotVerifiable) && !(error instanceof BudgetSpent)) throw error;
  }

  function block(attempt: CurrentAttempt, error: unknown): void {
    note(error);
    attempt.isUserChoice = error instanceof SkippedByUser;
    attempt.blockedBy = error.message;
  }

  return {
    expect(interactions: readonly PactInteraction[]): void {
      expected = interactions;
    },
    current(): CurrentAttempt {
      const last = attempts.at(-1);
      return last === undefined || last.isOver ? begin() : last;
    },
    /** The last attempt, even if it is over. */
    last: () => attempts.at(-1),
    /** Runs a function that sends requests, unless the attempt is blocked. An obstacle is noted and does not reject. */
    async work<Result>(attempt: CurrentAttempt, send: () => Promise<Result>): Promise<Result | undefined> {
      if (attempt.blockedBy !== undefined) return undefined;
      const before = session.exchanges.length;
      try {
        return await send();
      } catch (error) {
        block(attempt, error);
        return undefined;
      } finally {
        attempt.exchanges.push(...session.exchanges.slice(before).map(({ number }) => number));
      }
    },
    /** Runs a function that sends requests ahead of any attempt. An obstacle will block the attempts that need it. */
    async workAhead(send: () => Promise<unknown>): Promise<void> {
      if (ended === undefined) await send().catch(note);
    },
    /** Returns the attempts so far, and starts over. */
    take(): readonly Attempt[] {
      const taken = attempts;
      attempts = [];
      expected = [];
      return taken;
    },
    /** The reason why the run ended; undefined while it goes on. */
    stopped: () => ended,
  };
}

export type Attempts = ReturnType<typeof createAttempts>;
