/** Compatibility runs: the client runs once under each legal service that answers it differently from the usual one. */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { GapChoices, OpenGapId } from '../../spec/gaps.ts';
import { runConcurrently } from '../http/concurrency.ts';
import { type ClientRun, type RunClient, tellingApart } from './client-run.ts';
import { plainRefusal, refusalsTo } from './refusals.ts';
import { amongOthers, clientServices, type LegalService, referenceService } from './services.ts';
import { alwaysRefusing, alwaysServing, type Suspicion, suspicionsIn } from './suspicions.ts';

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

/** Why nothing can be concluded from the refused run of a client that fails after the plainest refusal as well. */
export const givesUpAnyway = 'does not go on after a plain 429 either';

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

/** The runs of one client. */
function createRuns({ runClient, signal, onRun }: CompatibilityOptions) {
  /** The runs that judges read. */
  const kept: ClientRun[] = [];
  let left = 0;

  /** Runs the client without keeping the run; undefined if the signal has aborted. */
  async function run(service: LegalService): Promise<ClientRun | undefined> {
    if (signal.aborted) return undefined;
    const made = await runClient(service, signal);
    left = Math.max(0, left - 1);
    onRun?.(made, left);
    return made;
  }

  return {
    kept,
    run,
    async keep(service: LegalService): Promise<ClientRun | undefined> {
      const made = await run(service);
      if (made !== undefined) kept.push(made);
      return made;
    },
    /** The first run is made in any case: there is no report without it. */
    async first(service: LegalService): Promise<ClientRun> {
      const made = await runClient(service, signal);
      kept.push(made);
      onRun?.(made, left);
      return made;
    },
    /** Counts runs that are known to come. */
    expect(more: number): void {
      left += more;
    },
  };
}

type Runs = ReturnType<typeof createRuns>;

/** What became of runs that failed. */
interface FailedRuns {
  /** The runs that failed twice, the second time alone. */
  readonly failed: readonly ClientRun[];
  readonly unexplained: readonly UnexplainedRun[];
}

const noneFailed: FailedRuns = { failed: [], unexplained: [] };

function joined(all: readonly FailedRuns[]): FailedRuns {
  return { failed: all.flatMap((one) => one.failed), unexplained: all.flatMap((one) => one.unexplained) };
}

function unexplainedRun(run: ClientRun, why: string): FailedRuns {
  return { failed: [], unexplained: [{ run, why }] };
}

/** Repeats a run that failed, alone. */
async function repeatRun(runs: Runs, first: ClientRun): Promise<FailedRuns> {
  const again = await runs.keep(first.service);
  if (again === undefined) return unexplainedRun(first, 'failed, and had no second run');
  if (!again.isPassed) return { failed: [again], unexplained: [] };
  return unexplainedRun(first, 'failed beside another run, and passed alone (can the command run beside itself?)');
}

/** Whether the user wants to know if the client works with a service. */
function isWantedService({ requirement, answer }: LegalService, { only, profile = {} }: CompatibilityOptions): boolean {
  if (only !== undefined && !only.has(requirement)) return false;
  const known = answer && profile[requirement.replace('any-', '') as OpenGapId];
  return known === undefined || known === answer;
}

/** The run that all others are compared with. */
interface UsualRun extends FailedRuns {
  readonly usual: ClientRun;
  /** A service as the client meets it: with the answers of the profile, and the animals of the usual one. */
  readonly complete: (row: LegalService) => LegalService;
}

/** Runs the client among animals of others, and without them if it fails there. */
async function findUsual(runs: Runs, options: CompatibilityOptions): Promise<UsualRun> {
  const { profile = {} } = options;
  const completeWith =
    (animals: NonNullable<LegalService['animals']>) =>
    (row: LegalService): LegalService => ({ animals, ...row, gaps: { ...profile, ...row.gaps } });
  const complete = completeWith(amongOthers.animals ?? []);
  const first = await runs.first(complete(amongOthers));
  const alone = first.isPassed ? undefined : await runs.keep(complete(referenceService));
  if (!alone?.isPassed) return { usual: first, complete, ...noneFailed };
  const repeated = isWantedService(amongOthers, options) ? await repeatRun(runs, first) : noneFailed;
  return { usual: alone, complete: completeWith([]), ...repeated };
}

