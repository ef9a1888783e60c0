/** Compatibility runs: a client runs under one legal service after another, those that answer it unlike the reference. */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { GapChoices, OpenGapId } from '../../spec/gaps.ts';
import { runConcurrently } from '../http/concurrency.ts';
import { type ClientRun, differs, type RunClient, type Surroundings } from './client-run.ts';
import { firstRefusals, formsOfRefusals, usualRefusals } from './refusals.ts';
import {
  alwaysRefusing,
  alwaysServing,
  findingsOf,
  type RunFinding,
  type Suspicion,
  suspicionsIn,
} from './refused-requests.ts';
import { amongOthers, type LegalService, reference, services } from './services.ts';

export interface CompatibilityOptions {
  readonly runClient: RunClient;
  /** Runs at a time, of those that do not confirm a failure. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Only services of these requirements; all if undefined. */
  readonly only?: ReadonlySet<ClientRequirementId>;
  /** The answers to gaps that the services in question are known to give: no service here answers these differently. */
  readonly profile?: Partial<GapChoices>;
  /** Called after each run, with the number of runs that are known to come. */
  readonly onRun?: (run: ClientRun, left: number) => void;
}

/** A run that failed, and why nothing can be concluded from it. */
export interface UnexplainedRun {
  readonly run: ClientRun;
  readonly why: string;
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
  /** Services after whose 429 the client gives up, although it goes on after others. */
  readonly givesUpAt: readonly LegalService[];
  /** What the judges of requests found in the runs. */
  readonly findings: readonly RunFinding[];
  /** What the client made of other answers to requests that break a requirement, and that it survives. */
  readonly suspicions: readonly Suspicion[];
  /** Whether the client ends well whatever every answer is: that it does elsewhere shows nothing. */
  readonly isHeedless: boolean;
  readonly isEnded: boolean;
}

/** The runs in which the client met a plain 429. */
export function refusedRuns(runs: readonly ClientRun[]): readonly ClientRun[] {
  return runs.filter(({ service }) => service.refuses !== undefined);
}

/** Runs a client under the reference server, and then under each legal service that answers it differently. */
export async function runCompatibility(options: CompatibilityOptions): Promise<Compatibility> {
  const { runClient, concurrency, signal, only, profile = {}, onRun } = options;
  let all: Surroundings = { gaps: profile, animals: [] };
  const runs: ClientRun[] = [];
  /** Those that failed twice, the second time alone. */
  const failed: ClientRun[] = [];
  const unexplained: UnexplainedRun[] = [];
  const alike: LegalService[] = [];
  let left = 0;

  /** Runs the client though its judges see nothing of it; undefined if the signal has aborted. */
  async function run(service: LegalService): Promise<ClientRun | undefined> {
    if (signal.aborted) return undefined;
    const made = await runClient(service, all, signal);
    left = Math.max(0, left - 1);
    onRun?.(made, left);
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
    if (again?.isPassed === false) failed.push(again);
    else {
      const why = again && 'failed beside another run, and passed alone (can the command run beside itself?)';
      unexplained.push({ run: first, why: why ?? 'failed, and had no second run' });
    }
    return again ?? first;
  }
  const isWanted = ({ requirement, answer }: LegalService): boolean => {
    const known = answer && profile[requirement.replace('any-', '') as OpenGapId];
    return (only?.has(requirement) ?? true) && (known === undefined || known === answer);
  };

  let usual = await runClient(reference, all, signal);
  runs.push(usual);
  onRun?.(usual, left);
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

  /** Runs those that answer differently, several at a time, and then each that failed once more. */
  async function tryAll(wanted: readonly LegalService[]): Promise<readonly ClientRun[]> {
    const told = wanted.filter((row) => differs(row, all, compared));
    alike.push(...wanted.filter((row) => !told.includes(row)));
    left += told.length;
    const made = await runConcurrently(
      told.map((row) => () => judged(row)),
      concurrency,
    );
    const outcomes: ClientRun[] = [];
    for (const one of made) outcomes.push(...(one === undefined ? [] : [await repeat(one)]));
    return outcomes;
  }

  const reliances: ClientRun[] = [];
  let givesUpAt: readonly LegalService[] = [];
  if (usual.isPassed && usual.exchanges.length > 0) {
    // The forms of a 429 need a plain one.
    const isRefused = usualRefusals.some(isWanted);
    const refusals = firstRefusals.filter((row) => isWanted(row) || (isRefused && row.refuses !== undefined));
    // Those that wait come first, so that others run meanwhile.
    const made = await tryAll([...refusals, alwaysRefusing, ...services.filter(isWanted)]);
    const passed = refusedRuns(made).filter((one) => one.isPassed);
    if (passed[0] !== undefined) await tryAll(formsOfRefusals(passed[0].service.refuses).filter(isWanted));
    // A client that gives up after one 429 and not after another relies on nothing, and one that always does is told once.
    const givingUp = refusedRuns(failed);
    if (passed.length > 0) givesUpAt = givingUp.map(({ service }) => service);
    const told = passed.length > 0 ? givingUp : givingUp.slice(1);
    const suspects = failed.filter((one) => !told.includes(one));
    // A client that fails under a service relies on its usual answer only if it still passes under the reference server.
    const without = suspects.length === 0 ? undefined : await run(reference);
    if (without?.isPassed) reliances.push(...suspects);
    else unexplained.push(...suspects.map((one) => ({ run: one, why: 'failed, and later without it, too' })));
  }
  const findings = findingsOf(runs);
  const suspicions = await suspicionsIn(findings, run);
  // A test of refusals alone is content with the one, and not with the other.
  const ignores = runs.some(({ service, isPassed: endsWell }) => service === alwaysRefusing && endsWell);
  const isHeedless = ignores && (await run(alwaysServing))?.isPassed === true;
  const found = { reliances, unexplained, givesUpAt, findings, suspicions, isHeedless };
  return { usual, runs, alike, isEnded: signal.aborted, ...found };
}
