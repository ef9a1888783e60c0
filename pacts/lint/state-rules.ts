/** Rules about provider states, the answers that they lead to, and a missing key. */

import { type ProviderState, providerStates } from '../states.ts';
import { asksForInt64, type Claims, isRead } from './claims.ts';
import { problemWith } from './parameters.ts';
import { contradiction, type Rules, unreachable } from './rule.ts';

const { animalExists, noAnimalHasId, keyMissing, keyInvalid, limitExceeded } = providerStates;

/** The only status that an answer can have in a state, and the section that says so. */
interface Decision {
  readonly state: ProviderState;
  readonly status: number;
  readonly section: string;
  readonly applies: (claims: Claims) => boolean;
}

const decisions: readonly Decision[] = [
  { state: keyMissing, status: 401, section: '§5', applies: () => true },
  { state: keyInvalid, status: 401, section: '§5', applies: () => true },
  { state: limitExceeded, status: 429, section: '§8', applies: () => true },
  { state: noAnimalHasId, status: 404, section: '§4.3', applies: isRead },
  { state: animalExists, status: 200, section: '§4.3', applies: isRead },
];

/** The decision that applies: first the key and the rate limit, then the last state. */
function decisionFor(claims: Claims): Decision | undefined {
  const named = claims.interaction.states.flatMap(({ name }) =>
    decisions.filter(({ state, applies }) => state.name === name && applies(claims)),
  );
  return named.find(({ status }) => status === 401 || status === 429) ?? named.at(-1);
}

/** The state without which no service gives this answer. */
function neededState(claims: Claims): ProviderState | undefined {
  if (claims.status === 429) return limitExceeded;
  if (!isRead(claims)) return undefined;
  if (claims.status === 404 && asksForInt64(claims)) return noAnimalHasId;
  return claims.status === 200 ? animalExists : undefined;
}

export const stateRules = {
  'key-absent-recorded': contradiction(({ interaction, sentHeaders }) =>
    interaction.isWithoutKey && sentHeaders['authorization'] !== undefined
      ? ['request.headers.authorization is recorded, but the interaction says that it is absent']
      : [],
  ),
  'key-absent-other-status': contradiction(({ interaction, status }) =>
    interaction.isWithoutKey && status !== 401 && !interaction.states.some(({ name }) => name === keyMissing.name)
      ? [`response.status is ${status}, but without a key it is 401 (§5)`]
      : [],
  ),
  'state-unreachable': unreachable(({ interaction }) =>
    interaction.states.flatMap((state) => problemWith(state) ?? []),
  ),
  'state-other-status': contradiction((claims) => {
    const decision = decisionFor(claims);
    if (decision === undefined || decision.status === claims.status) return [];
    // A missing key decides before any animal does.
    if (claims.status === 401 && decision.status !== 429) return [];
    const { state, status, section } = decision;
    return [`response.status is ${claims.status}, but in the state "${state.name}" it is ${status} (${section})`];
  }),
  'state-missing': unreachable((claims) => {
    const { method, path, status, interaction } = claims;
    const state = interaction.states.length === 0 ? neededState(claims) : undefined;
    return state === undefined ? [] : [`${method} ${path} is ${status} only in a state: name "${state.name}"`];
  }),
} as const satisfies Rules;
