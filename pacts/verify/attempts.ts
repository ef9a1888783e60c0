/** The interactions that the verifier works on: reaches their states, sends their requests, and keeps what came of each. */

import type { RecordedRequest } from '../../conformance/http/exchange.ts';
import { isPetStatus, pageSize, readListing } from '../../conformance/http/read-request.ts';
import { BudgetSpent } from '../../conformance/run/budget.ts';
import { RunStopped } from '../../conformance/run/pace.ts';
import type { Session } from '../../conformance/run/session.ts';
import { type Pact, type PactFields, type PactInteraction, type State, writePact } from '../pact.ts';
import { providerStates } from '../states.ts';
import {
  type Attempted,
  createAttempt,
  createsAnimals,
  type Forwarded,
  NotVerifiable,
  type Reached,
} from './attempt.ts';
import { forward } from './forward.ts';
import { createStates } from './states.ts';

/** A page of fewer animals may hold none of the status, where the limit comes before the filter. */
const fewestForOther = 3;

/** The states to reach for an interaction. */
interface StatesToReach {
  /** Bring what the interaction does not expect. */
  readonly others: readonly State[];
  readonly own: readonly State[];
}

/**
 * A listing by status needs an animal of that status, which version 2 has no parameters to name, and one of another status,
 * which a provider without a filter would list.
 */
function statesToReach({ states, operation, request }: PactInteraction): StatesToReach {
  const listing = readListing({ request: { ...request, headers: {} } });
  const { status } = listing;
  if (operation !== 'listPets' || !isPetStatus(status)) return { others: [], own: states };
  const own = states.map(({ name, params }) =>
    createsAnimals(name) ? { name, params: { status, ...params } } : { name, params },
  );
  const hasRoom = pageSize(listing) >= fewestForOther;
  if (!hasRoom || !states.some(({ name }) => createsAnimals(name))) return { others: [], own };
  const params = { status: status === 'sold' ? 'available' : 'sold' };
  return { others: [{ name: providerStates.animalExists, params }], own };
}

function combined(before: Reached, { values, credential, animals }: Reached): Reached {
  return {
    values: { ...before.values, ...values },
    credential: credential ?? before.credential,
    animals: before.animals + animals,
  };
}

/** What came of each interaction so far. Nothing else changes it. */
function createRecord(session: Session) {
  let attempted = new Map<string, Attempted>();
  let ended: RunStopped | undefined;
  let broken: unknown;

  function note(name: string, changes: Partial<Attempted>): Attempted {
    const noted = { ...attempted.get(name)!, ...changes };
    attempted.set(name, noted);
    return noted;
  }

  /** The reason in an error for people. Any other error is one of the kit, and ends the verification. */
  function whyNot(error: unknown): string {
    if (error instanceof RunStopped) ended = error;
    if (error instanceof RunStopped || error instanceof BudgetSpent || error instanceof NotVerifiable) {
      return error.message;
    }
    broken ??= error;
    throw error;
  }

  return {
    note,
    find: (name: string): Attempted | undefined => attempted.get(name),
    /** Runs a task for an interaction, unless something prevents it; what prevents it then is noted. */
    async perform<Result>(name: string, task: (own: Session) => Promise<Result>): Promise<Result | undefined> {
      const { obstacle, exchanges, pact } = attempted.get(name)!;
      if (obstacle !== undefined) return undefined;
      if (ended !== undefined) return void note(name, { obstacle: { why: ended.message } });
      const before = session.exchanges.length;
      try {
        return await task(session.forCheck(session.mask.text(pact.consumer)));
      } catch (error) {
        return void note(name, { obstacle: { why: whyNot(error) } });
      } finally {
        const added = session.exchanges.slice(before).map(({ number }) => number);
        note(name, { exchanges: [...exchanges, ...added] });
      }
    },
    /** Returns the interactions so far, and starts over. */
    take(): readonly Attempted[] {
      const taken = [...attempted.values()];
      attempted = new Map();
      return taken;
    },
    /** Ends the verification: nothing further is sent. */
    end(reason: RunStopped): void {
      ended = reason;
    },
    /** The reason why the run ended; undefined while it goes on. Throws an error of the kit. */
    stopped(): RunStopped | undefined {
      if (broken !== undefined) throw broken;
      return ended;
    },
  };
}

export function createAttempts(session: Session) {
  const record = createRecord(session);
  const reachOnce = createStates();
  /** The interactions whose state the verifier has posted, in its order: it gives each of them a result. */
  let named: string[] = [];

  async function reachStates({ name, interaction, reached }: Attempted): Promise<Reached> {
    const { others, own } = statesToReach(interaction);
    for (const state of others) await record.perform(name, (mine) => reachOnce(mine, state));
    let all = reached;
    for (const state of own) {
      const brought = await record.perform(name, (mine) => reachOnce(mine, state));
      if (brought !== undefined) all = combined(all, brought);
    }
    return all;
  }

  return {
    /**
     * The text of a pact for the verifier, without interactions that cannot be verified; undefined if none can. The one
     * state of each interaction names it, since the verifier skips pacts that it cannot load.
     */
    give(pact: Pact): string | undefined {
      const added = pact.interactions.map((one) => createAttempt(session, pact, one));
      for (const one of added) record.note(one.name, one);
      const given = added
        .filter(({ obstacle }) => obstacle === undefined)
        .map(({ name, interaction }) => ({ ...interaction.exact, providerStates: [{ name }] }));
      return given.length === 0 ? undefined : writePact(pact, given);
    },

    /** The verifier posts the state that names an interaction before its request. Returns the values that its states inject. */
    async begin({ action, state }: PactFields): Promise<PactFields> {
      const attempt = action === 'setup' ? record.find(String(state)) : undefined;
      if (attempt === undefined) return {};
      named.push(attempt.name);
      const reached = await reachStates(attempt);
      record.note(attempt.name, { reached });
      return reached.values;
    },

    /** Sends the request of the interaction that the verifier named last; undefined if something prevents it. */
    async send(asked: RecordedRequest): Promise<Forwarded | undefined> {
      const name = named.at(-1);
      if (name === undefined) return undefined;
      const awaiting = record.note(name, { asked });
      const forwarded = await record.perform(name, (mine) => forward(mine, awaiting, asked));
      if (forwarded !== undefined) record.note(name, forwarded);
      return forwarded;
    },

    /** Returns the interactions so far, and the names of those that the verifier named, and starts over. */
    take() {
      const taken = { attempts: record.take(), named };
      named = [];
      return taken;
    },
    end: record.end,
    stopped: record.stopped,
  };
}

export type Attempts = ReturnType<typeof createAttempts>;
