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
/** A step of the planner itself. */
const ownStep = (id: string, rank: number, run: Scenario['run']): Scenario => ({ id, rank, verifies: [], run });

/** Ranks below it fit into twenty requests, which show that the target is alive, and what any answer may show. */
const rankBehindFirst = 2;
/** Ranks below it fit into sixty requests, but for the rate-limit key: what failed is sent again apart from them. */
const rankBehindRepeated = 4;

/** Whether an item of a run is sent: with --only what the wanted requirements need, and with --last-failed no long search. */
function isWantedItem(
  steps: readonly SendingCheck[],
  { only, isLastFailed = false }: Pick<VerdictOptions, 'only' | 'isLastFailed'>,
): (item: PlannedItem) => boolean {
  if (only === undefined || only === 'shown') return () => true;
  const wanted = steps.filter(({ verifies }) => verifies.some((id) => only.has(id)));
  const named = new Set<AnyRequirementId>(wanted.flatMap(({ verifies }) => verifies));
  // A requirement without a step of its own is shown by any answer.
  const needsAny = [...only].some((id) => !named.has(id));
  const needsAnimals = [...only].some(restsOnCreations);
  const isFirst = ({ step, rank }: PlannedItem): boolean =>
    rank < rankBehindFirst && (needsAny || (needsAnimals && 'probes' in step && step.createsAnimals === true));
  const highest = isLastFailed ? rankBehindRepeated : Number.POSITIVE_INFINITY;
  return (item) => isFirst(item) || (wanted.includes(item.step) && item.rank < highest);
}

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
  const drawn = keptForDrawn(maxRequests);
  // What is kept for drawn sequences is a reserve for claims, which come first.
  if (rank === rankOfLastConfirmation) return 0;
  if (rank >= earlyRecheck) return rank > earlyRecheck && rank < lateRecheck ? drawn : 0;
  // Judging everything takes long, so it is done only where its result matters.
  return maxRequests < mostToKeep && rank >= rankOfKeeping && judge(exchanges).some(failsRun) ? keptForRechecks : 0;
}

/** Something to send: a row, or a scenario. */
interface PlannedItem {
  readonly rank: number;
  readonly step: SendingCheck;
  readonly probe?: Probe;
}

function itemsOf(step: SendingCheck, session: Session): readonly PlannedItem[] {
  if ('run' in step) return [{ step, rank: step.rank }];
  return step.probes(session).map((probe) => ({ step, probe, rank: probe.rank }));
}

/** Sends or runs one item; resolves with the items that follow from its answer. */
type Send = (item: PlannedItem, request?: PlannedRequest) => Promise<readonly PlannedItem[]>;

/** Takes the first waiting row that has what it needs. */
function takeReady(waiting: PlannedItem[], session: Session) {
  for (const [at, item] of waiting.entries()) {
    const request = item.probe?.request(session);
    if (request === undefined) continue;
    waiting.splice(at, 1);
    return { item, request };
  }
  return undefined;
}

/** Sends rows in their order, so many at a time; a row that lacks something waits until other rows have provided it. */
async function sendRows(session: Session, rows: readonly PlannedItem[], workers: number, send: Send): Promise<void> {
  const waiting = [...rows];
  const work = async (): Promise<void> => {
    for (let next = takeReady(waiting, session); next !== undefined; next = takeReady(waiting, session))
      waiting.unshift(...(await send(next.item, next.request)));
  };
  await runConcurrently(
    Array.from({ length: workers }, () => work),
    workers,
  );
}

/** Sends by rank while the budget lasts. */
export async function sendByRank(
  session: Session,
  state: RunState,
  options: Pick<VerdictOptions, 'only' | 'isLastFailed'>,
  onBudget?: (maxRequests: number) => void,
): Promise<void> {
  const { budget, settings, random } = session;
  const { suite, errors, notes } = state;
  /** A spent budget ends a step but not the run, since another may need less. Any other error is our own. */
  const send: Send = async (item, request) => {
    const { step, probe } = item;
    const own = session.forCheck(step.id);
    let exchange: Exchange | undefined;
    try {
      if (request !== undefined) exchange = await own.send(request);
      else if ('run' in step) await step.run(own, state);
      await stopIfRefused(own);
    } catch (error) {
      if (error instanceof RunStopped) throw error;
      for (const requirement of step.verifies) {
        if (!(error instanceof BudgetSpent)) errors.set(requirement, String(error));
        // Another reason says more: where the target refuses every animal, a larger budget does not help.
        else if (!notes.has(requirement)) notes.set(requirement, error.message);
      }
    }
    if (exchange === undefined || probe?.next === undefined) return [];
    return probe.next(own, exchange).map((next) => ({ ...item, probe: next }));
  };
  const ownSteps = [
    ownStep('budget', rankOfRaising, async () => {
      raiseBudget(budget, settings, session.exchanges);
      onBudget?.(budget.size().maxRequests);
    }),
    ...[earlyRecheck, lateRecheck].map((rank) => ownStep(recheckId, rank, recheckFailures)),
  ];
  const steps = suite.checks.filter((check) => 'run' in check || 'probes' in check);
  const wanted = steps.flatMap((step) => itemsOf(step, session)).filter(isWantedItem(steps, options));
  const items = [...wanted, ...ownSteps.flatMap((step) => itemsOf(step, session))];
  for (const [rank, ofRank] of [...Map.groupBy(items, (item) => item.rank)].sort(([one], [other]) => one - other)) {
    budget.keep(keptAt(rank, session, state));
    const workers = budget.requestsLeft() >= leastForConcurrency ? settings.concurrency : 1;
    const { rows = [], scenarios = [] } = Object.groupBy(ofRank, ({ probe }) => (probe ? 'rows' : 'scenarios'));
    // Everything else needs the first animals, so these keep their order.
    await sendRows(session, rank === 0 ? rows : shuffle(rows, random), workers, send);
    for (const scenario of scenarios) await send(scenario);
  }
}
