/** A run: preflight, scenarios by rank, invariants over all exchanges, one report. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import { needsOf, type RequirementId, requirements } from '../../spec/requirements.ts';
import { createReport } from '../verdict/create-report.ts';
import type { Counterexample, Failing } from '../verdict/finding.ts';
import { counterexamplesFor, createJudge, createJudging, observe } from '../verdict/findings.ts';
import { readHistory } from '../verdict/history.ts';
import { leftoversOf } from '../verdict/leftovers.ts';
import type { VerdictOptions } from '../verdict/outcome.ts';
import { reason } from '../verdict/reasons.ts';
import type { EvidenceScope, Report, ReportedInteraction, UnusedBudget } from '../verdict/report.ts';
import type { Settings } from '../verdict/settings.ts';
import { judgeRequirements } from '../verdict/verdict.ts';
import { countUnanswered, describeForeign } from '../world/evidence.ts';
import { BudgetSpent, createBudget } from './budget.ts';
import { RunStopped, runTasks } from './pace.ts';
import { NotStarted, preflight, stopIfExpired } from './preflight.ts';
import { closedBudget, raiseBudget } from './raised-budget.ts';
import { recheckedBefore, recheckFailures } from './recheck.ts';
import type { Scenario, ScenarioContext, Suite } from './scenario.ts';
import { createSession, type Session, type SessionOptions } from './session.ts';

/** Everything that a run depends on. `judge` fills it in for programs. */
export interface RunOptions extends Omit<SessionOptions, 'budget'> {
  readonly suite: Suite;
  readonly verdictOptions?: VerdictOptions;
  readonly scope?: EvidenceScope;
  /** The commit of the kit's own sources, for the report. */
  readonly commit?: string;
  /** Whether the deadline has passed: no signal is delivered while the invariants judge. */
  readonly isOverdue?: () => boolean;
  /** The most requests that the run may send: when it starts, and when the first answers have raised it. */
  readonly onBudget?: (maxRequests: number) => void;
  /** A scenario starts. */
  readonly onScenario?: (scenario: Pick<Scenario, 'id' | 'title'>) => void;
}

const allRequirements: VerdictOptions = { requiresAll: false };

/** The scenarios that a run needs. A wanted requirement that none verifies in particular may be shown by any other. */
function wantedScenarios({ checks }: Suite, { only }: VerdictOptions): readonly Scenario[] {
  const scenarios = checks.filter((check) => 'run' in check).sort((one, other) => one.rank - other.rank);
  if (only === undefined || only === 'shown') return scenarios;
  const wanted = scenarios.filter(({ verifies }) => verifies.some((id) => only.has(id)));
  const named = new Set<AnyRequirementId>(wanted.flatMap(({ verifies }) => verifies));
  const others = scenarios.filter((scenario) => !wanted.includes(scenario));
  return [...only].every((id) => named.has(id)) ? wanted : [...wanted, ...others];
}

/** A spent budget ends a scenario but not the run, since another may need less. Any other error is our own. */
async function runScenario(scenario: Scenario, session: Session, { context, errors, notes }: Sending): Promise<void> {
  try {
    await scenario.run(session, context);
  } catch (error) {
    if (error instanceof RunStopped) throw error;
    for (const requirement of scenario.verifies) {
      // Another reason says more: where the target refuses every animal, a larger budget does not help.
      if (error instanceof BudgetSpent) {
        if (!notes.has(requirement)) context.note(requirement, error.message);
      } else errors.set(requirement, String(error));
    }
  }
}

/** The scenarios in their order; those of one group may run concurrently. */
function groupScenarios(scenarios: readonly Scenario[]): readonly (readonly Scenario[])[] {
  const groups: Scenario[][] = [];
  for (const scenario of scenarios) {
    const before = groups.at(-1)?.at(-1);
    const isOneGroup = before?.rank === scenario.rank && before.canRunInParallel && scenario.canRunInParallel;
    if (isOneGroup) groups.at(-1)!.push(scenario);
    else groups.push([scenario]);
  }
  return groups;
}

/** With fewer requests left, scenarios run one by one, so that the first ones get what they need. */
const leastForConcurrency = 30;

async function runScenarios(session: Session, sending: Sending, options: RunOptions): Promise<void> {
  await preflight(session);
  const runOne = async (scenario: Scenario): Promise<void> => {
    const own = session.forCheck(scenario.id);
    options.onScenario?.(scenario);
    await runScenario(scenario, own, sending);
    await stopIfExpired(own).catch((error: unknown) => {
      if (!(error instanceof BudgetSpent)) throw error;
    });
  };
  let rank = 1;
  let isDecided = false;
  for (const group of groupScenarios(wantedScenarios(options.suite, options.verdictOptions ?? allRequirements))) {
    const next = group[0]!.rank;
    if (next > rank && recheckedBefore.includes(next)) {
      session.enter('re-check');
      await recheckFailures(session, sending.context);
    }
    rank = next;
    // The requests of the first two ranks show how the target limits and how fast it answers.
    if (rank > 2 && !isDecided) {
      isDecided = true;
      sending.noteUnusedBudget(raiseBudget(session));
      options.onBudget?.(session.budget.size().maxRequests);
    }
    const isConcurrent = session.settings.concurrency > 1 && session.budget.requestsLeft() >= leastForConcurrency;
    await runTasks(
      group.map((scenario) => () => runOne(scenario)),
      isConcurrent ? group.length : 1,
    );
  }
}

