/** Compatibility runs: a client runs under one legal service after another, those that answer it unlike the reference. */

import { createTwin } from '../../reference-server/twin/gaps.ts';
import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { GapChoices } from '../../spec/gaps.ts';
import { runConcurrently } from '../http/concurrency.ts';
import type { Exchange } from '../http/exchange.ts';
import type { ClientRun, RunClient } from './client-run.ts';
import {
  formsOfRefusals,
  lateRefusals,
  type Moment,
  nothingRemains,
  plainRefusals,
  usualRefusals,
} from './refusals.ts';
import { findingsOf, proofsOf, type RunFinding, type Suspicion, suspicionsIn } from './refused-requests.ts';
import { differing, type Surroundings } from './serve.ts';
import { amongOthers, type LegalService, reference, services } from './services.ts';
import { refusalRows } from './waits.ts';

export interface CompatibilityOptions {
  readonly runClient: RunClient;
  /** The client runs this often at most, whatever the runs are for. */
  readonly maxRuns: number;
  /** Runs at a time, of those that do not confirm a failure. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Only services of these requirements; all if undefined. */
  readonly only?: ReadonlySet<ClientRequirementId>;
  /** The answers to gaps that the services in question are known to give: no service here answers these differently. */
  readonly profile?: Readonly<Record<string, string>>;
  /** Called after each run, with the number of runs that are known to come. */
  readonly onRun?: (run: ClientRun, left: number) => void;
}

/** A run that failed, and why nothing can be concluded from it. */
export interface UnexplainedRun {
  readonly run: ClientRun;
  readonly why: 'passed-again' | 'fails-without' | 'not-confirmed';
}

export interface Compatibility {
  /**
   * The run that all others are compared with: with animals of other clients, if the client passes there. If it failed,
   * nothing else was tried.
   */
  readonly usual: ClientRun;
  readonly runs: readonly ClientRun[];
  /** Runs that failed twice with a service, while the client passes without it. */
  readonly reliances: readonly ClientRun[];
  readonly unexplained: readonly UnexplainedRun[];
  /** Services whose answers to the client are all the usual ones: they need no run. */
  readonly alike: readonly LegalService[];
  /** How many services answer the client differently and had no run, since the bound was reached. */
  readonly untried: number;
  /** Services after whose 429 the client gives up, although it goes on after others. */
  readonly givesUpAt: readonly LegalService[];
  /** What the judges of requests found in the runs. */
  readonly findings: readonly RunFinding[];
  /** What the client made of other answers to requests that break a requirement, and that it survives. */
  readonly suspicions: readonly Suspicion[];
  readonly isEnded: boolean;
}

export function isReferenceChoice(gap: string, choice: string): boolean {
  try {
    createTwin({ gaps: { [gap]: choice } });
    return true;
  } catch {
    return false;
  }
}

function isPage({ recorded }: ClientRun): boolean {
  return recorded.some(({ request }) => request.headers.some(([name]) => name.toLowerCase() === 'origin'));
}

/** Requests with a key, each as the first, second, … of its operation. */
function momentsOf({ exchanges }: ClientRun): readonly Moment[] {
  const counts = new Map<string, number>();
  return exchanges
    .filter(({ credential }) => credential.kind === 'valid')
    .map(({ operation }) => {
      const nth = (counts.get(operation) ?? 0) + 1;
      counts.set(operation, nth);
      return { operation, nth };
    });
}

function longestPause(runs: readonly ClientRun[]): number {
  const pauses = runs.flatMap(({ exchanges }) =>
    [...refusalRows(exchanges)].flatMap((row) => row.slice(1).map((next, at) => next.startedAt - row[at]!.endedAt)),
  );
  return Math.max(0, ...pauses);
}

export function isPlainRefusal({ service }: ClientRun): boolean {
  return /^429-to-/.test(service.id);
}

/** Whether a request of the operation comes after the answer. */
export function isFollowed({ operation, answered }: Exchange, exchanges: readonly Exchange[]): boolean {
  return exchanges.some((later) => later.operation === operation && later.sent > answered);
}

export function isLimited({ response }: Exchange): boolean {
  return response?.status === 429;
}

