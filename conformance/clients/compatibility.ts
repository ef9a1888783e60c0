/** Compatibility runs: the client runs once under each legal service that answers it differently from the usual one. */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { GapChoices, OpenGapId } from '../../spec/gaps.ts';
import { runConcurrently } from '../http/concurrency.ts';
import { type ClientRun, type RunClient, tellingApart } from './client-run.ts';
import { plainRefusal, refusalsTo } from './refusals.ts';
import { alwaysRefusing, alwaysServing, type Suspicion, suspicionsIn } from './refused-requests.ts';
import { amongOthers, clientServices, type LegalService, referenceService } from './services.ts';

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
   * The run that all others are compared with: with animals of other clients, unless the client passes only without them. If
   * it failed, no other service was tried.
   */
  readonly usual: ClientRun;
  readonly runs: readonly ClientRun[];
  /** Runs that failed twice with a service, while the client passes without it. */
  readonly reliances: readonly ClientRun[];
  readonly unexplained: readonly UnexplainedRun[];
  /** The ids of the services of the runs, and of those whose answers to the client are all the usual ones. */
  readonly tried: ReadonlySet<string>;
  /** How the client took other answers to its requests that break a requirement. */
  readonly suspicions: readonly Suspicion[];
  /** Whether the client passes even if every answer is the same: then a passing run shows nothing. */
  readonly isHeedless: boolean;
}

/** Runs a client under the usual service, and then under each legal service that answers it differently. */
export async function runCompatibility(options: CompatibilityOptions): Promise<Compatibility> {
  const { runClient, concurrency, signal, only, profile = {}, onRun } = options;
  let { animals = [] } = amongOthers;
  const runs: ClientRun[] = [];
  /** Those that failed twice, the second time alone. */
  const failed: ClientRun[] = [];
  const unexplained: UnexplainedRun[] = [];
  let left = 0;

  /** A service as the client meets it: with the answers of the profile, and the usual animals. */
  const completed = (row: LegalService): LegalService => ({ animals, ...row, gaps: { ...profile, ...row.gaps } });
  /** Runs the client without keeping the run for its judges; undefined if the signal has aborted. */
  async function run(service: LegalService): Promise<ClientRun | undefined> {
    if (signal.aborted) return undefined;
    const made = await runClient(completed(service), signal);
    left = Math.max(0, left - 1);
    onRun?.(made, left);
    return made;
  }
  async function judged(service: LegalService): Promise<ClientRun | undefined> {
    const made = await run(service);
    if (made !== undefined) runs.push(made);
    return made;
  }
  /** Repeats a run that failed, alone. */
  async function repeat(first: ClientRun): Promise<void> {
    const again = await judged(first.service);
    if (again?.isPassed === false) failed.push(again);
    else {
      const why = again && 'failed beside another run, and passed alone (can the command run beside itself?)';
      unexplained.push({ run: first, why: why ?? 'failed, and had no second run' });
    }
  }
  const isWanted = ({ requirement, answer }: LegalService): boolean => {
    const known = answer && profile[requirement.replace('any-', '') as OpenGapId];
    return (only?.has(requirement) ?? true) && (known === undefined || known === answer);
  };

  const first = await runClient(completed(amongOthers), signal);
  runs.push(first);
  onRun?.(first, left);
  let usual = first;
  if (!first.isPassed) {
    const alone = await judged(referenceService);
    if (alone?.isPassed) {
      if (isWanted(amongOthers)) await repeat(first);
      animals = [];
      usual = alone;
    }
  }

  const tried = new Set<string>();
  if (usual.isPassed && usual.exchanges.length > 0) {
    // Many libraries repeat a GET after a 429, but not a POST.
    const refusals = refusalsTo(
      usual.exchanges.some(({ operation }) => operation === 'listPets') ? 'listPets' : undefined,
    );
    const isRefused = refusals.some(isWanted);
    // Refused runs wait long, so they start first, and the others run meanwhile.
    const wanted = [
      ...refusals.filter((row) => isWanted(row) || (isRefused && row.id === plainRefusal)),
      ...clientServices.filter(isWanted),
    ];
    const differing = wanted.filter((row) => tellingApart(usual, completed(row), usual.service).length > 0);
    for (const { id } of wanted.filter((row) => !differing.includes(row))) tried.add(id);
    // The last run is one in which nothing is served.
    left = differing.length + 1;
    const made = await runConcurrently(
      differing.map((row) => () => judged(row)),
      concurrency,
    );
    const failures = made.flatMap((one) => (one === undefined || one.isPassed || one.service.isOpen ? [] : [one]));
    left += failures.length;
    for (const one of failures) {
      const givesUp = failed.some(({ service }) => service.id === plainRefusal);
      if (!givesUp || one.service.latencyMs === undefined) await repeat(one);
      else unexplained.push({ run: one, why: 'does not go on after a plain 429 either' });
    }
    left += Number(failed.length > 0);
  }
  // A client that fails under a service relies on its usual answer only if it still passes without it.
  const without = failed.length === 0 ? undefined : await run(usual.service);
  if (without?.isPassed === false) {
    unexplained.push(...failed.map((one) => ({ run: one, why: 'failed, and later without it, too' })));
  }
  const reliances = without?.isPassed ? failed : [];
  for (const { service } of runs) tried.add(service.id);
  const suspicions = await suspicionsIn(runs, run);
  // A client that only tests refusals passes if all is refused, and fails if all is served.
  const endsWell = async (service: LegalService): Promise<boolean> => (await run(service))?.isPassed === true;
  const isHeedless = usual.isPassed && (await endsWell(alwaysRefusing)) && (await endsWell(alwaysServing));
  return { usual, runs, reliances, unexplained, tried, suspicions, isHeedless };
}
