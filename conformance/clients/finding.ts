/** How a check of client requirements is written. */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import { type Finding, fails } from '../verdict/finding.ts';
import type { ClientRun } from './client-run.ts';

export type ClientFinding = Finding<ClientRequirementId>;

/** A pure function over the requests that a client sent to one service variant. */
export interface ClientCheck {
  readonly verifies: readonly ClientRequirementId[];
  readonly judge: (run: ClientRun) => Iterable<ClientFinding>;
}

export { holds } from '../verdict/finding.ts';
export const breaks = fails<ClientRequirementId>;
