/** Runs the kit against one mutant of a server. */

import { pathToFileURL } from 'node:url';
import type * as referenceServer from '../../../reference-server/index.ts';
import { trialKeys } from '../../proof/trial.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import type { Report } from '../../verdict/report.ts';
import { defaultBudget, largeBudget } from '../../verdict/settings.ts';
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

type LoadedServer = Partial<typeof referenceServer> & Readonly<Record<string, unknown>>;

/** The reference server started like a neighbour. */
function referenceNeighbour({ createPetStore, listen }: typeof referenceServer): Neighbour {
  return {
    id: 'reference-server',
    choices: [],
    plan: 'business',
    async start({ now }): Promise<RunningNeighbour> {
      const { url, close } = await listen(createPetStore({ keys: trialKeys }).handle, {
        port: 0,
        now,
      });
      return { baseUrl: `${url}/v1`, close };
    },
  };
}

function neighbourIn(loaded: LoadedServer, exported: string): Neighbour {
  if (loaded.createPetStore !== undefined) return referenceNeighbour(loaded as typeof referenceServer);
  return loaded[exported as keyof LoadedServer] as Neighbour;
}

/**
 * `failed`: the kit fails it. `warned`: it breaks something advised. `not-judged`: the run says so, as where the server
 * does not answer. `broken`: the server does not start, or crashes. `survived`: the kit sees nothing wrong.
 */
export type Outcome = 'failed' | 'warned' | 'not-judged' | 'broken' | 'survived';

export interface MutantTrial {
  readonly outcome: Outcome;
  /** The smallest of the budgets tried that shows it. */
  readonly within: number | undefined;
  /** The requirements that failed or warned, or the reason. */
  readonly shownBy: readonly string[];
  /** Answers to gaps that differ from those of the server without a change. */
  readonly otherAnswers: readonly string[];
}

/** A run with each of these budgets, until one sees the mutant; the last is that of a disposable target. */
export const mutationBudgets: readonly number[] = [60, defaultBudget.maxRequests, largeBudget.maxRequests];

/** The file with all mutants of a server, and the name of its export. */
export interface LoadedFrom {
  readonly bundle: string;
  readonly exported: string;
}

/** One mutant to try. */
export interface TrialOrder {
  readonly from: LoadedFrom;
  readonly id: string;
  readonly budgets: readonly number[];
  readonly baseline: Baseline;
}

/** What the run says of a server that is not changed. */
export interface Baseline {
  /** The mutants that the server reaches in this run. */
  readonly reached: readonly string[];
  /** The requirements that warn. */
  readonly warned: readonly string[];
  /** Gap id → the answer observed. */
  readonly observed: Readonly<Record<string, string>>;
}

function observedIn({ gaps }: Report): Readonly<Record<string, string>> {
  return Object.fromEntries(gaps.map(({ id, observed }) => [id, observed.join(', ')]));
}

function namesOf(report: Report, verdict: 'fail' | 'warn' | 'error'): readonly string[] {
  return report.requirements.filter((one) => one.verdict === verdict).map(({ id }) => id);
}

async function run({ bundle, exported }: LoadedFrom, id: string, maxRequests: number): Promise<Report> {
  Object.assign(switches, { activeMutant: id, hitCount: 0, hitLimit: mostHits });
  const loaded = (await import(`${pathToFileURL(bundle)}?mutant=${id}`)) as LoadedServer;
  const neighbour = neighbourIn(loaded, exported);
  const running: RunningNeighbour[] = [];
  let crash: unknown;
  // A real server would be gone: its connections break, and the run ends.
  const onCrash = (error: unknown): void => {
    crash ??= error;
    for (const { close } of running) void close();
  };
  const closeOnce =
    ({ close }: RunningNeighbour) =>
    () =>
      crash === undefined ? close() : Promise.resolve();
  process.on('uncaughtException', onCrash).on('unhandledRejection', onCrash);
  try {
    const report = await judge(
      {
        ...neighbour,
        async start(options) {
          const started = await neighbour.start(options);
          running.push(started);
          return { ...started, close: closeOnce(started) };
        },
      },
      maxRequests,
      1,
      { timeoutMs: longestAnswerMs },
    );
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
  return {
    reached: Object.keys((switches as Switches).mutantCoverage?.static ?? {}),
    warned: namesOf(report, 'warn'),
    observed: observedIn(report),
  };
}

async function tryWithin(from: LoadedFrom, id: string, maxRequests: number, baseline: Baseline): Promise<MutantTrial> {
  try {
    const report = await run(from, id, maxRequests);
    const failed = namesOf(report, 'fail');
    const warned = namesOf(report, 'warn').filter((name) => !baseline.warned.includes(name));
    const otherAnswers = Object.entries(observedIn(report))
      .filter(([gap, observed]) => observed !== '' && observed !== baseline.observed[gap])
      .map(([gap, observed]) => `${gap}: ${baseline.observed[gap]} → ${observed}`);
    if (report.exitCode === 4) throw new Error(`The kit broke: ${reasonInWords(report.reason)}`);
    if (report.exitCode === 1) return { outcome: 'failed', within: maxRequests, shownBy: failed, otherAnswers };
    if (report.exitCode === 3) {
      return {
        outcome: 'not-judged',
        within: maxRequests,
        shownBy: [reasonInWords(report.reason) ?? ''],
        otherAnswers,
      };
    }
    if (warned.length > 0) return { outcome: 'warned', within: maxRequests, shownBy: warned, otherAnswers };
    return { outcome: 'survived', within: undefined, shownBy: [], otherAnswers };
  } catch (error) {
    return { outcome: 'broken', within: maxRequests, shownBy: [String(error).slice(0, 200)], otherAnswers: [] };
  }
}

/** Tries one mutant with one budget after another; `id` is that of Stryker. */
export async function tryMutant({ from, id, budgets, baseline }: TrialOrder): Promise<MutantTrial> {
  let trial: MutantTrial = { outcome: 'survived', within: undefined, shownBy: [], otherAnswers: [] };
  for (const budget of budgets) {
    trial = await tryWithin(from, id, budget, baseline);
    if (trial.outcome !== 'survived') break;
  }
  return trial;
}
