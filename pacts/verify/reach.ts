/** Brings a target into a provider state, using only operations of the interface, so that it works with any target. */

import { noKey } from '../../conformance/http/credentials.ts';
import { BudgetSpent } from '../../conformance/run/budget.ts';
import type { Session } from '../../conformance/run/session.ts';
import { problemWith } from '../lint/parameters.ts';
import type { State } from '../pact.ts';
import { isProviderState, type ProviderStateName, providerStates } from '../states.ts';
import { createAnimal, createAnimals, drawNewAnimal, findUnknownId } from './animals.ts';
import { exceedLimit } from './excess.ts';
import { NotVerifiable, neverIssued, type ReachedState } from './reached.ts';

const reachers: Readonly<
  Record<ProviderStateName, (session: Session, params: State['params']) => Promise<ReachedState>>
> = {
  [providerStates.animalExists.name]: createAnimal,
  [providerStates.animalsExist.name]: createAnimals,
  [providerStates.animalCanBeCreated.name]: drawNewAnimal,
  [providerStates.noAnimalHasId.name]: findUnknownId,
  [providerStates.keyMissing.name]: () => Promise.resolve({ values: {}, credential: noKey }),
  [providerStates.keyInvalid.name]: ({ keys }) => Promise.resolve({ values: {}, credential: neverIssued(keys.api) }),
  [providerStates.limitExceeded.name]: exceedLimit,
};

/** Reaches one state; rejects with NotVerifiable, or with RunStopped if the run has ended. */
export async function reach(session: Session, { name, params }: State): Promise<ReachedState> {
  const problem = problemWith({ name, params });
  if (problem !== undefined || !isProviderState(name)) throw new NotVerifiable(problem ?? '');
  try {
    return await reachers[name](session, params);
  } catch (error) {
    if (error instanceof BudgetSpent) throw new NotVerifiable(`${error.message}; raise it`);
    throw error;
  }
}
