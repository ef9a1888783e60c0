/**
 * Brings a target into provider states, using only operations of the interface, so that it works with any target. A lasting
 * state is reached once a run, since no operation removes or changes an animal.
 */

import { noKey, rateLimitKey } from '../../conformance/http/credentials.ts';
import type { Exchange } from '../../conformance/http/exchange.ts';
import { statusOf } from '../../conformance/http/read-response.ts';
import type { PlannedRequest } from '../../conformance/run/planned-request.ts';
import type { Session } from '../../conformance/run/session.ts';
import { exhaust } from '../../conformance/sections/8-limits/exhaustion.ts';
import { largestLimit } from '../../conformance/sections/8-limits/mixed-requests.ts';
import { listPets } from '../../conformance/sections/requests.ts';
import type { State } from '../pact.ts';
import { isProviderState, type ProviderStateName, providerStates } from '../states.ts';
import { createAnimal, createAnimals, drawNewAnimal, findUnknownId } from './animals.ts';
import { problemWith } from './parameters.ts';
import { NotVerifiable, neverIssued, type ReachedState, SkippedByUser } from './reached.ts';

/** Chooses the key. The limit is exceeded only when the request is sent, so that no other state comes in between. */
export function exceedLimit({ keys }: Session): ReachedState {
  if (keys.rateLimit === undefined)
    throw new SkippedByUser('set PETSTORE_RATE_LIMIT_KEY to a key that may be exhausted');
  return { values: {}, credential: rateLimitKey(keys.rateLimit) };
}

/** Exhausts the key; resolves with the refusal. */
async function refusal(session: Session): Promise<Exchange> {
  const key = session.keys.rateLimit!;
  // Each listing is another: a cache would answer equal ones without using up the limit.
  const nextListing = (): PlannedRequest =>
    listPets(`limit=${1 + (session.exchanges.length % largestLimit)}`, rateLimitKey(key));
  const { refusal: refused, reason } = await exhaust(session, key, nextListing);
  if (refused !== undefined) return refused;
  throw new NotVerifiable(reason ?? 'the key was served beyond its limit');
}

const triesForExcess = 3;

/** Sends a request with the exhausted key. If the window ends in between, exhausts the key again. */
export async function exceedWith(session: Session, request: PlannedRequest): Promise<Exchange> {
  const resetOf = ({ response }: Exchange): string | undefined => response?.headers['x-ratelimit-reset'];
  for (let tries = 0; tries < triesForExcess; tries += 1) {
    const before = await refusal(session);
    const exchange = await session.sendOnce(request);
    if (statusOf(exchange) === 429 || resetOf(exchange) === resetOf(before)) return exchange;
  }
  throw new NotVerifiable('the limit was reset each time before the request could exceed it');
}

const reachers: Readonly<
  Record<ProviderStateName, (session: Session, params: State['params']) => ReachedState | Promise<ReachedState>>
> = {
  [providerStates.animalExists.name]: createAnimal,
  [providerStates.animalsExist.name]: createAnimals,
  [providerStates.animalCanBeCreated.name]: drawNewAnimal,
  [providerStates.noAnimalHasId.name]: findUnknownId,
  [providerStates.keyMissing.name]: () => ({ values: {}, credential: noKey }),
  [providerStates.keyInvalid.name]: ({ keys }) => ({ values: {}, credential: neverIssued(keys.api) }),
  [providerStates.limitExceeded.name]: exceedLimit,
};

/** Reaches one state; rejects with NotVerifiable, BudgetSpent or RunStopped. */
export async function reach(session: Session, { name, params }: State): Promise<ReachedState> {
  const problem = problemWith({ name, params });
  if (problem !== undefined || !isProviderState(name)) throw new NotVerifiable(problem ?? '');
  return await reachers[name](session, params);
}

/** A state of the target, and the exchanges that reached it. */
interface Entered extends ReachedState {
  readonly exchanges: readonly number[];
}

const lasting: ReadonlySet<string> = new Set<ProviderStateName>([
  providerStates.animalExists.name,
  providerStates.animalsExist.name,
  providerStates.noAnimalHasId.name,
]);

/** Whether a state creates animals; the interface does not say how soon they appear. */
export function createsAnimals({ name }: State): boolean {
  return name === providerStates.animalExists.name || name === providerStates.animalsExist.name;
}

/** Whether a state injects a new name, so that a creation can be tried again. */
export function injectsNewName({ name }: State): boolean {
  return name === providerStates.animalCanBeCreated.name;
}

export function createEnteredStates(session: Session) {
  const entered = new Map<string, Entered>();

  async function reachNow(state: State): Promise<Entered> {
    const before = session.exchanges.length;
    const reached = await reach(session, state);
    return { ...reached, exchanges: session.exchanges.slice(before).map(({ number }) => number) };
  }

  return {
    /** Reaches a state unless that is done already; `others` are states that the same interaction has entered before. */
    async enter(state: State, others: readonly State[]): Promise<Entered> {
      if (!lasting.has(state.name)) return reachNow(state);
      // An interaction that names the same state twice wants two animals.
      const keyOf = ({ name, params }: State): string => JSON.stringify([name, params]);
      const key = `${others.filter((one) => keyOf(one) === keyOf(state)).length} ${keyOf(state)}`;
      const known = entered.get(key);
      if (known !== undefined) return known;
      const reached = await reachNow(state);
      entered.set(key, reached);
      return reached;
    },
    /** Forgets all states, so that they are reached again. */
    forget: (): void => entered.clear(),
  };
}

export type EnteredStates = ReturnType<typeof createEnteredStates>;
