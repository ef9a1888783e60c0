/** Runs the kit against one fault or legal service, in process and on a stepped clock. */

import { createHash } from 'node:crypto';
import { createPetStore, type Handle } from '../../reference-server/index.ts';
import { gapChoices } from '../../reference-server/twin/gaps.ts';
import { defined } from '../../spec/defined.ts';
import { levelOf } from '../../spec/requirements.ts';
import type { Fault } from '../faults/fault.ts';
import { type RunOptions, runConformance } from '../run/run.ts';
import { conformanceSuite } from '../sections/index.ts';
import { createClock, type InProcessOptions, inProcess } from '../services/in-process.ts';
import { handleOf, seenOf } from '../services/index.ts';
import type { Service } from '../services/service.ts';
import { apiKey, keysOfTrials, layers, limitKey, trialApiKeys } from '../services/wraps.ts';
import { sentenceOf } from '../verdict/finding.ts';
import { reasonInWords } from '../verdict/reasons.ts';
import type { Report } from '../verdict/report.ts';
import { causesOf } from '../verdict/shown-causes.ts';
import { defaultBudget, largeBudget, type Settings, settingsWith } from '../world/settings.ts';

export const budgets = [20, 60, defaultBudget.maxRequests, largeBudget.maxRequests] as const;

/** A fault, and what the runs against it say. */
export interface FaultTrial extends Pick<Fault, 'id'> {
  /** What the report says first. */
  readonly first: string;
  /** The smallest budget whose run fails and names the broken requirement (an advised one must only warn), or undefined. */
  readonly foundWithin: number | undefined;
}

export interface ServiceTrial {
  readonly id: string;
  /** The failures, or why it could not be judged, or that the run spent more than its budget. */
  readonly complaint: string | undefined;
  readonly misread: readonly string[];
}

export function trialSettings(maxRequests: number, changes: Partial<Settings> = {}): Settings {
  return settingsWith({
    baseUrl: 'http://in-process/v1',
    maxRequests,
    maxCreates: (maxRequests > defaultBudget.maxRequests ? largeBudget : defaultBudget).maxCreates,
    maxWaitMs: 75_000,
    seed: 1,
    today: createClock().now(),
    hasRateLimitKey: true,
    settleMs: 2_000,
    isDisposable: true,
    ...changes,
  });
}

/** Runs the kit against a handle without sockets, on a clock that jumps over waits. */
export function runInProcess(
  handle: Handle,
  settings: Settings,
  options: InProcessOptions & Partial<Omit<RunOptions, 'settings'>> = {},
): Promise<Report> {
  const clock = createClock(options.startsAt);
  return runConformance({
    runTag: 'abc123',
    ...options,
    suite: conformanceSuite,
    settings,
    keys: defined({ api: apiKey, rateLimit: settings.hasRateLimitKey ? limitKey : undefined }),
    transport: inProcess(handle, clock, options),
    clock,
  });
}

/** Tries one fault with one budget after another, until it is found and named. */
export async function tryFault(fault: Fault, changes: Partial<Settings> = {}): Promise<FaultTrial> {
  const { within: least = budgets[0] } = fault;
  let trial = await tryWithin(fault, least, changes);
  for (const maxRequests of budgets.filter((budget) => budget > least)) {
    if (trial.foundWithin === undefined) trial = await tryWithin(fault, maxRequests, changes);
  }
  return trial;
}

/** What the report says first: the requirement, the code and the sentence of its first cause, and how many more it shows. */
function firstOf(report: Report): string {
  const [cause, ...others] = causesOf(report);
  if (cause === undefined) return 'nothing fails';
  const { failure, requirements } = cause;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `${requirements[0].requirement.id} ${failure.code}${more}: ${sentenceOf(failure)}`;
}

async function tryWithin(fault: Fault, maxRequests: number, changes: Partial<Settings>): Promise<FaultTrial> {
  const { id, wrap, basePath = '/v1' } = fault;
  const baseUrl = `http://in-process${basePath}`;
  const settings = trialSettings(maxRequests, { plan: 'business', baseUrl, ...changes });
  const report = await runInProcess(wrap(createPetStore({ keys: trialApiKeys }).handle, keysOfTrials), settings);
  const [verdict, exitCode] = levelOf(fault.breaks[0]) === 'required' ? ['fail', 1] : ['warn', 0];
  const isNamed = report.requirements.some((one) => one.id === fault.breaks[0] && one.verdict === verdict);
  const isFound = report.exitCode === exitCode && isNamed;
  return { id, first: firstOf(report), foundWithin: isFound ? maxRequests : undefined };
}

