/** All checks. Scenarios of one rank run in this order. */

import type { Check, Scenario, Suite } from '../run/scenario.ts';
import { headerScenarios } from './1-service/client-headers.ts';
import { serviceInvariants } from './1-service/invariants.ts';
import { resourceInvariants } from './2-resources/invariants.ts';
import { listPetsInvariants } from './4.1-list-pets/invariants.ts';
import { oddQueryScenarios } from './4.1-list-pets/odd-queries.ts';
import {
  firstDisallowedQueries,
  firstPages,
  firstShortPage,
  listPetsScenarios,
  morePages,
  pageAfterRefusals,
} from './4.1-list-pets/scenarios.ts';
import { commonInvalidBodies, firstInvalidBodies, moreInvalidBodies } from './4.2-create-pet/invalid-bodies.ts';
import { createPetChecks } from './4.2-create-pet/invariants.ts';
import { firstAnimals, secondAnimals } from './4.2-create-pet/scenarios.ts';
import { getPetInvariants } from './4.3-get-pet/invariants.ts';
import { firstReads, firstUnknown, getPetScenarios, moreReads } from './4.3-get-pet/scenarios.ts';
import { findCredential } from './5-authentication/credentials.ts';
import { authenticationChecks } from './5-authentication/invariants.ts';
import { refusals } from './5-authentication/refusals.ts';
import { errorChecks } from './7-errors/invariants.ts';
import { limitChecks } from './8-limits/invariants.ts';
import { versioningInvariants } from './9-versioning/invariants.ts';
import { confirmation } from './confirmation.ts';
import { exploration } from './drawn/exploration.ts';
import { gapScenarios } from './gap-scenario.ts';
import { observers } from './observers.ts';

/**
 * The scenarios of the first twenty requests (rank 1) and the first sixty (rank 2), in their order: the mistakes that a
 * first version is likeliest to have come first. What seems missing is asked for again at once, so that even twenty
 * requests show it.
 */
const firstSixtyRequests: readonly Scenario[] = [
  firstAnimals,
  // Without these no verdict is possible: they fit into twenty requests even if creations are refused at first.
  firstInvalidBodies,
  refusals(1),
  firstReads,
  firstPages,
  confirmation(1),
  firstUnknown,
  firstShortPage,
  commonInvalidBodies,
  secondAnimals,
  refusals(2),
  moreReads,
  morePages,
  firstDisallowedQueries,
  confirmation(2),
  moreInvalidBodies,
  pageAfterRefusals,
];

export const checks: readonly Check[] = [
  ...firstSixtyRequests,
  ...serviceInvariants,
  ...resourceInvariants,
  ...createPetChecks,
  ...authenticationChecks,
  ...getPetInvariants,
  ...getPetScenarios,
  // The reads of rank 8 may have missed an animal.
  confirmation(8),
  ...gapScenarios,
  ...observers,
  ...listPetsInvariants,
  ...listPetsScenarios,
  ...headerScenarios,
  ...oddQueryScenarios,
  ...errorChecks,
  ...limitChecks,
  ...versioningInvariants,
  ...exploration,
];

/** What judges a service: every check, and the credentials by their ids. */
export const conformanceSuite: Suite = { checks, findCredential };
