/** The interactions under verification, one after the other: what their states gave, and what hindered them. */

import type { PactInteraction, State } from '../pact.ts';
import { BudgetSpent, RunStopped, type SentCredential, type Session } from './kit.ts';
import { NotReachable, NotWanted, type Reached } from './reached.ts';

/** What came of one interaction, as far as it went through the gateway. */
export interface Attempt {
  readonly exchanges: readonly number[];
  /** Whether its request was here: only then there is something to judge. */
  readonly isAsked: boolean;
  /** Why its state cannot be reached, or its request cannot be sent. */
  readonly hindrance?: string;
  /** Whether the hindrance is something that the user did not give, or did not want. */
  readonly isForUser?: boolean;
  /** Why its request has no answer. */
  readonly failure?: string;
  /** Why another answer than the recorded one is no failure. */
  readonly excuse?: string | undefined;
}

/** An attempt under way. */
export interface CurrentAttempt extends Attempt {
  /** Undefined where the verifier asks for more than it was given. */
  readonly expected: PactInteraction | undefined;
  readonly exchanges: number[];
  /** Those that were entered for it. */
  readonly states: State[];
  values: Reached['values'];
  credential: SentCredential | undefined;
  isAsked: boolean;
  hindrance?: string;
  isForUser?: boolean;
  failure?: string;
  excuse: string | undefined;
  /** Set by the end of its states: what comes then belongs to the next. */
  isOver: boolean;
}

export interface Attempts {
  /** Names the interactions that come next. */
  readonly expect: (interactions: readonly PactInteraction[]) => void;
  /** The one that what comes now belongs to. */
  readonly current: () => CurrentAttempt;
  /** The last one, even if it is over. */
  readonly last: () => CurrentAttempt | undefined;
  /** Runs something that sends, unless the attempt is hindered; what hinders it then is noted and ends nothing. */
  readonly work: <Result>(attempt: CurrentAttempt, send: () => Promise<Result>) => Promise<Result | undefined>;
  /** Runs something that sends for no attempt; what hinders it will hinder those that need it. */
  readonly workAhead: (send: () => Promise<unknown>) => Promise<void>;
  /** Begins with new interactions, and hands over what came of those before. */
  readonly take: () => readonly Attempt[];
  /** What ended the run, if anything did. */
  readonly stopped: () => RunStopped | undefined;
}

export function createAttempts(session: Session): Attempts {
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
      isAsked: false,
      excuse: undefined,
      isOver: false,
      ...(ended === undefined ? {} : { hindrance: ended.message }),
    };
    attempts.push(attempt);
    return attempt;
  }

  function notice(error: unknown): asserts error is Error {
    if (error instanceof RunStopped) ended = error;
    else if (!(error instanceof NotReachable) && !(error instanceof BudgetSpent)) throw error;
  }

  function hinder(attempt: CurrentAttempt, error: unknown): void {
    notice(error);
    attempt.isForUser = error instanceof NotWanted;
    attempt.hindrance = error instanceof BudgetSpent ? `${error.message}; raise it` : error.message;
  }

  return {
    expect(interactions) {
      expected = interactions;
    },
    current() {
      const last = attempts.at(-1);
      return last === undefined || last.isOver ? begin() : last;
    },
    last: () => attempts.at(-1),
    async work(attempt, send) {
      if (attempt.hindrance !== undefined) return undefined;
      const before = session.exchanges.length;
      try {
        return await send();
      } catch (error) {
        hinder(attempt, error);
        return undefined;
      } finally {
        attempt.exchanges.push(...session.exchanges.slice(before).map(({ number }) => number));
      }
    },
    async workAhead(send) {
      if (ended === undefined) await send().catch(notice);
    },
    take() {
      const taken = attempts;
      attempts = [];
      expected = [];
      return taken;
    },
    stopped: () => ended,
  };
}
