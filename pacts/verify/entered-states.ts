/** The provider states of a run. What nobody can take back is reached once: no operation removes or changes an animal. */

import type { State } from '../pact.ts';
import { type ProviderStateName, providerStates } from '../states.ts';
import type { Session } from './kit.ts';
import { reach } from './reach.ts';
import type { Reached } from './reached.ts';

/** A state that the target is in, and the exchanges that brought it there. */
export interface Entered extends Reached {
  readonly exchanges: readonly number[];
}

export interface EnteredStates {
  /** Reaches a state unless it is reached already; `others` are those that the same interaction has entered before. */
  readonly enter: (state: State, others: readonly State[]) => Promise<Entered>;
  /** Has every state reached anew. */
  readonly forget: () => void;
}

const lasting: ReadonlySet<string> = new Set<ProviderStateName>([
  providerStates.animalExists.name,
  providerStates.animalsExist.name,
  providerStates.noAnimalHasId.name,
]);

/** Whether an answer in a state may come too soon: how soon a created animal is seen is open. */
export function isOfAnimals({ name }: State): boolean {
  return name === providerStates.animalExists.name || name === providerStates.animalsExist.name;
}

export function createEnteredStates(session: Session): EnteredStates {
  const entered = new Map<string, Entered>();

  async function reachNow(state: State): Promise<Entered> {
    const before = session.exchanges.length;
    const reached = await reach(session, state);
    return { ...reached, exchanges: session.exchanges.slice(before).map(({ number }) => number) };
  }

  return {
    async enter(state, others) {
      if (!lasting.has(state.name)) return reachNow(state);
      // Two animals of one kind are two.
      const keyOf = ({ name, params }: State): string => JSON.stringify([name, params]);
      const key = `${others.filter((one) => keyOf(one) === keyOf(state)).length} ${keyOf(state)}`;
      const known = entered.get(key);
      if (known !== undefined) return known;
      const reached = await reachNow(state);
      entered.set(key, reached);
      return reached;
    },
    forget: () => entered.clear(),
  };
}
