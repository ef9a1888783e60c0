/** One run: preflight, scenarios by rank, invariants over all exchanges, one report. */

import type { GapId } from '../../spec/gaps.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { checks } from '../checks/index.ts';
import { listPets } from '../checks/requests.ts';
import { BudgetSpent, createBudget } from './budget.ts';
import type { Finding, Invariant, Observation, Observer, Scenario } from './check.ts';
import { isFailing, type Judge, recheckFailures, type Sequence, shortestSequence } from './counterexample.ts';
import type { Exchange } from './exchange.ts';
import { type History, readHistory } from './history.ts';
import { statusOf } from './read-response.ts';
import { createReport, type EvidenceScope, type Report, type ReportedInteraction } from './report.ts';
import { type Clock, createSession, NotStarted, RunStopped, type Session, type SessionOptions } from './session.ts';
import type { Settings } from './settings.ts';
import type { Transport } from './transport.ts';
import { applyWaivers, type Demands, isWanted, judgeRequirements, judgeRun } from './verdict.ts';

export interface RunOptions {
  readonly settings: Settings;
  readonly keys: SessionOptions['keys'];
  readonly transport: Transport;
  readonly clock: Clock;
  readonly runTag: string;
  readonly demands?: Demands;
  readonly scope?: EvidenceScope;
  /** Ends the run when it aborts, for the reason it gives; the report is made all the same. */
  readonly signal?: AbortSignal;
  readonly onScenario?: (scenario: Pick<Scenario, 'id' | 'title'>) => void;
  readonly onExchange?: (exchange: Exchange) => void;
  readonly onWait?: (ms: number, why: string) => void;
}

const everything: Demands = { requiresAll: false };

/** One call that tells whether there is a target and whether it knows the key; stops the run where not. */
export async function preflight(session: Session): Promise<void> {
  session.enter('preflight');
  const exchange = await session.send(listPets()).catch((error: unknown) => {
    if (!(error instanceof BudgetSpent)) throw error;
    throw new NotStarted(`The target refused the first request with 429, and ${error.message}: raise --max-requests.`);
  });
  const status = statusOf(exchange);
  if (exchange.failure !== undefined) {
    const { code, message } = exchange.failure;
    const what = code === 'unreachable' ? 'could not be reached' : 'gave no answer that can be read';
    throw new NotStarted(`The target ${what} (${message}): check the base address and that the service runs.`);
  }
  // Any other refusal breaks §4.1 or §5, whether the key is valid or not, and is judged.
  if (status === 401) {
    throw new NotStarted(
      `The target refused the API key with 401: check that the key is one of this environment, and the base address.`,
    );
  }
}

/** The scenarios that a run needs: all of them where a wanted statement is borne by exchanges of every kind. */
function wantedScenarios({ only }: Demands): readonly Scenario[] {
  const scenarios = checks.filter((check) => check.kind === 'scenario').sort((one, other) => one.rank - other.rank);
  const named = new Set(scenarios.flatMap(({ verifies }) => verifies));
  if (only === undefined || only === 'shown' || [...only].some((id) => !named.has(id))) return scenarios;
  return scenarios.filter(({ verifies }) => verifies.some((id) => only.has(id)));
}

/** What failed is asked once more before these ranks: while a small budget has requests left, and before all are spent. */
const recheckedBefore: ReadonlySet<number> = new Set([4, 6]);

/** Runs the scenarios; resolves with what ended the run early, if anything did. */
async function sendAll(
  session: Session,
  options: RunOptions,
  errors: Map<RequirementId, string>,
): Promise<RunStopped | undefined> {
  try {
    await preflight(session);
    let rank = 1;
    for (const scenario of wantedScenarios(options.demands ?? everything)) {
      if (scenario.rank > rank && recheckedBefore.has(scenario.rank)) {
        session.enter('re-check');
        await recheckFailures(session);
      }
      rank = scenario.rank;
      session.enter(scenario.id);
      options.onScenario?.(scenario);
      await runScenario(scenario, session, errors);
    }
    return undefined;
  } catch (error) {
    if (error instanceof RunStopped) return error;
    throw error;
  }
}

/** A spent budget ends a scenario, not the run: another may need less. What else it throws is our own error. */
async function runScenario(scenario: Scenario, session: Session, errors: Map<RequirementId, string>): Promise<void> {
  try {
    await scenario.run(session);
  } catch (error) {
    if (error instanceof RunStopped) throw error;
    for (const requirement of scenario.verifies) {
      if (error instanceof BudgetSpent) session.note(requirement, `${error.message}; raise it`);
      else errors.set(requirement, String(error));
    }
  }
}