/** The services that show something: refused runs wait long, so they start first, and the others run meanwhile. */
function servicesFor(usual: ClientRun, options: CompatibilityOptions): readonly LegalService[] {
  // Many libraries repeat a GET after a 429, but not a POST.
  const lists = usual.exchanges.some(({ operation }) => operation === 'listPets');
  const refusals = refusalsTo(lists ? 'listPets' : undefined);
  const wanted = refusals.filter((row) => isWantedService(row, options));
  // Without the plain refusal the others show nothing.
  const isPlain = ({ id }: LegalService): boolean => id === plainRefusal;
  const refusing = wanted.length === 0 ? [] : refusals.filter((row) => wanted.includes(row) || isPlain(row));
  return [...refusing, ...clientServices.filter((row) => isWantedService(row, options))];
}

/** Repeats what failed, one after the other: a client that gives up after a plain 429 gives up after each. */
async function repeatFailed(runs: Runs, made: readonly ClientRun[]): Promise<FailedRuns> {
  const repeated: FailedRuns[] = [];
  runs.expect(made.length);
  for (const one of made) {
    const givesUp = joined(repeated).failed.some(({ service }) => service.id === plainRefusal);
    const isRefusing = one.service.latencyMs !== undefined;
    repeated.push(givesUp && isRefusing ? unexplainedRun(one, givesUpAnyway) : await repeatRun(runs, one));
  }
  return joined(repeated);
}

/** Runs the client under each service that answers it differently from the usual one. */
async function tryServices(
  runs: Runs,
  { usual, complete }: UsualRun,
  options: CompatibilityOptions,
): Promise<FailedRuns & { readonly alike: readonly LegalService[] }> {
  const isToldApart = (row: LegalService): boolean => tellingApart(usual, row, usual.service).length > 0;
  const [differing, alike] = partition(servicesFor(usual, options).map(complete), isToldApart);
  // The last run is one in which nothing is served.
  runs.expect(differing.length + 1);
  const jobs = differing.map((row) => () => runs.keep(row));
  const made = await runConcurrently(jobs, options.concurrency);
  const ended = made.filter((one) => one !== undefined);
  const failed = ended.filter(({ isPassed, service }) => !isPassed && !service.isOpen);
  return { ...(await repeatFailed(runs, failed)), alike };
}

function partition<Item>(all: readonly Item[], isFirst: (one: Item) => boolean): readonly [Item[], Item[]] {
  const { first = [], other = [] } = Object.groupBy(all, (one) => (isFirst(one) ? 'first' : 'other'));
  return [first, other];
}

/** A client that fails under a service relies on its usual answer only if it still passes without it. */
async function confirmReliances(runs: Runs, usual: ClientRun, failed: readonly ClientRun[]): Promise<FailedRuns> {
  if (failed.length === 0) return noneFailed;
  const without = await runs.run(usual.service);
  if (without === undefined) return noneFailed;
  if (without.isPassed) return { failed, unexplained: [] };
  return joined(failed.map((one) => unexplainedRun(one, 'failed, and later without it, too')));
}

/** Whether the client passes even if every answer is the same. */
async function isHeedlessClient(usual: ClientRun, run: Runs['run']): Promise<boolean> {
  if (!usual.isPassed) return false;
  // A client that only tests refusals passes if all is refused, and fails if all is served.
  const refused = await run(alwaysRefusing);
  if (!refused?.isPassed) return false;
  const served = await run(alwaysServing);
  return served?.isPassed === true;
}

/** Runs a client under the usual service, and then under each legal service that answers it differently. */
export async function runCompatibility(options: CompatibilityOptions): Promise<Compatibility> {
  const runs = createRuns(options);
  const found = await findUsual(runs, options);
  const { usual, complete } = found;
  const isUsable = usual.isPassed && usual.exchanges.length > 0;
  const tried = isUsable ? await tryServices(runs, found, options) : { ...noneFailed, alike: [] };
  const { failed, unexplained } = joined([found, tried]);
  if (isUsable && failed.length > 0) runs.expect(1);
  const reliances = await confirmReliances(runs, usual, failed);
  const runOnce = (service: LegalService) => runs.run(complete(service));
  return {
    usual,
    runs: runs.kept,
    reliances: reliances.failed,
    unexplained: [...unexplained, ...reliances.unexplained],
    tried: new Set([...tried.alike, ...runs.kept.map(({ service }) => service)].map(({ id }) => id)),
    suspicions: await suspicionsIn(runs.kept, runOnce),
    isHeedless: await isHeedlessClient(usual, runOnce),
  };
}
