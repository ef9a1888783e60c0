/** Brings a target into a provider state by operations of the interface only, so that it works with any base address. */

import { problemWith } from '../lint/parameters.ts';
import type { State } from '../pact.ts';
import { isProviderState, type ProviderStateName, providerStates } from '../states.ts';
import { createAnimal, createAnimals, drawNewAnimal, findUnknownId } from './animals.ts';
import { exceedLimit } from './excess.ts';
import { BudgetSpent, neverIssued, noKey, type Session } from './kit.ts';
import { NotReachable, type Reached } from './reached.ts';

const ways: Readonly<Record<ProviderStateName, (session: Session, params: State['params']) => Promise<Reached>>> = {
  [providerStates.animalExists.name]: createAnimal,
  [providerStates.animalsExist.name]: createAnimals,
  [providerStates.animalCanBeCreated.name]: drawNewAnimal,
  [providerStates.noAnimalHasId.name]: findUnknownId,
  [providerStates.keyMissing.name]: () => Promise.resolve({ values: {}, credential: noKey }),
  [providerStates.keyInvalid.name]: ({ keys }) => Promise.resolve({ values: {}, credential: neverIssued(keys.api) }),
  [providerStates.limitExceeded.name]: exceedLimit,
};

/** Reaches one state; rejects with NotReachable, or with RunStopped where the run has ended. */
export async function reach(session: Session, { name, params }: State): Promise<Reached> {
  const problem = problemWith({ name, params });
  if (problem !== undefined || !isProviderState(name)) throw new NotReachable(problem ?? '');
  try {
    return await ways[name](session, params);
  } catch (error) {
    if (error instanceof BudgetSpent) throw new NotReachable(`${error.message}; raise it`);
    throw error;
  }
}
