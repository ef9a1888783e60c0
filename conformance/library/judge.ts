/** Judges a target for a program: prints nothing, reads no key from the environment, sets no exit code. */

import { defined } from '../../spec/defined.ts';
import { programOptions, type RunSettings, readGiven } from '../options/options.ts';
import { shown } from '../options/readers.ts';
import { type JudgeSettings, judge as judgeTarget, type Watch } from '../run/judge.ts';
import { complaintOfNode } from '../run/node-version.ts';
import { UsageError } from '../run/usage-error.ts';
import type { Report } from '../verdict/report.ts';

/** Reports what happens in a run, as it happens. */
export type ProgressEvent =
  /** A scenario begins; `title` says in words what it asks. */
  | { readonly kind: 'scenario'; readonly id: string; readonly title: string }
  /** A request was answered, or stayed without an answer. `requests` counts them from 1. */
  | { readonly kind: 'exchange'; readonly requests: number; readonly maxRequests: number }
  /** The run waits so many milliseconds before it sends again. */
  | { readonly kind: 'wait'; readonly ms: number; readonly why: string };

/** What is judged, and how. Whatever is left out is as on the command line; OPTIONS.md has all options. */
export interface JudgeOptions extends RunSettings {
  /** The API key of the target (§5). It enters no report. */
  readonly apiKey?: string;
  /** A second key that the run may exhaust (§8). Without it those requirements are skipped. */
  readonly rateLimitKey?: string;
  /** Ends the run: the report says so and holds what was judged until then. */
  readonly signal?: AbortSignal;
  /** Receives each scenario, request and wait, as it happens. */
  readonly onProgress?: (event: ProgressEvent) => void;
}

/** The options that no command line has. */
const ownOptions = ['apiKey', 'rateLimitKey', 'signal', 'onProgress'] as const satisfies readonly Exclude<
  keyof JudgeOptions,
  keyof RunSettings
>[];

/** The settings of a run; throws a UsageError for an option that cannot be used. */
function settingsOf(options: JudgeOptions): JudgeSettings {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const known: readonly string[] = [...programOptions, ...ownOptions];
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UsageError(`There is no option ${shown(unknown)}.`);
  const values = programOptions.map((name) => [name, readGiven(name, given[name])] as const);
  // Each value has the type that the table gives it; the compiler cannot follow that through this loop.
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as unknown as JudgeSettings;
}

function watchFor({ onProgress = () => undefined }: JudgeOptions): Watch {
  let [requests, maxRequests] = [0, 0];
  return {
    onBudget: (most) => {
      maxRequests = most;
    },
    onScenario: ({ id, title }) => onProgress({ kind: 'scenario', id, title }),
    onExchange: () => {
      requests += 1;
      onProgress({ kind: 'exchange', requests, maxRequests });
    },
    onWait: (ms, why) => onProgress({ kind: 'wait', ms, why }),
  };
}

/**
 * Judges a target, and resolves with the report: a target that does not answer and a signal that aborts make it
 * inconclusive. Rejects with a UsageError, before any request, where an option cannot be used. Creates
 * animals at the target unless `isReadOnly` is set.
 */
export async function judge(options: JudgeOptions = {}): Promise<Report> {
  const complaint = complaintOfNode();
  if (complaint !== undefined) throw new UsageError(complaint);
  const { apiKey, rateLimitKey, signal = new AbortController().signal } = options;
  return judgeTarget({
    settings: settingsOf(options),
    keys: defined({ api: apiKey, rateLimit: rateLimitKey }),
    keyNames: { api: 'apiKey', rateLimit: 'rateLimitKey' },
    signal,
    watch: watchFor(options),
  });
}
