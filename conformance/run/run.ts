/** A run: preflight, what the planner sends, judges over all exchanges, one report. */

import { defined } from '../../spec/defined.ts';
import type { Exchange } from '../http/exchange.ts';
import { animalsLeftBehind, createReport } from '../verdict/create-report.ts';
import type { JudgeAll } from '../verdict/finding.ts';
import type { VerdictOptions } from '../verdict/outcome.ts';
import type { Reason } from '../verdict/reasons.ts';
import type { Report, ReportedInteraction } from '../verdict/report.ts';
import { judgeRequirements, type RunNotes } from '../verdict/verdict.ts';
import { countUnanswered, describeForeign } from '../world/evidence.ts';
import { readWorld } from '../world/world.ts';
import { whyUnserved } from './core-evidence.ts';
import { describeLimitWait } from './pace.ts';
import { sendByRank } from './planner.ts';
import { checkTarget, NotStarted } from './preflight.ts';
import { noteCounterexamples } from './recheck.ts';
import { createSession, type Session, type SessionOptions } from './session.ts';
import { judgeWorld, observeGaps, type RunState, type Suite } from './suite.ts';
import { RunStopped } from './waits.ts';

/** Everything that a run depends on. `judge` fills it in for programs. */
export interface RunOptions extends SessionOptions {
  readonly suite: Suite;
  readonly verdictOptions?: VerdictOptions;
  /** Called with the most requests that the run may send, once the first answers have decided whether that is raised. */
  readonly onBudget?: (maxRequests: number) => void;
}

/** The exchanges before a firewall or the service blocked the client: what it answers since says nothing of the interface. */
function beforeBlock(exchanges: readonly Exchange[], ended: Reason | undefined): readonly Exchange[] {
  if (ended?.code !== 'key-blocked') return exchanges;
  const lastAccepted = Number(ended.values['number']);
  return exchanges.filter(({ number }) => number <= lastAccepted);
}

/**
 * Runs `send` and judges its exchanges; `send` may reject with RunStopped to end the run early. Only a verification of
 * pacts has interactions, to which `send` adds. Rejects only for our own errors.
 */
export async function judgeWork(
  options: RunOptions,
  send: (session: Session, state: RunState) => Promise<void>,
  interactions?: readonly ReportedInteraction[],
): Promise<Report> {
  const { settings, clock, suite, verdictOptions = { requiresAll: false } } = options;
  const startedAt = clock.now();
  const session = createSession(options);
  const { exchanges, budget } = session;
  const notes: RunNotes = { notes: new Map(), unsettled: new Map(), errors: new Map() };
  const judge: JudgeAll = (some, only) => judgeWorld(readWorld(some, settings), suite.checks, notes.errors, only);
  const found = { confirmed: [], closedClaims: new Set<string>(), counterexamples: new Map() };
  const state: RunState = { suite, judge, ...notes, ...found };
  let stopped: RunStopped | undefined;
  try {
    await send(session, state);
  } catch (error) {
    if (!(error instanceof RunStopped)) throw error;
    stopped = error;
  }
  const ended = stopped?.reason;
  const findings = stopped instanceof NotStarted ? [] : [...judge(beforeBlock(exchanges, ended)), ...state.confirmed];
  const world = readWorld(exchanges, settings);
  // With --only, each requirement has its own evidence, and pacts ask for what consumers need.
  const isWhole = verdictOptions.only === undefined && interactions === undefined;
  noteCounterexamples(state, findings, exchanges);
  return createReport(
    defined({
      mask: session.mask,
      settings: { ...settings, ...budget.size() },
      verdictOptions,
      verdicts: judgeRequirements(findings, { ...state, settings, ended }),
      exchanges,
      counterexamples: state.counterexamples,
      observed: observeGaps(world, suite.checks),
      created: animalsLeftBehind(exchanges),
      interactions,
      waits: session.waits,
      notes: [
        ...budget.notes(),
        ...describeLimitWait(session.waitedForLimitMs(), exchanges),
        ...describeForeign(exchanges, budget.requests()),
      ],
      creates: budget.creations(),
      unanswered: countUnanswered(exchanges),
      unserved: isWhole ? whyUnserved(world) : undefined,
      ended,
      startedAt,
      endedAt: clock.now(),
    }),
  );
}

/** Runs the kit against a target and judges it. */
export function runConformance(options: RunOptions): Promise<Report> {
  return judgeWork(options, async (session, state) => {
    await checkTarget(session);
    await sendByRank(session, state, options.verdictOptions ?? {}, options.onBudget);
  });
}
