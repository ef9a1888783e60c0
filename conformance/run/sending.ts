/** What the part of a run that sends adds to the report. */

import type { RequirementId } from '../../spec/requirements.ts';
import type { UnusedBudget } from '../verdict/report.ts';
import type { ScenarioContext } from './scenario.ts';

export interface Sending {
  readonly context: ScenarioContext;
  /** Requirements whose scenarios threw: our own errors. */
  readonly errors: Map<RequirementId, string>;
  readonly notes: ReadonlyMap<RequirementId, string>;
  /** Why the larger budget was not spent. */
  readonly noteUnusedBudget: (unused: UnusedBudget | undefined) => void;
}
