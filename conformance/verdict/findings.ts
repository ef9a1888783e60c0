/** Judges recorded exchanges: what the invariants find, and what the observers read. Sends nothing. */

import type { GapId } from '../../spec/gaps.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Invariant, Observation, Observer } from './check.ts';
import { shortestSequence } from './counterexample.ts';
import { type Counterexample, type Finding, isFailing, type Judge } from './finding.ts';
import { type History, readHistory } from './history.ts';
import type { Settings } from './settings.ts';

/** A suite as far as it judges: what else it holds, such as scenarios, is passed over. */
export interface JudgingSuite {
  readonly checks: readonly (Invariant | Observer | { readonly kind: 'scenario' })[];
}

/** What judging may note beside its findings. */
export interface Judging {
  /** Requirements whose invariants threw: our own errors. */
  readonly errors: Map<RequirementId, string>;
  /** Whether there is no time left to judge in. */
  readonly isOverdue: () => boolean;
}

export function createJudging(isOverdue: () => boolean = () => false): Judging {
  return { errors: new Map(), isOverdue };
}

/**
 * What the invariants find in the evidence, for one requirement or all. An invariant that throws is our own error, told
 * by requirement; where the time is over the others are left out.
 */
export function judgeHistory(
  history: History,
  { checks }: JudgingSuite,
  { errors, isOverdue }: Judging = createJudging(),
  only?: RequirementId,
): readonly Finding[] {
  return checks.flatMap((check) => {
    if (check.kind !== 'invariant' || isOverdue()) return [];
    if (only !== undefined && !check.verifies.includes(only)) return [];
    try {
      return [...check.judge(history)];
    } catch (error) {
      for (const requirement of check.verifies) errors.set(requirement, String(error));
      return [];
    }
  });
}

/** The judge of a run. What it has judged last is not judged again while nothing was added. */
export function createJudge(suite: JudgingSuite, settings: Settings, judging: Judging): Judge {
  let last: { readonly history: History; readonly findings: readonly Finding[] } | undefined;
  return (exchanges, only) => {
    const history = readHistory(exchanges, settings);
    if (only !== undefined) return judgeHistory(history, suite, judging, only);
    if (last?.history !== history) last = { history, findings: judgeHistory(history, suite, judging) };
    return last.findings;
  };
}

/** The answers of the target to open questions, as far as the evidence shows them. */
export function observe(history: History, { checks }: JudgingSuite): ReadonlyMap<GapId, Observation> {
  return new Map(
    checks.flatMap((check): [GapId, Observation][] => {
      const answer = check.kind === 'observer' ? check.observe(history) : undefined;
      return check.kind !== 'observer' || answer === undefined ? [] : [[check.gap, answer]];
    }),
  );
}

/** For every failing requirement the shortest sequence that shows it, those included that were never asked again. */
export function counterexamplesFor(
  findings: readonly Finding[],
  known: ReadonlyMap<RequirementId, Counterexample>,
  judge: Judge,
  exchanges: readonly Exchange[],
): ReadonlyMap<RequirementId, Counterexample> {
  const counterexamples = new Map(known);
  for (const failing of findings.filter(isFailing)) {
    if (counterexamples.has(failing.requirement)) continue;
    const shortest = shortestSequence(judge, exchanges, failing);
    counterexamples.set(failing.requirement, { ...shortest, recheck: 'not-asked-again' });
  }
  return counterexamples;
}