export interface Sending {
  readonly context: ScenarioContext;
  /** Requirements whose scenarios threw: our own errors. */
  readonly errors: Map<RequirementId, string>;
  readonly notes: ReadonlyMap<RequirementId, string>;
  /** Why the larger budget was not spent. */
  readonly noteUnusedBudget: (unused: UnusedBudget | undefined) => void;
}

/** The part of a run that sends, and its additions to the report. */
export interface Work {
  /** Rejects with a RunStopped if something ends the run early. */
  readonly send: (session: Session, sending: Sending) => Promise<void>;
  readonly interactions?: () => readonly ReportedInteraction[];
}

/** Resolves with the reason why the work ended early, if it did. */
async function workUntilStopped(work: Work, session: Session, sending: Sending): Promise<RunStopped | undefined> {
  try {
    await work.send(session, sending);
    return undefined;
  } catch (error) {
    if (error instanceof RunStopped) return error;
    throw error;
  }
}

/** With --only, each requirement gets at most so many requests, unless it needs a key to exhaust. */
const requestsPerRequirement = 30;

function mostRequests({ maxRequests }: Settings, { only }: VerdictOptions): number {
  if (only === undefined || only === 'shown') return maxRequests;
  const isProbing = requirements.some((one) => only.has(one.id) && needsOf(one).includes('rate-limit-key'));
  return isProbing ? maxRequests : Math.min(maxRequests, requestsPerRequirement * only.size);
}

/** Does the work, and judges its exchanges. Rejects only for our own errors. */
export async function judgeWork(options: RunOptions, work: Work): Promise<Report> {
  const { settings, clock, suite, verdictOptions = allRequirements } = options;
  const startedAt = clock.now();
  const budget = createBudget(mostRequests(settings, verdictOptions), settings.maxCreates);
  options.onBudget?.(budget.size().maxRequests);
  const judging = createJudging(options.isOverdue);
  const judge = createJudge(suite, settings, judging);
  const waits: { readonly at: number; readonly ms: number; readonly why: string }[] = [];
  const onWait = (ms: number, why: string): void => {
    waits.push({ at: clock.now(), ms, why });
    options.onWait?.(ms, why);
  };
  const session = createSession({ ...options, budget, onWait });
  const notes = new Map<RequirementId, string>();
  const counterexamples = new Map<RequirementId, Counterexample>();
  const confirmed: Failing[] = [];
  const left = new Map<RequirementId, string>();
  const context: ScenarioContext = {
    confirm: (failing) => void confirmed.push(failing),
    confirmed: () => confirmed,
    leave: (requirement, why) => void left.set(requirement, why),
    suite,
    judge,
    note: (requirement, reason) => void notes.set(requirement, reason),
    counterexamples,
    noteCounterexample: (found) => void counterexamples.set(found.finding.requirement, found),
  };
  let unusedBudget: UnusedBudget | undefined;
  const noteUnusedBudget = (unused: UnusedBudget | undefined): void => {
    unusedBudget = unused;
  };
  const stopped = await workUntilStopped(work, session, { context, errors: judging.errors, notes, noteUnusedBudget });
  const history = readHistory(session.exchanges, settings);
  const findings = stopped instanceof NotStarted ? [] : [...judge(session.exchanges), ...confirmed];
  const ended = stopped?.reason ?? (judging.isOverdue() ? reason('overdue', {}) : undefined);
  const foreign = describeForeign(session.exchanges, budget.requests());
  const endedAt = clock.now();
  return createReport(
    defined({
      settings: settings.raisedBudget === undefined ? settings : { ...settings, ...budget.size() },
      verdictOptions,
      verdicts: judgeRequirements(findings, { settings, notes, left, errors: judging.errors, ended }),
      exchanges: session.exchanges,
      counterexamples: counterexamplesFor(findings, counterexamples, judge, session.exchanges),
      observed: observe(history, suite),
      created: leftoversOf(history),
      interactions: work.interactions?.(),
      // The end of a run also ends its last wait.
      waits: waits.map(({ at, ms, why }) => ({
        startedAt: new Date(at).toISOString(),
        durationMs: Math.min(ms, endedAt - at),
        why,
      })),
      requests: budget.requests(),
      unusedBudget: unusedBudget ?? closedBudget(budget, settings),
      ...defined({ scope: options.scope }),
      creates: budget.creations(),
      unanswered: countUnanswered(session.exchanges),
      ended,
      remark: foreign === undefined ? undefined : reason('foreign-skipped', { answers: foreign }),
      startedAt,
      endedAt,
      commit: options.commit,
    }),
  );
}

/** Runs the kit against a target and judges it. */
export function runConformance(options: RunOptions): Promise<Report> {
  return judgeWork(options, { send: (session, sending) => runScenarios(session, sending, options) });
}
