/**
 * All faults, by the section whose requirement they break most plainly.
 *
 * @module petstore-conformance/faults
 */

import { serviceFaults } from './1-service/faults.ts';
import { resourceFaults } from './2-resources/faults.ts';
import { listingFaults } from './4.1-list-pets/faults.ts';
import { creationFaults } from './4.2-create-pet/faults.ts';
import { readFaults } from './4.3-get-pet/faults.ts';
import { authenticationFaults } from './5-authentication/faults.ts';
import { errorFaults } from './7-errors/faults.ts';
import { limitFaults } from './8-limits/faults.ts';
import { versioningFaults } from './9-versioning/faults.ts';
import type { Fault, Wrap } from './fault.ts';

export type { Fault, Wrap };

/** The faults by the name of their folder, which begins with the number of the section. */
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

/** Every fault, in the order of the sections: give some to `startServer`. */
export const faults: readonly Fault[] = Object.values(faultsByFile).flat();

/** The fault with an id. Throws a RangeError that suggests similar ids where there is none. */
export function findFault(id: string): Fault {
  const found = faults.find((fault) => fault.id === id);
  if (found !== undefined) return found;
  const [word = ''] = id.split('-');
  const near = faults.filter((fault) => word !== '' && fault.id.startsWith(word)).map((fault) => fault.id);
  const hint = near.length === 0 ? '' : `; similar ids are ${near.slice(0, 5).join(', ')}`;
  throw new RangeError(`There is no fault ${JSON.stringify(id.slice(0, 50))}${hint}.`);
}
