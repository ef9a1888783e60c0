/** All checks. Within a rank, scenarios run in this order: what creates, what must not, what reads one, what lists. */

import type { Check, Suite } from '../run/scenario.ts';
import { serviceChecks } from './1-service/invariants.ts';
import { resourceChecks } from './2-resources/invariants.ts';
import { listPetsChecks } from './4.1-list-pets/invariants.ts';
import { createPetChecks } from './4.2-create-pet/invariants.ts';
import { getPetChecks } from './4.3-get-pet/invariants.ts';
import { authenticationChecks } from './5-authentication/invariants.ts';
import { findCredential } from './5-authentication/refused-credentials.ts';
import { errorChecks } from './7-errors/invariants.ts';
import { limitChecks } from './8-limits/invariants.ts';
import { versioningChecks } from './9-versioning/invariants.ts';
import { exploration } from './drawn/exploration.ts';
import { observationChecks } from './observers.ts';

export const checks: readonly Check[] = [
  ...serviceChecks,
  ...resourceChecks,
  ...createPetChecks,
  ...authenticationChecks,
  ...getPetChecks,
  ...observationChecks,
  ...listPetsChecks,
  ...errorChecks,
  ...limitChecks,
  ...versioningChecks,
  ...exploration,
];

/** All that the kit judges with. */
export const conformanceSuite: Suite = { checks, findCredential };
