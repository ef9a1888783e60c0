/** The suite of a run: probes and scenarios, which send requests, beside the judges and observers of what was answered. */

import type { RequirementId } from '../../spec/requirements.ts';
import type { Keys, SentCredential } from '../http/credentials.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Counterexample, Failing, Invariant, Judge, Observer } from '../verdict/finding.ts';
import type { UnusedBudget } from '../verdict/report.ts';
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

/** The means of a scenario apart from sending. */
export interface ScenarioContext {
  readonly suite: Suite;
  readonly judge: Judge;
  /** Notes why a requirement may have no evidence, for a person. */
  readonly note: (requirement: RequirementId, reason: string) => void;
  /** Notes a failure that repeated looks have confirmed. */
  readonly confirm: (failing: Failing) => void;
  readonly confirmed: () => readonly Failing[];
  /** The keys of the claims that need no further look. */
  readonly closedClaims: Set<string>;
  /** Notes that a claim against a requirement was not carried to its end, so that it is inconclusive. */
  readonly leave: (requirement: RequirementId, reason: string) => void;
  /** By requirement. */
  readonly counterexamples: ReadonlyMap<RequirementId, Counterexample>;
  readonly noteCounterexample: (counterexample: Counterexample) => void;
}

/**
 * Sends requests that depend on each other, for the invariants to judge. Scenarios and probes come in the order of `rank`, and
 * the scenarios of a rank after its probes. The rank is the whole policy of the budget: ranks below 2 fit into twenty
 * requests, those below 3 into sixty, rank 3 needs a second key; ranks 4 to 6 fit into three hundred, ranks 7 to 9 into a
 * thousand, and rank 10 uses what is left.
 */
export interface Scenario {
  readonly id: string;
  readonly verifies: readonly RequirementId[];
  readonly title: string;
  readonly rank: number;
  /** Rejects with RunStopped or BudgetSpent when it may send no more; any other rejection is our own error. */
  readonly run: (session: Session, context: ScenarioContext) => Promise<void>;
}

/** A check is known by what it does: it judges, observes, or sends. */
export type Check = Invariant | Scenario | ProbeKind | Observer;

/** Everything that a run judges with. */
export interface Suite {
  readonly checks: readonly Check[];
  /** Finds the credential with an id, to send an exchange again; undefined if these keys give none. */
  readonly findCredential: (id: string, keys: Keys) => SentCredential | undefined;
}

export interface Sending {
  readonly context: ScenarioContext;
  /** Requirements whose scenarios threw: our own errors. */
  readonly errors: Map<RequirementId, string>;
  readonly notes: ReadonlyMap<RequirementId, string>;
  /** Why the larger budget was not spent. */
  readonly noteUnusedBudget: (unused: UnusedBudget | undefined) => void;
}
