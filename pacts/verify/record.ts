/** Records what came of each interaction, and why the verification goes no further. */

import { BudgetSpent } from '../../conformance/run/budget.ts';
import type { Session } from '../../conformance/run/session.ts';
import { RunStopped } from '../../conformance/run/waits.ts';
import { type Attempted, NotVerifiable } from './attempt.ts';

/** What ends a verification before its last interaction. */
function createEnding() {
  let reason: RunStopped | undefined;
  let broken: unknown;
  return {
    reason: (): RunStopped | undefined => reason,
    /** Nothing further is sent. */
    stop(why: RunStopped): void {
      reason = why;
    },
    /** What an error says to people. Any error that is not for them is one of the kit, and ends the verification. */
    read(error: unknown): string {
      if (error instanceof RunStopped) reason = error;
      const isForPeople = error instanceof RunStopped || error instanceof BudgetSpent || error instanceof NotVerifiable;
      if (isForPeople) return error.message;
      broken ??= error;
      throw error;
    },
    /** Throws an error of the kit, if there was one. */
    throwBroken(): void {
      if (broken !== undefined) throw broken;
    },
  };
}

/** What came of each interaction so far. Nothing else changes it. */
export function createRecord(session: Session) {
  const ending = createEnding();
  let attempted = new Map<string, Attempted>();

  function note(name: string, changes: Partial<Attempted>): Attempted {
    const noted = { ...attempted.get(name)!, ...changes };
    attempted.set(name, noted);
    return noted;
  }

  /** Runs a task for an interaction, unless something prevents it; what prevents it then is noted. */
  async function perform<Result>(name: string, task: (own: Session) => Promise<Result>): Promise<Result | undefined> {
    const { obstacle, exchanges, pact } = attempted.get(name)!;
    if (obstacle !== undefined) return undefined;
    const ended = ending.reason();
    if (ended !== undefined) return void note(name, { obstacle: { why: ended.message } });
    const before = session.exchanges.length;
    try {
      return await task(session.forCheck(session.mask.text(pact.consumer)));
    } catch (error) {
      return void note(name, { obstacle: { why: ending.read(error) } });
    } finally {
      const added = session.exchanges.slice(before).map(({ number }) => number);
      note(name, { exchanges: [...exchanges, ...added] });
    }
  }

  return {
    note,
    perform,
    find: (name: string): Attempted | undefined => attempted.get(name),
    /** Returns the interactions so far, and starts over. */
    take(): readonly Attempted[] {
      const taken = [...attempted.values()];
      attempted = new Map();
      return taken;
    },
    /** Ends the verification: nothing further is sent. */
    end: ending.stop,
    /** The reason why the run ended; undefined while it goes on. Throws an error of the kit. */
    stopped(): RunStopped | undefined {
      ending.throwBroken();
      return ending.reason();
    },
  };
}

export type AttemptRecord = ReturnType<typeof createRecord>;
