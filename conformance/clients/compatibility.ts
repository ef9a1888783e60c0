/** Compatibility runs: a client runs under one legal service after another, those that answer it unlike the reference. */

import { createTwin } from '../../reference-server/twin/gaps.ts';
import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { GapChoices } from '../../spec/gaps.ts';
import { runConcurrently } from '../http/concurrency.ts';
import type { Exchange } from '../http/exchange.ts';
import { type ClientRun, differs, type RunClient, type Surroundings } from './client-run.ts';
import { formsOfRefusals, momentsOf, plainRefusals, usualRefusals } from './refusals.ts';
import { findingsOf, proofsOf, type RunFinding, type Suspicion, suspicionsIn } from './refused-requests.ts';
import { amongOthers, type LegalService, reference, services } from './services.ts';
import { isLimited, refusalRows, waitsIn } from './waits.ts';

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

/** Whether a service refuses the client with a plain 429: other forms are tried where the client passes one. */
function isPlain({ id }: LegalService): boolean {
  return id.startsWith('429-to-');
}

/** The runs in which the client met a plain 429. */
export function refusedRuns(runs: readonly ClientRun[]): readonly ClientRun[] {
  return runs.filter(({ service }) => isPlain(service));
}

/** Whether a request of the operation comes after the answer. */
export function isFollowed({ operation, answered }: Exchange, exchanges: readonly Exchange[]): boolean {
  return exchanges.some((later) => later.operation === operation && later.sent > answered);
}

/** The answers of the services that a profile describes, as far as a service here can give them. */
function surroundingsOf(profile: Readonly<Record<string, string>>): Surroundings {
  const given = Object.entries(profile).filter(([gap, choice]) => isReferenceChoice(gap, choice));
  return { gaps: Object.fromEntries(given) as Partial<GapChoices>, animals: [] };
}

/** Runs a client under the reference server, and then under each legal service that answers it differently. */
export async function runCompatibility(options: CompatibilityOptions): Promise<Compatibility> {
  const { runClient, maxRuns, concurrency, signal, only, profile = {}, onRun } = options;
  let all = surroundingsOf(profile);
  const runs: ClientRun[] = [];
  /** Those that failed twice, the second time alone. */
  const failed: ClientRun[] = [];
  const unexplained: UnexplainedRun[] = [];
  const alike: LegalService[] = [];
  let [started, left, untried] = [0, 0, 0];

  /** Undefined if the bound is reached or the signal has aborted. */
  async function run(service: LegalService): Promise<ClientRun | undefined> {
    if (started >= maxRuns || (signal.aborted && started > 0)) return undefined;
    started += 1;
    const made = await runClient(service, all, signal);
    left = Math.max(0, left - 1);
    onRun?.(made, Math.min(left, maxRuns - started));
    return made;
  }
  async function judged(service: LegalService): Promise<ClientRun | undefined> {
    const made = await run(service);
    if (made !== undefined) runs.push(made);
    return made;
  }
  /** Repeats a run that failed, alone, and gives the outcome. */
  async function repeat(first: ClientRun): Promise<ClientRun> {
    if (first.isPassed || first.service.isOpen) return first;
    const again = await judged(first.service);
    if (again === undefined) unexplained.push({ run: first, why: 'not-confirmed' });
    else if (again.isPassed) unexplained.push({ run: first, why: 'passed-again' });
    else failed.push(again);
    return again ?? first;
  }
  const isWanted = ({ requirement, answer }: LegalService): boolean => {
    const known = answer && profile[answer.gap];
    return (only?.has(requirement) ?? true) && (known === undefined || known === answer?.id);
  };

  let usual = await judged(reference);
  if (usual === undefined) throw new RangeError('maxRuns must be at least 1.');
  // A client may need an animal to work with, and the catalogue is empty at first.
  const { isPassed } = usual;
  if (usual.exchanges.some(({ operation }) => isPassed || operation === 'listPets')) {
    const first = await judged(amongOthers);
    const filled = first && isPassed && isWanted(amongOthers) ? await repeat(first) : first;
    if (filled?.isPassed) {
      usual = filled;
      all = { ...all, animals: amongOthers.animals! };
    }
  }
  const compared = usual;

  /** Runs those that answer differently, several at a time, and keeps runs back: one with each that failed, one without. */
  async function tryAll(wanted: readonly LegalService[]): Promise<readonly ClientRun[]> {
    const told = wanted.filter((row) => differs(row, all, compared));
    alike.push(...wanted.filter((row) => !told.includes(row)));
    left += told.length;
    let failures = failed.length;
    const task = (row: LegalService) => async (): Promise<readonly ClientRun[]> => {
      const made = maxRuns - started > failures + 1 ? await judged(row) : undefined;
      if (made === undefined) untried += 1;
      if (made?.isPassed === false) failures += 1;
      return made === undefined ? [] : [made];
    };
    const outcomes: ClientRun[] = [];
    for (const one of (await runConcurrently(told.map(task), concurrency)).flat()) outcomes.push(await repeat(one));
    return outcomes;
  }

  const reliances: ClientRun[] = [];
  let givesUpAt: readonly LegalService[] = [];
  if (usual.isPassed && usual.exchanges.length > 0 && !signal.aborted) {
    const moments = momentsOf(usual.exchanges);
    // The forms of a 429 need a plain one.
    const isRefused = usualRefusals.some(isWanted);
    const limits = plainRefusals(moments).filter((row) => isRefused && (isWanted(row) || isPlain(row)));
    // Those that wait come first, so that others run meanwhile.
    const made = await tryAll([...limits, ...services.filter(isWanted)]);
    const passed = refusedRuns(made).filter(({ isPassed }) => isPassed);
    const goesOn = passed.find(({ exchanges }) =>
      exchanges.some((one) => isLimited(one) && isFollowed(one, exchanges)),
    );
    const repeated = moments.find(({ operation }) => `429-to-${operation}` === (goesOn ?? passed[0])?.service.id);
    const pauses = made.flatMap(({ exchanges }) => refusalRows(exchanges).flatMap((row) => waitsIn(row)));
    const forms = repeated === undefined ? [] : formsOfRefusals(repeated, Math.max(0, ...pauses));
    await tryAll(forms.filter(isWanted));
    // A client that gives up after one 429 and not after another relies on nothing, and one that always does is told once.
    const givingUp = refusedRuns(failed);
    if (passed.length > 0) givesUpAt = givingUp.map(({ service }) => service);
    const told = passed.length > 0 ? givingUp : givingUp.slice(1);
    const suspects = failed.filter((one) => !told.includes(one));
    // It relies on a service if it passes without it. A control that failed as well makes no difference.
    const controlled = suspects.filter((one) => !failed.some(({ service }) => service.id === one.service.control));
    left += 1;
    const without = controlled.length === 0 ? undefined : await run(reference);
    if (without?.isPassed && !signal.aborted) reliances.push(...controlled);
    else {
      const why = without === undefined ? 'not-confirmed' : 'fails-without';
      unexplained.push(...controlled.map((one) => ({ run: one, why }) as const));
    }
  }
  const findings = findingsOf(runs);
  const suspicions = await proofsOf(suspicionsIn(findings), run);
  const isEnded = signal.aborted;
  const found = { reliances, unexplained, givesUpAt, findings, suspicions };
  return { usual, runs, alike, untried, isEnded, ...found };
}
