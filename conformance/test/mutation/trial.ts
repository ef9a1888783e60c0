/** Runs the kit against one mutant of a server; as a thread it tries one after another, since one that hangs ends with it. */

import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';
import type * as referenceServer from '../../../reference-server/index.ts';
import { trialKeys } from '../../proof/trial.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import type { Report } from '../../verdict/report.ts';
import { defaultBudget, largeBudget } from '../../world/settings.ts';
import type { Neighbour, RunningNeighbour } from '../neighbours/index.ts';
import { judge } from '../neighbours/judge.ts';

/** The state of Stryker's switches in this thread. */
interface Switches {
  activeMutant?: string;
  hitCount?: number;
  hitLimit?: number;
  mutantCoverage?: { readonly static: Readonly<Record<string, number>> };
}

const switches: Switches = {};
Object.assign(globalThis, { __stryker__: switches });

/** A mutant that is reached more often than this hangs in a loop. */
const mostHits = 1_000_000;
/** Far longer than any answer takes; many mutants answer nothing. */
const longestAnswerMs = 2_000;

/**
 * `failed`: the kit fails it. `warned`: it breaks something advised. `not-judged`: the run says so, as where the server
 * does not answer. `broken`: the server does not start, or crashes. `survived`: the kit sees nothing wrong.
 */
export interface MutantTrial {
  readonly outcome: 'failed' | 'warned' | 'not-judged' | 'broken' | 'survived';
  /** The smallest of the budgets tried that shows it. */
  readonly within?: number;
  /** The requirements that failed or warned, or the reason. */
  readonly shownBy: readonly string[];
}

/** A run with each of these budgets, until one sees the mutant; the last is that of a disposable target. */
export const mutationBudgets: readonly number[] = [60, defaultBudget.maxRequests, largeBudget.maxRequests];

/** The file with all mutants of a server, and the name of its export. */
interface LoadedFrom {
  readonly bundle: string;
  readonly exported: string;
}

/** One mutant to try; `id` is that of Stryker. */
export interface TrialOrder {
  readonly from: LoadedFrom;
  readonly id: string;
  readonly budgets: readonly number[];
  readonly baseline: Baseline;
}

/** The mutants that the server without a change reaches in a run, and the requirements that warn. */
interface Baseline {
  readonly reached: readonly string[];
  readonly warned: readonly string[];
}

/** The reference server started like a neighbour, or a neighbour. */
function neighbourIn(loaded: Readonly<Record<string, unknown>>, exported: string): Neighbour {
  if (exported !== 'createPetStore') return loaded[exported] as Neighbour;
  const { createPetStore, listen } = loaded as unknown as typeof referenceServer;
  return {
    id: 'reference-server',
    plan: 'business',
    async start({ now }): Promise<RunningNeighbour> {
      const { url, close } = await listen(createPetStore({ keys: trialKeys }).handle, { port: 0, now });
      return { baseUrl: `${url}/v1`, close };
    },
  };
}

function namesOf(report: Report, verdict: 'fail' | 'warn'): readonly string[] {
  return report.requirements.filter((one) => one.verdict === verdict).map(({ id }) => id);
}

async function run({ bundle, exported }: LoadedFrom, id: string, maxRequests: number): Promise<Report> {
  Object.assign(switches, { activeMutant: id, hitCount: 0, hitLimit: mostHits });
  const neighbour = neighbourIn(await import(`${pathToFileURL(bundle)}?mutant=${id}`), exported);
  let running: RunningNeighbour | undefined;
  let crash: unknown;
  // A real server would be gone: its connections break, and the run ends.
  const onCrash = (error: unknown): void => {
    crash ??= error;
    void running?.close();
  };
  async function start(options: Parameters<Neighbour['start']>[0]): Promise<RunningNeighbour> {
    const { baseUrl, close } = await neighbour.start(options);
    running = { baseUrl, close };
    return { baseUrl, close: () => (crash === undefined ? close() : Promise.resolve()) };
  }
  process.on('uncaughtException', onCrash).on('unhandledRejection', onCrash);
  try {
    const report = await judge({ ...neighbour, start }, maxRequests, 1, { timeoutMs: longestAnswerMs });
    if (crash !== undefined) throw crash;
    return report;
  } finally {
    process.off('uncaughtException', onCrash).off('unhandledRejection', onCrash);
  }
}

/** Runs the kit against the server as it is; throws where it does not conform. */
export async function runUnchanged(from: LoadedFrom, maxRequests = mutationBudgets.at(-1)!): Promise<Baseline> {
  delete switches.mutantCoverage;
  const report = await run(from, 'none', maxRequests);
  if (report.exitCode !== 0)
    throw new Error(`The server does not conform: ${namesOf(report, 'fail')} ${reasonInWords(report.reason)}`);
  const { mutantCoverage } = switches as Switches;
  return { reached: Object.keys(mutantCoverage?.static ?? {}), warned: namesOf(report, 'warn') };
}

async function tryWithin({ from, id, baseline }: TrialOrder, within: number): Promise<MutantTrial> {
  try {
    const report = await run(from, id, within);
    const warned = namesOf(report, 'warn').filter((name) => !baseline.warned.includes(name));
    const reason = reasonInWords(report.reason) ?? '';
    if (report.exitCode === 4) throw new Error(`The kit broke: ${reason}`);
    if (report.exitCode === 1) return { outcome: 'failed', within, shownBy: namesOf(report, 'fail') };
    if (report.exitCode === 3) return { outcome: 'not-judged', within, shownBy: [reason] };
    return warned.length > 0
      ? { outcome: 'warned', within, shownBy: warned }
      : { outcome: 'survived', shownBy: warned };
  } catch (error) {
    return { outcome: 'broken', within, shownBy: [String(error).slice(0, 200)] };
  }
}

/** Tries one mutant with one budget after another. */
export async function tryMutant(order: TrialOrder): Promise<MutantTrial> {
  for (const budget of order.budgets) {
    const trial = await tryWithin(order, budget);
    if (trial.outcome !== 'survived') return trial;
  }
  return { outcome: 'survived', shownBy: [] };
}

parentPort?.on('message', async (order: TrialOrder) => parentPort!.postMessage(await tryMutant(order)));
