/**
 * Sends what a budget can carry: probes by rank, in a drawn order within a rank, so that every kind of request comes to
 * follow every other kind. A read after a refused creation and a listing after a 404 need no scenario of their own.
 */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import { shuffle } from '../../spec/random.ts';
import { runConcurrently } from '../http/concurrency.ts';
import type { Exchange } from '../http/exchange.ts';
import { failsRun, recheckId } from '../verdict/finding.ts';
import type { VerdictOptions } from '../verdict/outcome.ts';
import { restsOnCreations } from '../verdict/verdict.ts';
import { BudgetSpent, raiseBudget } from './budget.ts';
import type { PlannedRequest } from './planned-request.ts';
import { stopIfRefused } from './preflight.ts';
import { recheckFailures } from './recheck.ts';
import type { Session } from './session.ts';
import type { Probe, ProbeKind, RunState, Scenario } from './suite.ts';
import { RunStopped } from './waits.ts';

type SendingCheck = Scenario | ProbeKind;

/** Failures are rechecked before the probes behind this rank, while a small budget has requests left. */
const earlyRecheck = 3.9;
/** And once more before a large budget is spent. */
const lateRecheck = 9.8;
/** Ranks below it fit into twenty requests, which show that the target is alive, and what any answer may show. */
const rankBehindFirst = 2;
/** Ranks below it fit into sixty requests, but for the rate-limit key: what failed is sent again apart from them. */
const rankBehindRepeated = 4;

/** With fewer requests left, they are sent one by one, so that the first ones get what they need. */
const leastForConcurrency = 30;
/** The requests of lower ranks show how the target limits and how fast it answers. */
const rankOfRaising = 2.9;
/** How many requests a small budget keeps to recheck what failed. */
const keptForRechecks = 6;
/** From this rank on they are kept. */
const rankOfKeeping = 2.5;
/** A budget of so many requests or more lasts until the rechecks anyway. */
const mostToKeep = 150;
/** The last confirmation comes where a budget of three hundred has nothing else left to send than drawn sequences. */
export const rankOfLastConfirmation = 6.5;

/** How many requests of a budget are kept for drawn sequences: a tenth, and a quarter of a large one. */
function keptForDrawn(maxRequests: number): number {
  if (maxRequests < 100) return 0;
  return Math.ceil(maxRequests < 1_000 ? maxRequests / 10 : maxRequests / 4);
}

/** How many requests are kept for what comes after a rank: for drawn sequences, and for rechecks. */
function keptAt(rank: number, { budget, exchanges }: Session, { judge }: RunState): number {
  const { maxRequests } = budget.size();
  // What is kept for drawn sequences is a reserve for claims, which come first.
  if (rank === rankOfLastConfirmation) return 0;
  if (rank > earlyRecheck && rank < lateRecheck) return keptForDrawn(maxRequests);
  const keepsForRechecks = maxRequests < mostToKeep && rank >= rankOfKeeping && rank < earlyRecheck;
  // Judging everything takes long, so it is done only where its result matters.
  return keepsForRechecks && judge(exchanges).some(failsRun) ? keptForRechecks : 0;
}

/** One probe of a kind. */
interface Row {
  readonly rank: number;
  readonly step: ProbeKind;
  readonly probe: Probe;
}

type PlannedItem = Row | Scenario;

function itemsOf(step: SendingCheck, session: Session): readonly PlannedItem[] {
  if ('run' in step) return [step];
  return step.probes(session).map((probe) => ({ rank: probe.rank, step, probe }));
}

type Choice = Pick<VerdictOptions, 'only' | 'isLastFailed'>;

/** What is sent: with --only what the wanted requirements need, and with --last-failed no long search. */
function wantedItems(
  steps: readonly SendingCheck[],
  session: Session,
  { only, isLastFailed = false }: Choice,
): readonly PlannedItem[] {
  if (only === undefined || only === 'shown') return steps.flatMap((step) => itemsOf(step, session));
  const verified = new Set<AnyRequirementId>(steps.flatMap(({ verifies }) => verifies));
  // A requirement without a step of its own is shown by any answer.
  const needsAny = [...only].some((id) => !verified.has(id));
  const needsAnimals = [...only].some(restsOnCreations);
  const rankBehindWanted = isLastFailed ? rankBehindRepeated : Number.POSITIVE_INFINITY;

  /** The rank before which the rows of a step are sent; undefined if none is. */
  const rankBehind = (step: SendingCheck): number | undefined => {
    if (step.verifies.some((id) => only.has(id))) return rankBehindWanted;
    const createsAnimals = 'probes' in step && step.createsAnimals === true;
    return needsAny || (needsAnimals && createsAnimals) ? rankBehindFirst : undefined;
  };

  return steps.flatMap((step) => {
    const behind = rankBehind(step);
    return behind === undefined ? [] : itemsOf(step, session).filter(({ rank }) => rank < behind);
  });
}

