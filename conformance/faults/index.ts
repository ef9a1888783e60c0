/**
 * All faults, by the section whose requirement they break most plainly.
 *
 * @module petstore-conformance/faults
 */

import type { Wrap } from '../services/wraps.ts';
import { serviceFaults } from './answers.ts';
import { creationFaults } from './creations.ts';
import { authenticationFaults } from './credentials.ts';
import { errorFaults } from './errors.ts';
import type { Fault } from './fault.ts';
import { limitFaults } from './limits.ts';
import { listingFaults } from './listings.ts';
import { readFaults } from './reads.ts';
import { resourceFaults } from './resources.ts';
import { versioningFaults } from './versioning.ts';

export type { Fault, Wrap };

/** Every fault, in the order of the sections: give some to `startServer`. */
export const faults: readonly Fault[] = [
  ...serviceFaults,
  ...resourceFaults,
  ...listingFaults,
  ...creationFaults,
  ...readFaults,
  ...authenticationFaults,
  ...errorFaults,
  ...limitFaults,
  ...versioningFaults,
];

/** The fault with an id. Throws a RangeError that suggests similar ids where there is none. */
export function findFault(id: string): Fault {
  const found = faults.find((fault) => fault.id === id);
  if (found !== undefined) return found;
  const [word = ''] = id.split('-');
  const near = faults.filter((fault) => word !== '' && fault.id.startsWith(word)).map((fault) => fault.id);
  const hint = near.length === 0 ? '' : `; similar ids are ${near.slice(0, 5).join(', ')}`;
  throw new RangeError(`There is no fault ${JSON.stringify(id.slice(0, 50))}${hint}.`);
}
