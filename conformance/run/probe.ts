/** Probes: what a run may send, each a row with its rank. */

import type { RequirementId } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import type { PlannedRequest } from './planned-request.ts';
import type { Session } from './session.ts';

/** One request of a run, with the names and animals that the run has when it is sent. */
export interface Probe {
  /** The ranks of scenarios: probes of one rank are sent in a drawn order, and those of a lower rank before them. */
  readonly rank: number;
  /** Undefined while the run lacks what the request needs, for example an animal to read. */
  readonly request: (session: Session) => PlannedRequest | undefined;
  /** What to send next because of the answer, for example the parts of what was refused. */
  readonly next?: (session: Session, exchange: Exchange) => readonly Probe[];
}

/** Probes of one kind, which is how they are shown while they are sent. */
export interface ProbeKind {
  readonly id: string;
  readonly verifies: readonly RequirementId[];
  readonly title: string;
  /** The rows for one run: some are drawn. */
  readonly probes: (session: Session) => readonly Probe[];
}
