/** Runs invariants and observers over recorded exchanges. Sends nothing. */

import type { GapId } from '../../spec/gaps.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { memoize } from '../http/memoize.ts';
import type { Finding, Judge, Observation } from '../verdict/finding.ts';
import { type History, readHistory } from '../world/history.ts';
import type { Settings } from '../world/settings.ts';
import type { Suite } from './suite.ts';

/** A suite as far as it judges; what sends is ignored. */
type Checks = Pick<Suite, 'checks'>;

/**
 * Returns the findings of the invariants, for one requirement or all. An invariant that throws is an error of the kit and
 * is noted for each of its requirements.
 */
export function judgeHistory(
  history: History,
  { checks }: Checks,
  errors: Map<RequirementId, string> = new Map(),
  only?: RequirementId,
): readonly Finding[] {
  return checks.flatMap((check) => {
    if (!('judge' in check)) return [];
    if (only !== undefined && !check.verifies.includes(only)) return [];
    try {
      return [...check.judge(history)];
    } catch (error) {
      for (const requirement of check.verifies) errors.set(requirement, String(error));
      return [];
    }
  });
}

/** Creates the judge of a run. It reuses its last findings while no exchange is added. */
export function createJudge(suite: Checks, settings: Settings, errors: Map<RequirementId, string>): Judge {
  const judgeAll = memoize((history: History) => judgeHistory(history, suite, errors));
  return (exchanges, only) => {
    const history = readHistory(exchanges, settings);
    return only === undefined ? judgeAll(history) : judgeHistory(history, suite, errors, only);
  };
}

/** Returns the answers of the target to gaps, as far as the exchanges show them. */
export function observe(history: History, { checks }: Checks): ReadonlyMap<GapId, Observation> {
  return new Map(
    checks.flatMap((check): [GapId, Observation][] => {
      if (!('observe' in check)) return [];
      const answer = check.observe(history);
      return answer === undefined ? [] : [[check.gap, answer]];
    }),
  );
}
