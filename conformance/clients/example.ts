/** An example of a client, careless or careful: what proves that the one is found and the other left alone. */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { Attempt, ClientEnvironment } from './attempt.ts';

export interface Example {
  readonly id: string;
  /** What it does, or how, in a sentence. */
  readonly title: string;
  /** Rejects where it fails, as the test suite of a consumer does. */
  readonly run: (environment: ClientEnvironment) => Promise<void>;
}

/** A client with one bad habit, and the requirements of which a tour must name at least the first. */
export interface CarelessClient extends Example {
  readonly breaks: readonly [ClientRequirementId, ...ClientRequirementId[]];
}

/** The attempt that runs an example in this process. */
export function attemptOf({ run }: Example): Attempt {
  return async (environment) => {
    try {
      await run(environment);
      return { isPassed: true, ending: 'its end' };
    } catch (error) {
      return { isPassed: false, ending: `the error "${error instanceof Error ? error.message : String(error)}"` };
    }
  };
}
