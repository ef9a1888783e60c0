/** What is wrong with the parameters of a provider state, if anything. */

import { isInt64, readJson } from '../../conformance/http/json.ts';
import { isPetStatus } from '../../conformance/http/read-request.ts';
import type { State } from '../pact.ts';
import { isProviderState, providerStates } from '../states.ts';

/** More animals than this are none that a shared environment should be left with. */
export const mostAnimals = 20;
export const defaultCount = 2;

/** A category by its number or its digits. */
export function readCategory(value: unknown): bigint | undefined {
  const reading = readJson(String(value));
  return 'value' in reading && isInt64(reading.value) ? reading.value : undefined;
}

/** Why a state cannot be reached, by its name and parameters alone. */
export function problemWith({ name, params }: State): string | undefined {
  if (!isProviderState(name)) {
    const known = Object.values(providerStates).map((state) => `"${state.name}"`);
    return `no operation reaches the state "${name}"; known are ${known.join(', ')}`;
  }
  const { name: petName = '', categoryId, status, count = defaultCount } = params;
  if (typeof petName !== 'string') return `name ${JSON.stringify(petName)} is no text`;
  if (status !== undefined && !isPetStatus(status)) return `status ${JSON.stringify(status)} is none of the three`;
  if (categoryId !== undefined && readCategory(categoryId) === undefined) {
    return `categoryId ${JSON.stringify(categoryId)} is no int64`;
  }
  const isCount = Number.isInteger(count) && Number(count) >= 1 && Number(count) <= mostAnimals;
  return isCount ? undefined : `count ${JSON.stringify(count)} is none from 1 to ${mostAnimals}`;
}
