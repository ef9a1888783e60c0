/** All faults, by section of the interface. */

import { authenticationFaults } from './authentication.ts';
import { creationFaults } from './creation.ts';
import { errorFaults } from './errors.ts';
import type { Fault } from './fault.ts';
import { limitFaults } from './limits.ts';
import { listingFaults } from './listings.ts';
import { readFaults } from './reads.ts';
import { resourceFaults } from './resources.ts';

export const faults: readonly Fault[] = [
  ...resourceFaults,
  ...listingFaults,
  ...creationFaults,
  ...readFaults,
  ...authenticationFaults,
  ...errorFaults,
  ...limitFaults,
];