/** Notes why a step ended early: a spent budget ends a step but not the run, since another may need less. */
function noteEnd(error: unknown, { verifies }: SendingCheck, { errors, notes }: RunState): void {
  if (error instanceof RunStopped) throw error;
  // Any other error is our own. A step of the planner itself has no requirement to note it under.
  const isOurs = !(error instanceof BudgetSpent);
  if (isOurs && verifies.length === 0) throw error;
  for (const requirement of verifies) {
    if (isOurs) errors.set(requirement, String(error));
    // Another reason says more: where the target refuses every animal, a larger budget does not help.
    else if (!notes.has(requirement)) notes.set(requirement, error.message);
  }
}

async function runScenario(session: Session, state: RunState, scenario: Scenario): Promise<void> {
  const own = session.forCheck(scenario.id);
  try {
    await scenario.run(own, state);
    await stopIfRefused(own);
  } catch (error) {
    noteEnd(error, scenario, state);
  }
}

/** Sends a row; resolves with the rows that follow from its answer. */
async function sendRow(session: Session, state: RunState, row: Row, request: PlannedRequest): Promise<readonly Row[]> {
  const { step, probe } = row;
  const own = session.forCheck(step.id);
  let exchange: Exchange | undefined;
  try {
    exchange = await own.send(request);
    await stopIfRefused(own);
  } catch (error) {
    noteEnd(error, step, state);
  }
  if (exchange === undefined || probe.next === undefined) return [];
  return probe.next(own, exchange).map((next) => ({ ...row, probe: next }));
}

/** Takes the first waiting row that has what it needs. */
function takeReady(waiting: Row[], session: Session) {
  for (const [at, row] of waiting.entries()) {
    const request = row.probe.request(session);
    if (request === undefined) continue;
    waiting.splice(at, 1);
    return { row, request };
  }
  return undefined;
}

/** Sends rows in their order, so many at a time; a row that lacks something waits until other rows have provided it. */
async function sendRows(session: Session, state: RunState, rows: readonly Row[], workers: number): Promise<void> {
  const waiting = [...rows];
  const work = async (): Promise<void> => {
    for (let next = takeReady(waiting, session); next !== undefined; next = takeReady(waiting, session)) {
      const following = await sendRow(session, state, next.row, next.request);
      waiting.unshift(...following);
    }
  };
  await runConcurrently(
    Array.from({ length: workers }, () => work),
    workers,
  );
}

/** The steps of the planner itself, which any choice of requirements needs. */
function stepsOfPlanner(onBudget: ((maxRequests: number) => void) | undefined): readonly Scenario[] {
  const raise: Scenario['run'] = async ({ budget, settings, exchanges }) => {
    raiseBudget(budget, settings, exchanges);
    onBudget?.(budget.size().maxRequests);
  };
  return [
    { id: 'budget', rank: rankOfRaising, verifies: [], run: raise },
    { id: recheckId, rank: earlyRecheck, verifies: [], run: recheckFailures },
    { id: recheckId, rank: lateRecheck, verifies: [], run: recheckFailures },
  ];
}

/** Sends by rank while the budget lasts. */
export async function sendByRank(
  session: Session,
  state: RunState,
  choice: Choice,
  onBudget?: (maxRequests: number) => void,
): Promise<void> {
  const { budget, settings, random } = session;
  const steps = state.suite.checks.filter((check) => 'run' in check || 'probes' in check);
  const items = [...wantedItems(steps, session, choice), ...stepsOfPlanner(onBudget)];
  const byRank = [...Map.groupBy(items, ({ rank }) => rank)].sort(([one], [other]) => one - other);
  for (const [rank, ofRank] of byRank) {
    budget.keep(keptAt(rank, session, state));
    const workers = budget.requestsLeft() >= leastForConcurrency ? settings.concurrency : 1;
    const rows = ofRank.filter((item) => 'probe' in item);
    const scenarios = ofRank.filter((item) => 'run' in item);
    // Everything else needs the first animals, so these keep their order.
    await sendRows(session, state, rank === 0 ? rows : shuffle(rows, random), workers);
    for (const scenario of scenarios) await runScenario(session, state, scenario);
  }
}
