/**
 * All faults: mutation operators times the places of a service, faults of structure, and those that only many requests show.
 *
 * @module petstore-conformance/faults
 */

import type { Wrap } from '../../reference-server/twin/index.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { suggest } from '../options/suggest.ts';
import { answerFaults } from './answers.ts';
import { bodyFaults } from './bodies.ts';
import { crossingFaults } from './crossings.ts';
import type { Fault, FaultTable } from './fault.ts';
import { keyFaults } from './keys.ts';
import { limitFaults } from './limits.ts';
import { listingFaults } from './listings.ts';
import { memoryFaults } from './memory.ts';
import { overlapFaults } from './overlap.ts';
import { rareFaults } from './rare.ts';
import { structureFaults } from './structure.ts';
import { valueFaults } from './values.ts';

export type { Handle, ServerKeys, StoreRequest, StoreResponse } from '../../reference-server/twin/index.ts';
export type { RequirementId } from '../../spec/requirements.ts';
export type { Fault, Wrap };

const faultTables = [
  valueFaults,
  answerFaults,
  bodyFaults,
  listingFaults,
  structureFaults,
  overlapFaults,
  keyFaults,
  limitFaults,
];

function faultsOf(table: FaultTable): readonly Fault[] {
  return Object.entries(table).flatMap(([requirement, rows]) =>
    Object.entries(rows).map(([id, how]): Fault => {
      const breaks = [requirement as RequirementId] as const;
      return { id, breaks, ...(typeof how === 'function' ? { wrap: how } : how) };
    }),
  );
}

/** Every fault: give some to `startServer`. */
export const faults: readonly Fault[] = [
  ...faultTables.flatMap(faultsOf),
  ...faultsOf(memoryFaults).map((fault): Fault => ({ within: 300, ...fault })),
  ...[rareFaults, crossingFaults].flatMap(faultsOf).map((fault): Fault => ({ ...fault, within: 1_000 })),
];

/** The fault with an id. Throws a RangeError that suggests a similar id where there is none. */
export function findFault(id: string): Fault {
  const found = faults.find((fault) => fault.id === id);
  if (found !== undefined) return found;
  const ids = faults.map((fault) => fault.id);
  throw new RangeError(`There is no fault ${JSON.stringify(id.slice(0, 50))}.${suggest(id, ids)}`);
}
