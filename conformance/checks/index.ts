/** All checks. Within a rank, scenarios run in this order: what creates, what must not, what reads one, what lists. */

import type { Check, Suite } from '../engine/check.ts';
import { serviceChecks } from './1-service.ts';
import { resourceChecks } from './2-resources.ts';
import { listPetsChecks } from './4.1-list-pets.ts';
import { createPetChecks } from './4.2-create-pet.ts';
import { getPetChecks } from './4.3-get-pet.ts';
import { authenticationChecks } from './5-authentication.ts';
import { errorChecks } from './7-errors.ts';
import { limitChecks } from './8-limits.ts';
import { versioningChecks } from './9-versioning.ts';
import { exploration } from './drawn/exploration.ts';
import { observationChecks } from './gaps.ts';
import { findCredential } from './refused-credentials.ts';

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
