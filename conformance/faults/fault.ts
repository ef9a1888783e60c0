/** Faults: the type, and the tables that they are written in. */

import type { RequirementId } from '../../spec/requirements.ts';
import type { Wrap } from '../services/wraps.ts';

/**
 * `breaks`: a run must name at least one of these requirements; the first is the one broken most plainly. Required ones
 * fail the run, advised ones only warn.
 */
export interface Fault {
  readonly id: string;
  /**
   * `ordinary`: one careless line of a plain first version explains it, for all values and animals of a kind alike.
   * `rare`: it takes a special case (one status of three, one limit, every third animal, a certain moment), another
   * unusual cause, or a value that no serializer writes by mistake.
   */
  readonly likelihood: 'ordinary' | 'rare';
  readonly breaks: readonly [RequirementId, ...RequirementId[]];
  readonly wrap: Wrap;
  /** The base path of the service; /v1 by default. */
  readonly basePath?: string;
  /** Set where only the rate-limit probe shows it. */
  readonly needsExhaustion?: true;
}

type Requirements = RequirementId | Fault['breaks'];

/** Faults that break the same requirements, the first of them most plainly: id → the wrap. */
const faultsOf =
  (likelihood: Fault['likelihood']) =>
  (requirements: Requirements, wraps: Readonly<Record<string, Wrap>>): readonly Fault[] => {
    const breaks = typeof requirements === 'string' ? ([requirements] as const) : requirements;
    return Object.entries(wraps).map(([id, wrap]) => ({ id, likelihood, breaks, wrap }));
  };

/** A fault for each entry of a table, or each value of a list; the entry stands for the * in `id`. */
const faultsOfEach =
  (likelihood: Fault['likelihood']) =>
  <Value>(
    requirements: Requirements,
    id: `${string}*${string}`,
    values: Readonly<Record<string, Value>> | readonly (Value & (string | number))[],
    wrapOf: (value: Value) => Wrap,
  ): readonly Fault[] => {
    const entries = Symbol.iterator in values ? values.map((value) => [value, value] as const) : Object.entries(values);
    const wraps = entries.map(([key, value]) => [id.replace('*', String(key)), wrapOf(value)] as const);
    return faultsOf(likelihood)(requirements, Object.fromEntries(wraps));
  };

/** Faults that a developer's first version often has. */
export const ordinary = faultsOf('ordinary');
export const ordinaryEach = faultsOfEach('ordinary');
/** Faults that take an unusual cause. */
export const rare = faultsOf('rare');
export const rareEach = faultsOfEach('rare');

/** Faults that only an exhausted key shows. */
export function exhausting(...faults: readonly Fault[]): readonly Fault[] {
  return faults.map((fault) => ({ ...fault, needsExhaustion: true }));
}
