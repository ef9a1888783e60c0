/** Adapts provider states to a listing by status, so that the filter decides which animals come back. */

import { isPetStatus } from '../../conformance/http/read-request.ts';
import { petStatuses } from '../../spec/operations.ts';
import type { PactInteraction, State } from '../pact.ts';
import { providerStates } from '../states.ts';
import { claimsOf, isListing } from './claims.ts';
import { createsAnimals } from './entered-states.ts';

/** The filter of a listing that expects a page; undefined for other interactions. */
function filterOf(interaction: PactInteraction) {
  const claims = claimsOf(interaction);
  const [status] = claims.query.get('status') ?? [];
  if (!isListing(claims) || claims.status !== 200 || !isPetStatus(status)) return undefined;
  return { status, limit: Number(claims.query.get('limit')?.[0] ?? 20) };
}

/** The state with the status of the request if it names none; version 2 has no parameters to name one. */
export function withStatus(state: State, interaction: PactInteraction | undefined): State {
  const filter = interaction !== undefined && createsAnimals(state) ? filterOf(interaction) : undefined;
  if (filter === undefined || state.params['status'] !== undefined) return state;
  return { ...state, params: { ...state.params, status: filter.status } };
}

/** On a shorter page, one more animal may leave no room for the matching one if the limit applies before the filter. */
const shortestPage = 3;

/** The state of an animal that the filter must leave out; otherwise a provider without a filter would pass. */
export function unmatchedState(state: State, interaction: PactInteraction | undefined): State | undefined {
  const filter = interaction !== undefined && createsAnimals(state) ? filterOf(interaction) : undefined;
  if (filter === undefined || !(filter.limit >= shortestPage)) return undefined;
  const status = petStatuses.find((one) => one !== filter.status);
  return { name: providerStates.animalExists.name, params: { status } };
}