/**
 * What the invariants find in the evidence, for one requirement or all; an invariant that throws is our own error, told
 * by requirement.
 */
export function judgeHistory(
  history: History,
  errors = new Map<RequirementId, string>(),
  only?: RequirementId,
): readonly Finding[] {
  const invariants = checks.filter((check): check is Invariant => check.kind === 'invariant');
  const wanted = only === undefined ? invariants : invariants.filter(({ verifies }) => verifies.includes(only));
  return wanted.flatMap((invariant) => {
    try {
      return [...invariant.judge(history)];
    } catch (error) {
      for (const requirement of invariant.verifies) errors.set(requirement, String(error));
      return [];
    }
  });
}

function observe(history: History): ReadonlyMap<GapId, Observation> {
  const observers = checks.filter((check): check is Observer => check.kind === 'observer');
  return new Map(
    observers.flatMap(({ gap, observe: look }): [GapId, Observation][] => {
      const observation = look(history);
      return observation === undefined ? [] : [[gap, observation]];
    }),
  );
}

/** Why nothing was created although the budget allowed it: most likely an unknown category, else the names. */
function noteRefusedCreation(history: History, session: Session): void {
  const refused = history.exchanges.some(
    (exchange) => exchange.operation === 'createPet' && statusOf(exchange) === 400,
  );
  if (history.created.length > 0 || !refused) return;
  const advice =
    history.settings.categoryIds.length > 0
      ? 'the category is one that you named, so the target may accept no names like cf-0a1b2c-01'
      : 'name a category that the target knows with --category-id';
  session.note('create-answer', `the plain example was refused with 400: ${advice}`);
}

/** For every failing statement the shortest sequence that shows it, those included that were never asked again. */
function shownSequences(session: Session, findings: readonly Finding[]): ReadonlyMap<RequirementId, Sequence> {
  const sequences = new Map(session.sequences);
  for (const failing of findings.filter(isFailing)) {
    if (sequences.has(failing.requirement)) continue;
    const shortest = shortestSequence(session.judge, session.exchanges, failing);
    sequences.set(failing.requirement, { ...shortest, recheck: 'not-asked-again' });
  }
  return sequences;
}

/** What is sent to a target, and what else a report says of it. */
export interface Work {
  /** Resolves with what ended it early, if anything did. */
  readonly send: (session: Session, errors: Map<RequirementId, string>) => Promise<RunStopped | undefined>;
  /** Of a verification of pacts: what came of each interaction. */
  readonly interactions?: () => readonly ReportedInteraction[];
}

/** Sends what there is to send, and judges what came back. Rejects only for our own errors. */
export async function judgeWork(options: RunOptions, work: Work): Promise<Report> {
  const { settings, clock } = options;
  const demands = options.demands ?? everything;
  const startedAt = clock.now();
  const budget = createBudget(settings.maxRequests, settings.maxCreates);
  const errors = new Map<RequirementId, string>();
  const judge: Judge = (exchanges, only) => judgeHistory(readHistory(exchanges, settings), errors, only);
  const session = createSession({ ...options, budget, judge });
  const stopped = await work.send(session, errors);
  const ended = stopped?.message;
  const history = readHistory(session.exchanges, settings);
  noteRefusedCreation(history, session);
  const circumstances = { settings, notes: session.notes, errors, ...(ended === undefined ? {} : { ended }) };
  const findings = stopped instanceof NotStarted ? [] : judgeHistory(history, errors);
  const wanted = judgeRequirements(findings, circumstances).filter((verdict) => isWanted(verdict, demands));
  const verdicts = applyWaivers(wanted, demands.waivers, settings.today);
  const interactions = work.interactions?.();
  return createReport({
    history,
    settings,
    verdicts,
    sequences: shownSequences(session, findings),
    ...(interactions === undefined ? {} : { interactions }),
    outcome: judgeRun(verdicts, ended, demands, interactions),
    observed: observe(history),
    startedAt,
    endedAt: clock.now(),
    requests: budget.requests(),
    creates: budget.creations(),
    scope: options.scope ?? 'cited',
  });
}

/** Runs the kit against a target and judges it. */
export function runConformance(options: RunOptions): Promise<Report> {
  return judgeWork(options, { send: (session, errors) => sendAll(session, options, errors) });
}