/** The observations of a run that differ from those that a service requires, or else from its choices. */
export function misreadIn(report: Report, { gaps: chosen = {}, observes = {} }: Service): readonly string[] {
  const required: Readonly<Record<string, string | readonly string[] | null>> = observes;
  const choices: Readonly<Record<string, string>> = chosen;
  return report.gaps.flatMap(({ id, observed }) => {
    // A size may follow the answer.
    const [choice = ''] = (choices[id] ?? gapChoices[id]?.[0] ?? '').split(' ');
    const chosenAnswer = id in choices ? seenOf(id, choice) : undefined;
    const must = id in required ? required[id] : chosenAnswer;
    // Of several answers, any may be seen first.
    const allowed = must === undefined ? [choice, seenOf(id, choice), ''] : [[must ?? []].flat().sort().join(', ')];
    const seen = observed.toSorted().join(', ');
    return allowed.includes(seen) ? [] : [`${id}: expected ${allowed[0] || 'nothing'}, observed ${seen || 'nothing'}`];
  });
}

/** Runs the kit against one legal service; `seed` draws the values of the run and the choices of the service. */
export async function tryService(service: Service, maxRequests: number, seed = 1): Promise<ServiceTrial> {
  const settings = trialSettings(maxRequests, {
    seed,
    ...defined({ today: service.startsAt }),
    // A user names the plan only if the server shows its numbers.
    ...defined({ plan: service.perMinute === undefined ? 'business' : undefined }),
    ...service.settings,
  });
  const report = await runInProcess(handleOf(service, seed), settings, service);
  const failures = report.requirements
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'error')
    .map(({ id, failures: [failure] }) => `${id}: ${failure === undefined ? 'broke' : sentenceOf(failure)}`);
  const { exitCode, requests, creates } = report;
  const why =
    reasonInWords(report.reason) ?? `it ended with ${exitCode} after ${requests} requests, ${creates} creations`;
  const isWithinBudget = requests <= settings.maxRequests && creates <= settings.maxCreates;
  const isExpected = exitCode === (service.exitCode ?? 0) || (service.isCombined === true && exitCode === 3);
  const complaint = isExpected && isWithinBudget ? undefined : failures.join('; ') || why;
  return { id: service.id, complaint, misread: service.isCombined ? [] : misreadIn(report, service) };
}

/** A service with two rows of the catalogue at once; the wrap of the later row encloses that of the earlier one. */
function combine(inner: Service, outer: Service): Service {
  return {
    ...inner,
    ...outer,
    id: `${inner.id} + ${outer.id}`,
    gaps: { ...inner.gaps, ...outer.gaps },
    behaviour: { ...inner.behaviour, ...outer.behaviour },
    settings: { ...inner.settings, ...outer.settings },
    wrap: layers(...[outer.wrap, inner.wrap].filter((wrap) => wrap !== undefined)),
    isCombined: true,
  };
}

/** Two services at once, and the seed of their trial. */
export interface Pair {
  readonly service: Service;
  readonly seed: number;
}

/**
 * So many pairs of services. A digest of the two ids decides which come first, and is the seed: a new row brings pairs of its
 * own wherever it stands in its table, and all others stay what they were. Positions would move with it.
 */
export function pairsOf(rows: readonly Service[], count: number): readonly Pair[] {
  const judged = rows.filter(({ exitCode }) => exitCode === undefined);
  const pairs = judged.flatMap((outer, at) =>
    judged.slice(0, at).map((inner) => {
      const seed = createHash('sha256').update(`${inner.id} + ${outer.id}`).digest().readUInt32BE();
      return { inner, outer, seed };
    }),
  );
  const first = pairs.sort((one, other) => one.seed - other.seed).slice(0, count);
  return first.map(({ inner, outer, seed }) => ({ service: combine(inner, outer), seed }));
}
