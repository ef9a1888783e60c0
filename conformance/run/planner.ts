/**
 * Sends what a budget can carry: probes by rank, in a drawn order within a rank, so that every kind of request comes to
 * follow every other kind. A read after a refused creation and a listing after a 404 need no scenario of their own.
 */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import { shuffle } from '../../spec/random.ts';
import type { Exchange } from '../http/exchange.ts';
import { isFailing } from '../verdict/finding.ts';
import type { VerdictOptions } from '../verdict/outcome.ts';
import { BudgetSpent } from './budget.ts';
import { RunStopped, runTasks } from './pace.ts';
import type { PlannedRequest } from './planned-request.ts';
import { stopIfExpired } from './preflight.ts';
import { raiseBudget } from './raised-budget.ts';
import { recheckedBefore, recheckFailures } from './recheck.ts';
import type { Session } from './session.ts';
import type { Check, Probe, ProbeKind, Scenario, Sending } from './suite.ts';

type Step = Scenario | ProbeKind;

/** The steps that a run needs. A wanted requirement that none verifies in particular may be shown by any other. */
function wantedSteps(checks: readonly Check[], only: VerdictOptions['only']): readonly Step[] {
  const steps = checks.filter((check) => 'run' in check || 'probes' in check);
  if (only === undefined || only === 'shown') return steps;
  const wanted = steps.filter(({ verifies }) => verifies.some((id) => only.has(id)));
  const named = new Set<AnyRequirementId>(wanted.flatMap(({ verifies }) => verifies));
  return [...only].every((id) => named.has(id)) ? wanted : steps;
}

/** With fewer requests left, they are sent one by one, so that the first ones get what they need. */
const leastForConcurrency = 30;

/** The part of a budget that is kept for drawn sequences: a tenth, and a quarter of a large one; none of a minute's. */
function keptForDrawn(maxRequests: number): number {
  if (maxRequests < 100) return 0;
  return Math.ceil(maxRequests / (maxRequests < 1_000 ? 10 : 4));
}

/** In a budget that keeps none for drawn sequences, so many are kept for the rechecks of what failed, from this rank on. */
const [keptForRechecks, rankOfRechecks] = [6, 2.5];

/** The rank of the drawn sequences, which use what is left. */
const lastRank = 10;

/** Something to send: a row, or a scenario, under the check to which its exchanges belong. */
interface Item {
  readonly rank: number;
  readonly step: Step;
  readonly session: Session;
  readonly probe?: Probe;
}

/** Sends or runs one item; resolves with what its answer asks for. */
type Send = (item: Item, request?: PlannedRequest) => Promise<readonly Item[]>;

/** Sends the items in their order; one that lacks what it needs waits until others have brought it. */
async function sendItems(items: readonly Item[], workers: number, send: Send): Promise<void> {
  const waiting = [...items];
  let sent = 0;
  const work = async (): Promise<void> => {
    for (let at = 0; at < waiting.length; at += 1) {
      const { session, probe } = waiting[at]!;
      const request = probe?.request(session);
      if (probe !== undefined && request === undefined) continue;
      const [item] = waiting.splice(at, 1);
      sent += 1;
      waiting.unshift(...(await send(item!, request)));
      at = -1;
    }
  };
  do {
    sent = 0;
    const tasks = Array.from({ length: workers }, () => work);
    await runTasks(tasks, workers);
  } while (sent > 0 && waiting.length > 0);
}

export interface PlanOptions {
  readonly checks: readonly Check[];
  readonly only: VerdictOptions['only'];
  readonly onStep: (step: Pick<Step, 'id' | 'title'>) => void;
  /** The most requests that the run may send, now that the first answers have raised them. */
  readonly onBudget: (maxRequests: number) => void;
}

/** Sends by rank while the budget lasts. */
export async function sendByRank(session: Session, sending: Sending, options: PlanOptions): Promise<void> {
  const { context, errors, notes, noteUnusedBudget } = sending;
  const { budget, settings, random } = session;
  const shown = new Set<Step>();
  const items = wantedSteps(options.checks, options.only).flatMap((step): readonly Item[] => {
    const own = session.forCheck(step.id);
    if ('run' in step) return [{ step, session: own, rank: step.rank }];
    return step.probes(own).map((probe) => ({ step, session: own, probe, rank: probe.rank }));
  });
  /** A spent budget ends a step but not the run, since another may need less. Any other error is our own. */
  const send: Send = async (item, request) => {
    const { step, session: own, probe } = item;
    // Hundreds of rows may be left when the budget is spent: the first of a step says so.
    if (budget.requestsLeft() === 0 && step.verifies.every((id) => notes.has(id))) return [];
    if (!shown.has(step)) options.onStep(step);
    shown.add(step);
    let exchange: Exchange | undefined;
    try {
      if (request === undefined) await (step as Scenario).run(own, context);
      else exchange = await own.send(request);
    } catch (error) {
      if (error instanceof RunStopped) throw error;
      for (const requirement of step.verifies) {
        if (!(error instanceof BudgetSpent)) errors.set(requirement, String(error));
        // Another reason says more: where the target refuses every animal, a larger budget does not help.
        else if (!notes.has(requirement)) context.note(requirement, error.message);
      }
    }
    await stopIfExpired(own).catch((error: unknown) => {
      if (!(error instanceof BudgetSpent)) throw error;
    });
    if (exchange === undefined || probe?.next === undefined) return [];
    return probe.next(own, exchange).map((next) => ({ ...item, probe: next }));
  };
  /** How many requests are kept for what comes after a rank. */
  function keptAt(rank: number): number {
    const { maxRequests } = budget.size();
    if (rank >= 4) return rank < lastRank ? keptForDrawn(maxRequests) : 0;
    // Judging everything takes long, so it is done only where its result matters.
    if (rank < rankOfRechecks || keptForDrawn(maxRequests) > 0) return 0;
    return context.judge(session.exchanges).some(isFailing) ? keptForRechecks : 0;
  }
  let isDecided = false;
  let before = 0;
  const byRank = [...Map.groupBy(items, ({ rank }) => rank)].sort(([one], [other]) => one - other);
  for (const [rank, ofRank] of byRank) {
    if (recheckedBefore.some((at) => before < at && rank >= at)) {
      session.enter('re-check');
      budget.keep(0);
      await recheckFailures(session, context);
    }
    before = rank;
    // The requests of the first ranks show how the target limits and how fast it answers.
    if (rank >= 3 && !isDecided) {
      isDecided = true;
      noteUnusedBudget(raiseBudget(session));
      options.onBudget(budget.size().maxRequests);
    }
    budget.keep(keptAt(rank));
    const isConcurrent = settings.concurrency > 1 && budget.requestsLeft() >= leastForConcurrency;
    const workers = isConcurrent ? settings.concurrency : 1;
    const { rows = [], scenarios = [] } = Object.groupBy(ofRank, ({ probe }) => (probe ? 'rows' : 'scenarios'));
    // The first animals are what everything else stands on.
    await sendItems(rank === 0 ? rows : shuffle(rows, random), workers, send);
    for (const scenario of scenarios) await send(scenario);
  }
}
