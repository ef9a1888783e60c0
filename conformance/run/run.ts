/** A run: preflight, what the planner sends, invariants over all exchanges, one report. */

import { defined } from '../../spec/defined.ts';
import { type RequirementId, requirements } from '../../spec/requirements.ts';
import { createReport, leftoversOf } from '../verdict/create-report.ts';
import type { Counterexample, Failing } from '../verdict/finding.ts';
import type { VerdictOptions } from '../verdict/outcome.ts';
import { reason } from '../verdict/reasons.ts';
import type { EvidenceScope, Report, ReportedInteraction, UnusedBudget } from '../verdict/report.ts';
import { judgeRequirements } from '../verdict/verdict.ts';
import { countUnanswered, describeForeign } from '../world/evidence.ts';
import { readHistory } from '../world/history.ts';
import type { Settings } from '../world/settings.ts';
import { createBudget } from './budget.ts';
import { counterexamplesFor, createJudge, observe } from './judging.ts';
import { RunStopped } from './pace.ts';
import { sendByRank } from './planner.ts';
import { NotStarted, preflight } from './preflight.ts';
import { closedBudget } from './raised-budget.ts';
import { createSession, type Session, type SessionOptions } from './session.ts';
import type { Scenario, ScenarioContext, Sending, Suite } from './suite.ts';

/** Everything that a run depends on. `judge` fills it in for programs. */
export interface RunOptions extends Omit<SessionOptions, 'budget'> {
  readonly suite: Suite;
  readonly verdictOptions?: VerdictOptions;
  readonly scope?: EvidenceScope;
  /** The most requests that the run may send: when it starts, and when the first answers have raised it. */
  readonly onBudget?: (maxRequests: number) => void;
  /** A scenario, or the probes of a kind, start. */
  readonly onScenario?: (scenario: Pick<Scenario, 'id' | 'title'>) => void;
}

const allRequirements: VerdictOptions = { requiresAll: false };

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
const requestsPerRequirement = 60;

function mostRequests({ maxRequests }: Settings, { only }: VerdictOptions): number {
  if (only === undefined || only === 'shown') return maxRequests;
  const isProbing = requirements.some((one) => only.has(one.id) && one.needs?.includes('rate-limit-key'));
  return isProbing ? maxRequests : Math.min(maxRequests, requestsPerRequirement * only.size);
}

/** Does the work, and judges its exchanges. Rejects only for our own errors. */
export async function judgeWork(options: RunOptions, work: Work): Promise<Report> {
  const { settings, clock, suite, verdictOptions = allRequirements } = options;
  const startedAt = clock.now();
  const budget = createBudget(mostRequests(settings, verdictOptions), settings.maxCreates);
  options.onBudget?.(budget.size().maxRequests);
  const errors = new Map<RequirementId, string>();
  const judge = createJudge(suite, settings, errors);
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
    closedClaims: new Set(),
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
  const stopped = await workUntilStopped(work, session, { context, errors, notes, noteUnusedBudget });
  const history = readHistory(session.exchanges, settings);
  const findings = stopped instanceof NotStarted ? [] : [...judge(session.exchanges), ...confirmed];
  const ended = stopped?.reason;
  const foreign = describeForeign(session.exchanges, budget.requests());
  const endedAt = clock.now();
  return createReport(
    defined({
      settings: settings.raisedBudget === undefined ? settings : { ...settings, ...budget.size() },
      verdictOptions,
      verdicts: judgeRequirements(findings, { settings, notes, left, errors, ended }),
      exchanges: session.exchanges,
      counterexamples: counterexamplesFor(findings, counterexamples, judge, session.exchanges),
      observed: observe(history, suite),
      created: leftoversOf(session.exchanges),
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
    }),
  );
}

/** Runs the kit against a target and judges it. */
export function runConformance(options: RunOptions): Promise<Report> {
  const { suite, verdictOptions, onScenario, onBudget } = options;
  return judgeWork(options, {
    send: async (session, sending) => {
      await preflight(session);
      await sendByRank(session, sending, {
        checks: suite.checks,
        only: verdictOptions?.only,
        onStep: (step) => onScenario?.(step),
        onBudget: (maxRequests) => onBudget?.(maxRequests),
      });
    },
  });
}
