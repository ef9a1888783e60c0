/** All checks. Scenarios of one rank run in this order. */

import { confirm } from '../run/confirm.ts';
import { rankOfLastConfirmation } from '../run/planner.ts';
import type { Check, Scenario, Suite } from '../run/suite.ts';
import { serviceJudges } from './1-service/judges.ts';
import { resourceJudges } from './2-resources/judges.ts';
import { claimsOfListings } from './4.1-list-pets/claims.ts';
import { listPetsJudges } from './4.1-list-pets/judges.ts';
import { listPetsProbes } from './4.1-list-pets/probes.ts';
import { createPetChecks } from './4.2-create-pet/judges.ts';
import { createPetProbes } from './4.2-create-pet/probes.ts';
import { claimsOfReads } from './4.3-get-pet/claims.ts';
import { getPetJudges } from './4.3-get-pet/judges.ts';
import { getPetProbes } from './4.3-get-pet/probes.ts';
import { findCredential } from './5-authentication/credentials.ts';
import { authenticationChecks } from './5-authentication/judges.ts';
import { authenticationProbes } from './5-authentication/probes.ts';
import { errorChecks } from './7-errors/judges.ts';
import { claimsOfLimits } from './8-limits/claims.ts';
import { limitChecks } from './8-limits/judges.ts';
import { versioningJudges } from './9-versioning/judges.ts';
import { gapProbes, observers } from './observers.ts';

/**
 * A run confirms claims twice, so that all claims share one wait. The early confirmation comes when each kind of page was asked
 * for, and a budget of sixty has requests left; the last one before the store holds a hundred animals, since a full page
 * proves nothing.
 */
const confirmations: readonly Scenario[] = [2.3, rankOfLastConfirmation].map((rank) => ({
  id: `confirm-${rank}`,
  rank,
  verifies: ['list-complete', 'list-limit-default', 'get-answer', 'get-until-removal', 'rate-reset-header'],
  run: (session, state) => {
    const claims = [...claimsOfReads(session), ...claimsOfListings(session), ...claimsOfLimits(session)];
    return confirm(session, state, claims);
  },
}));

/** The library that draws is large: it is loaded only where the budget has requests left. */
const drawnSequences: Scenario = {
  id: 'drawn-sequences',
  rank: 10,
  verifies: [
    'create-answer',
    'create-invalid-values',
    'create-malformed-body',
    'pet-name-kept',
    'pet-category-id-kept',
    'pet-status-kept',
    'list-limit',
    'list-status-filter',
    'list-complete',
    'get-answer',
    'get-not-found',
    'auth-invalid-key',
  ],
  run: async (session, state) => {
    if (session.budget.requestsLeft() === 0) return;
    const { explore } = await import('./drawn.ts');
    await explore(session, state);
  },
};

export const checks: readonly Check[] = [
  ...createPetProbes,
  ...getPetProbes,
  ...listPetsProbes,
  ...authenticationProbes,
  gapProbes,
  ...confirmations,
  drawnSequences,
  ...serviceJudges,
  ...resourceJudges,
  ...createPetChecks,
  ...authenticationChecks,
  ...getPetJudges,
  ...observers,
  ...listPetsJudges,
  ...errorChecks,
  ...limitChecks,
  ...versioningJudges,
];

/** What judges a service: every check, and the credentials by their ids. */
export const conformanceSuite: Suite = { checks, findCredential };
