/** All checks. Scenarios of one rank run in this order: creations, refusals, reads, listings. */

import type { Check, Suite } from '../run/scenario.ts';
import { serviceInvariants } from './1-service/invariants.ts';
import { resourceInvariants } from './2-resources/invariants.ts';
import { listPetsInvariants } from './4.1-list-pets/invariants.ts';
import { oddQueryScenarios } from './4.1-list-pets/odd-queries.ts';
import { listPetsScenarios } from './4.1-list-pets/scenarios.ts';
import { createPetChecks } from './4.2-create-pet/invariants.ts';
import { getPetInvariants } from './4.3-get-pet/invariants.ts';
import { getPetScenarios } from './4.3-get-pet/scenarios.ts';
import { authenticationChecks } from './5-authentication/invariants.ts';
import { publicCornerScenarios } from './5-authentication/public-corners.ts';
import { findCredential } from './5-authentication/refused-credentials.ts';
import { errorChecks } from './7-errors/invariants.ts';
import { limitChecks } from './8-limits/invariants.ts';
import { versioningInvariants } from './9-versioning/invariants.ts';
import { exploration } from './drawn/exploration.ts';
import { gapScenarios } from './gap-scenario.ts';
import { observers } from './observers.ts';

export const checks: readonly Check[] = [
  ...serviceInvariants,
  ...resourceInvariants,
  ...createPetChecks,
  ...authenticationChecks,
  ...getPetInvariants,
  ...getPetScenarios,
  ...gapScenarios,
  ...observers,
  ...listPetsInvariants,
  ...publicCornerScenarios,
  ...listPetsScenarios,
  ...oddQueryScenarios,
  ...errorChecks,
  ...limitChecks,
  ...versioningInvariants,
  ...exploration,
];

/** The checks and credentials of the kit. */
export const conformanceSuite: Suite = { checks, findCredential };
