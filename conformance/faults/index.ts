/** All faults, by section of the interface. */

import { resourceFaults } from './2-resources.ts';
import { listingFaults } from './4.1-list-pets.ts';
import { creationFaults } from './4.2-create-pet.ts';
import { readFaults } from './4.3-get-pet.ts';
import { authenticationFaults } from './5-authentication.ts';
import { errorFaults } from './7-errors.ts';
import { limitFaults } from './8-limits.ts';
import type { Fault } from './fault.ts';

export const faults: readonly Fault[] = [
  ...resourceFaults,
  ...listingFaults,
  ...creationFaults,
  ...readFaults,
  ...authenticationFaults,
  ...errorFaults,
  ...limitFaults,
];
