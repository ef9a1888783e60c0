/** All faults, by the file of the section whose statement they break most plainly. */

import { serviceFaults } from './1-service.ts';
import { resourceFaults } from './2-resources.ts';
import { listingFaults } from './4.1-list-pets.ts';
import { creationFaults } from './4.2-create-pet.ts';
import { readFaults } from './4.3-get-pet.ts';
import { authenticationFaults } from './5-authentication.ts';
import { errorFaults } from './7-errors.ts';
import { limitFaults } from './8-limits.ts';
import { versioningFaults } from './9-versioning.ts';
import type { Fault } from './fault.ts';

/** By the name of their file, which begins with the section. */
export const faultsByFile: Readonly<Record<string, readonly Fault[]>> = {
  '1-service': serviceFaults,
  '2-resources': resourceFaults,
  '4.1-list-pets': listingFaults,
  '4.2-create-pet': creationFaults,
  '4.3-get-pet': readFaults,
  '5-authentication': authenticationFaults,
  '7-errors': errorFaults,
  '8-limits': limitFaults,
  '9-versioning': versioningFaults,
};

export const faults: readonly Fault[] = Object.values(faultsByFile).flat();