/** Runs a client under the reference server, and then under each legal service that answers it differently. */
export async function runCompatibility(options: CompatibilityOptions): Promise<Compatibility> {
  const { runClient, maxRuns, concurrency, signal, only, profile = {}, onRun } = options;
  const runs: ClientRun[] = [];
  let [started, left] = [0, 0];

  /** Undefined if the bound is reached or the signal has aborted. */
  async function run(service: LegalService, surroundings: Surroundings): Promise<ClientRun | undefined> {
    if (started >= maxRuns || (signal.aborted && started > 0)) return undefined;
    started += 1;
    const made = await runClient(service, surroundings, signal);
    left = Math.max(0, left - 1);
    onRun?.(made, Math.min(left, maxRuns - started));
    return made;
  }
  async function judged(service: LegalService, surroundings: Surroundings): Promise<ClientRun | undefined> {
    const made = await run(service, surroundings);
    if (made !== undefined) runs.push(made);
    return made;
  }

  // Services give some of the other answers.
  const given = Object.entries(profile).filter(([gap, choice]) => isReferenceChoice(gap, choice));
  let all: Surroundings = { gaps: Object.fromEntries(given) as Partial<GapChoices>, animals: [] };
  let usual = await judged(reference, all);
  if (usual === undefined) throw new RangeError('maxRuns must be at least 1.');
  // A browser adds Origin. A page of another origin works with no service that forbids it.
  if (!usual.isPassed && isPage(usual) && all.gaps.cors === undefined) {
    all = { ...all, gaps: { ...all.gaps, cors: 'any-origin' } };
    usual = (await judged(reference, all)) ?? usual;
  }
  const isWanted = ({ requirement, answer }: LegalService): boolean => {
    const known = answer && profile[answer.gap];
    return (only?.has(requirement) ?? true) && (known === undefined || known === answer?.id);
  };
  /** Those that failed twice, the second time alone. */
  const failed: ClientRun[] = [];
  const unexplained: UnexplainedRun[] = [];
  /** Repeats a run that failed, alone, and gives the outcome. */
  async function repeat(first: ClientRun): Promise<ClientRun> {
    if (first.isPassed || first.service.isOpen) return first;
    const again = await judged(first.service, first.surroundings);
    if (again === undefined) unexplained.push({ run: first, why: 'not-confirmed' });
    else if (again.isPassed) unexplained.push({ run: first, why: 'passed-again' });
    else failed.push(again);
    return again ?? first;
  }

  // A client may need an animal to work with, and the catalogue is empty at first.
  const isListing = usual.exchanges.some(({ operation }) => operation === 'listPets');
  if (usual.isPassed ? usual.exchanges.length > 0 : isListing) {
    const first = await judged(amongOthers, all);
    const filled = first && usual.isPassed && isWanted(amongOthers) ? await repeat(first) : first;
    if (filled?.isPassed) {
      usual = filled;
      all = { ...all, animals: amongOthers.animals! };
    }
  }

  const { key, recorded } = usual;
  const alike: LegalService[] = [];
  let untried = 0;
  /** Runs those that answer differently, several at a time, and keeps runs back: one with each that failed, one without. */
  async function tryAll(wanted: readonly LegalService[]): Promise<readonly ClientRun[]> {
    const { told = [], untold = [] } = Object.groupBy(wanted, (row) =>
      differing(row, all, key, recorded).includes(true) ? 'told' : 'untold',
    );
    alike.push(...untold);
    left += told.length;
    let failures = failed.length;
    const task = (row: LegalService) => async (): Promise<readonly ClientRun[]> => {
      const made = maxRuns - started > failures + 1 ? await judged(row, all) : undefined;
      if (made === undefined) untried += 1;
      if (made?.isPassed === false) failures += 1;
      return made === undefined ? [] : [made];
    };
    // A client that is refused mostly waits, so that more of these can run at a time.
    const [quick, slow] = [told.filter(({ isSlow }) => !isSlow), told.filter(({ isSlow }) => isSlow)];
    const first = await Promise.all([
      runConcurrently(quick.map(task), concurrency),
      runConcurrently(slow.map(task), 2 * concurrency),
    ]);
    const outcomes: ClientRun[] = [];
    for (const one of first.flat(2)) outcomes.push(await repeat(one));
    return outcomes;
  }

  const reliances: ClientRun[] = [];
  let givesUpAt: readonly LegalService[] = [];
  if (usual.isPassed && usual.exchanges.length > 0 && !signal.aborted) {
    const moments = momentsOf(usual);
    // Forms of a 429 are tried where the client passes a plain one.
    const limits = usualRefusals.some(isWanted)
      ? [
          ...plainRefusals(moments),
          ...[...lateRefusals(moments), ...moments.slice(0, 1).map(nothingRemains)].filter(isWanted),
        ]
      : [];
    const made = await tryAll([...services.filter(isWanted), ...limits]);
    const passed = made.filter((one) => one.isPassed && isPlainRefusal(one));
    const goesOn = passed.find(({ exchanges }) =>
      exchanges.some((one) => isLimited(one) && isFollowed(one, exchanges)),
    );
    const repeated = moments.find(({ operation }) => `429-to-${operation}` === (goesOn ?? passed[0])?.service.id);
    if (repeated !== undefined) await tryAll(formsOfRefusals(repeated, longestPause(made)).filter(isWanted));
    // A client that gives up after one 429 and not after another relies on nothing, and one that always does is told once.
    const givingUp = failed.filter(isPlainRefusal);
    if (passed.length > 0) givesUpAt = givingUp.map(({ service }) => service);
    const suspects = failed.filter((one) => !isPlainRefusal(one) || (passed.length === 0 && one === givingUp[0]));
    // It relies on a service if it passes without it. A control that failed as well makes no difference.
    const controlled = suspects.filter((one) => !failed.some(({ service }) => service.id === one.service.control));
    left += 1;
    const without = controlled.length === 0 ? undefined : await run(reference, all);
    if (without?.isPassed && !signal.aborted) reliances.push(...controlled);
    else {
      const why = without === undefined ? 'not-confirmed' : 'fails-without';
      unexplained.push(...controlled.map((one) => ({ run: one, why }) as const));
    }
  }
  const findings = findingsOf(runs);
  const suspicions = await proofsOf(suspicionsIn(findings), (service) => run(service, all));
  return {
    usual,
    runs,
    reliances,
    unexplained,
    alike,
    untried,
    givesUpAt,
    findings,
    suspicions,
    isEnded: signal.aborted,
  };
}

/** Whether the client ran under a service that refuses it with a plain 429. */
export function hasMetLimit({ runs }: Compatibility): boolean {
  return runs.some(isPlainRefusal);
}

/** Whether the client passes after a 429 at all: otherwise its runs do not show how it reads one. */
export function passesLimit({ runs }: Compatibility): boolean {
  return runs.some((run) => run.isPassed && isPlainRefusal(run));
}
