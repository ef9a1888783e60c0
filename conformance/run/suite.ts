/** The suite of a run: probes and scenarios, which send requests, and the judges and observers of what was answered. */

import type { GapId } from '../../spec/gaps.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Keys, SentCredential } from '../http/credentials.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Counterexample, Failing, Finding, Judge, JudgeAll, Observation, Observer } from '../verdict/finding.ts';
import type { RunNotes } from '../verdict/verdict.ts';
import type { World } from '../world/world.ts';
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

/** A check that sends. */
interface Sending {
  readonly id: string;
  readonly verifies: readonly RequirementId[];
}

/** Probes of one kind. */
export interface ProbeKind extends Sending {
  /** The rows for one run: some are drawn. */
  readonly probes: (session: Session) => readonly Probe[];
  /** Set if they create the animals that other checks read and list. */
  readonly createsAnimals?: true;
}

/**
 * Sends requests that depend on each other, for the judges to see. Scenarios and probes come in the order of `rank`, and
 * the scenarios of a rank after its probes. The rank is the whole policy of the budget: ranks below 2 fit into twenty
 * requests, those below 3 into sixty, rank 3 needs a second key; ranks 4 and 5 fit into three hundred, 6 to 9 into a
 * thousand; the drawn sequences use what is left. Claims are confirmed twice, at ranks 2.3 and 6.5.
 */
export interface Scenario extends Sending {
  readonly rank: number;
  /** Rejects with RunStopped or BudgetSpent when it may send no more; any other rejection is our own error. */
  readonly run: (session: Session, state: RunState) => Promise<void>;
}

/** Its members show what a check does: `judge` and `observe` read exchanges, `run` and `probes` send. */
export type Check = Judge | Scenario | ProbeKind | Observer;

/** Everything that a run judges with. */
export interface Suite {
  readonly checks: readonly Check[];
  /** Finds the credential with an id, to send an exchange again; undefined if these keys give none. */
  readonly findCredential: (id: string, keys: Keys) => SentCredential | undefined;
}

/** What a run knows so far apart from its exchanges. Its scenarios and its planner add to it. */
export interface RunState extends RunNotes {
  readonly suite: Suite;
  readonly judge: JudgeAll;
  /** The failures that repeated looks have confirmed. */
  readonly confirmed: Failing[];
  /** The keys of the claims that need no further look. */
  readonly closedClaims: Set<string>;
  readonly counterexamples: Map<RequirementId, Counterexample>;
}

/**
 * Returns the findings of the judges, for one requirement or all. A judge that throws is an error of the kit and
 * is noted for each of its requirements.
 */
export function judgeWorld(
  world: World,
  checks: readonly Check[],
  errors: RunNotes['errors'],
  only?: RequirementId,
): readonly Finding[] {
  return checks.flatMap((check) => {
    if (!('judge' in check) || (only !== undefined && !check.verifies.includes(only))) return [];
    try {
      return [...check.judge(world)];
    } catch (error) {
      for (const requirement of check.verifies) errors.set(requirement, String(error));
      return [];
    }
  });
}

/** Returns the answers of the target to gaps, as far as the exchanges show them. */
export function observeGaps(world: World, checks: readonly Check[]): ReadonlyMap<GapId, Observation> {
  return new Map(
    checks.flatMap((check): [GapId, Observation][] => {
      if (!('observe' in check)) return [];
      const answer = check.observe(world, check.gap);
      return answer === undefined ? [] : [[check.gap, answer]];
    }),
  );
}
