/** A run: preflight, what the planner sends, judges over all exchanges, one report. */

import { defined } from '../../spec/defined.ts';
import type { Exchange } from '../http/exchange.ts';
import { animalsLeftBehind, createReport } from '../verdict/create-report.ts';
import type { Finding } from '../verdict/finding.ts';
import type { VerdictOptions } from '../verdict/outcome.ts';
import type { Reason } from '../verdict/reasons.ts';
import type { Report, ReportedInteraction } from '../verdict/report.ts';
import { judgeRequirements, type RunNotes } from '../verdict/verdict.ts';
import { countUnanswered, describeForeign } from '../world/evidence.ts';
import type { Settings } from '../world/settings.ts';
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

/** What a run knows before it sends anything. */
function createState(suite: Suite, settings: Settings): RunState {
  const errors: RunNotes['errors'] = new Map();
  return {
    suite,
    judge: (exchanges, only) => judgeWorld(readWorld(exchanges, settings), suite.checks, errors, only),
    notes: new Map(),
    unsettled: new Map(),
    errors,
    confirmed: [],
    closedClaims: new Set(),
    counterexamples: new Map(),
  };
}

/** Resolves with what stopped a run early; undefined where it came to its end. */
async function whatStopped(work: Promise<void>): Promise<RunStopped | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof RunStopped) return error;
    throw error;
  }
}

/** What a run has found; nothing where it was stopped before it started. */
function findingsOf({ exchanges }: Session, state: RunState, stopped: RunStopped | undefined): readonly Finding[] {
  if (stopped instanceof NotStarted) return [];
  return [...state.judge(beforeBlock(exchanges, stopped?.reason)), ...state.confirmed];
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
  const state = createState(suite, settings);
  const stopped = await whatStopped(send(session, state));
  const ended = stopped?.reason;
  const findings = findingsOf(session, state, stopped);
  noteCounterexamples(state, findings, exchanges);
  const world = readWorld(exchanges, settings);
  // With --only, each requirement has its own evidence, and pacts ask for what consumers need.
  const isWhole = verdictOptions.only === undefined && interactions === undefined;
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
