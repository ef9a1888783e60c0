/**
 * In which ways a requirement fails: codes with what was sent or what came back, in stable words. A waiver covers the ways that
 * it names, and a comparison reports a way that is new.
 */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import { type DimensionId, dimensions, type EvidenceSubject } from './dimensions.ts';
import type { Failing } from './finding.ts';

/** The properties that tell inputs apart, by the name of the input. */
const dimensionOfInput: Readonly<Record<string, DimensionId>> = {
  name: 'name',
  categoryId: 'categoryId',
  limit: 'limit',
  petId: 'petId',
  query: 'fault',
  credential: 'credential',
};

function dimensionFor({ failure: { input } }: Failing<AnyRequirementId>, { shown }: EvidenceSubject): DimensionId {
  if (input?.name === 'status') return shown.operation === 'listPets' ? 'filter' : 'status-sent';
  return dimensionOfInput[input?.name ?? ''] ?? 'status';
}

/** One way, such as "accepted: with categoryId beyond int64" or "missing: on 401". */
export function wayOf(failing: Failing<AnyRequirementId>, subject: EvidenceSubject): string {
  const { read, say } = dimensions[dimensionFor(failing, subject)];
  const value = read(subject);
  return value === undefined ? failing.failure.code : `${failing.failure.code}: ${say(value)}`;
}

/** The ways that are not among others. */
export function newWays(ways: readonly string[] = [], known: readonly string[] = []): readonly string[] {
  return ways.filter((way) => !known.includes(way));
}
