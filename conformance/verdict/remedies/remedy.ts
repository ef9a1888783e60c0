/** What to change in one stack against each mistake; every line was tried on a service that failed before and held after. */

import type { MistakeId } from './mistakes.ts';

/** A sentence, and the lines of code that the service needs. */
export interface Remedy {
  readonly advice: string;
  readonly code: readonly string[];
}

/** A mistake without an entry is none of this stack, or its remedy was not tried there. */
export type RemediesOfStack = Readonly<Partial<Record<MistakeId, Remedy>>>;
