/** The interactions that the verifier works on: reaches their states, and sends their requests. */

import type { RecordedRequest } from '../../conformance/http/exchange.ts';
import { isPetStatus, pageSize, readListing } from '../../conformance/http/read-request.ts';
import type { Session } from '../../conformance/run/session.ts';
import { type Pact, type PactFields, type PactInteraction, type State, writePact } from '../pact.ts';
import { providerStates } from '../states.ts';
import { type Attempted, createAttempt, createsAnimals, type Forwarded, type Reached } from './attempt.ts';
import { forward } from './forward.ts';
import { type AttemptRecord, createRecord } from './record.ts';
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

/** Records the interactions of a pact, and returns those that can be verified, each named by its one state. */
function recordPact(record: AttemptRecord, session: Session, pact: Pact): readonly PactFields[] {
  const added = pact.interactions.map((one) => createAttempt(session, pact, one));
  for (const one of added) record.note(one.name, one);
  return added
    .filter(({ obstacle }) => obstacle === undefined)
    .map(({ name, interaction }) => ({ ...interaction.exact, providerStates: [{ name }] }));
}

/** Reaches the states of an interaction, as far as nothing prevents it. */
async function reachStates(
  record: AttemptRecord,
  reachOnce: ReturnType<typeof createStates>,
  { name, interaction, reached }: Attempted,
): Promise<Reached> {
  const { others, own } = statesToReach(interaction);
  for (const state of others) await record.perform(name, (mine) => reachOnce(mine, state));
  let all = reached;
  for (const state of own) {
    const brought = await record.perform(name, (mine) => reachOnce(mine, state));
    if (brought !== undefined) all = combined(all, brought);
  }
  return all;
}

export function createAttempts(session: Session) {
  const record = createRecord(session);
  const reachOnce = createStates();
  /** The interactions whose state the verifier has posted, in its order: it gives each of them a result. */
  let named: string[] = [];
  return {
    /**
     * The text of a pact for the verifier, without interactions that cannot be verified; undefined if none can. The one
     * state of each interaction names it, since the verifier skips pacts that it cannot load.
     */
    give(pact: Pact): string | undefined {
      const given = recordPact(record, session, pact);
      return given.length === 0 ? undefined : writePact(pact, given);
    },

    /** The verifier posts the state that names an interaction before its request. Returns the values that its states inject. */
    async begin({ action, state }: PactFields): Promise<PactFields> {
      const attempt = action === 'setup' ? record.find(String(state)) : undefined;
      if (attempt === undefined) return {};
      named.push(attempt.name);
      const reached = await reachStates(record, reachOnce, attempt);
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
