/** Checks the name and the parameters of a provider state. */

import { isInt64, readJson } from '../../conformance/http/json.ts';
import { isPetStatus } from '../../conformance/http/read-request.ts';
import { type State, toText } from '../pact.ts';
import { isProviderState, providerStates } from '../states.ts';

/** A state creates no more animals than this, since they stay in a shared environment. */
export const mostAnimals = 20;
export const defaultCount = 2;

/** A category, given as a number or as its digits. */
export function readCategory(value: unknown): bigint | undefined {
  const reading = readJson(toText(value));
  return 'value' in reading && isInt64(reading.value) ? reading.value : undefined;
}

/** The reason why no provider can reach a state with this name and these parameters; undefined if there is none. */
export function problemWith({ name, params }: State): string | undefined {
  if (!isProviderState(name)) {
    const known = Object.values(providerStates).map((state) => `"${state.name}"`);
    return `no operation reaches the state "${name}"; known are ${known.join(', ')}`;
  }
  const { name: petName = '', categoryId, status, count = defaultCount } = params;
  if (typeof petName !== 'string') return `name ${JSON.stringify(petName)} is not a string`;
  if (status !== undefined && !isPetStatus(status))
    return `status ${JSON.stringify(status)} is not available, pending or sold`;
  if (categoryId !== undefined && readCategory(categoryId) === undefined) {
    return `categoryId ${JSON.stringify(categoryId)} is not an int64`;
  }
  const isCount = Number.isInteger(count) && Number(count) >= 1 && Number(count) <= mostAnimals;
  return isCount ? undefined : `count ${JSON.stringify(count)} is not from 1 to ${mostAnimals}`;
}
