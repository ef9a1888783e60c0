/** Decides whether a run spends its larger budget: only where its requests cost the user nothing but a few seconds. */

import { defined } from '../../spec/defined.ts';
import { planLimits } from '../../spec/facts.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { remainingOf, untilReset } from '../http/read-response.ts';
import { longestMinuteMs, longestRaiseMs } from '../http/tolerances.ts';
import { type BudgetSize, defaultBudget, largeBudget, type Settings } from '../verdict/settings.ts';
import type { Session } from './session.ts';

/** The budget of a run, and the larger one if the target allows it. */
export type RunBudget = BudgetSize & Pick<Settings, 'raisedBudget'>;

interface Given extends Partial<BudgetSize>, Pick<Settings, 'plan' | 'ratePerMinute'> {
  readonly only?: ReadonlySet<RequirementId>;
}

/** The budget by the options of the user: a given number always wins, and the raised one fits into every known limit. */
export function budgetFor({ maxRequests, maxCreates, plan, ratePerMinute, only }: Given): RunBudget {
  const given = defined({ maxRequests, maxCreates });
  const size = { ...defaultBudget, ...given };
  const raised = { ...largeBudget, ...given };
  const ofPlan = plan && planLimits[plan].perMinute;
  const isLimited = Math.min(ratePerMinute ?? raised.maxRequests, ofPlan ?? raised.maxRequests) < raised.maxRequests;
  const isLarger = raised.maxRequests > defaultBudget.maxRequests && Object.keys(given).length < 2;
  return isLarger && !isLimited && only === undefined ? { ...size, raisedBudget: raised } : size;
}

type Evidence = Pick<Session, 'exchanges'>;

/**
 * Whether the rate limit has room for so many requests more; undefined if the answers do not tell. Headers that describe
 * the day say nothing of the minute.
 */
function hasRoom({ exchanges }: Evidence, requests: number): boolean | undefined {
  const ours = exchanges.filter(({ credential }) => credential.kind === 'valid');
  if (ours.some(({ response }) => response?.status === 429)) return false;
  const last = ours.findLast(({ response }) => response !== undefined);
  const remaining = last && remainingOf(last);
  if (last === undefined || remaining === undefined) return undefined;
  if (remaining < requests) return false;
  return (untilReset(last) ?? Number.POSITIVE_INFINITY) <= longestMinuteMs ? true : undefined;
}

function usualTime({ exchanges }: Evidence): number {
  const times = exchanges.map(({ startedAt, endedAt }) => endedAt - startedAt).sort((one, other) => one - other);
  return times[Math.floor(times.length / 2)] ?? 0;
}

/** Raises the budget of a run if the target allows it: it is disposable or its headers show room, and it is fast. */
export function raiseBudget(session: Evidence & Pick<Session, 'settings' | 'budget'>): void {
  const { settings, budget } = session;
  const { raisedBudget } = settings;
  if (raisedBudget === undefined) return;
  const further = raisedBudget.maxRequests - budget.requests();
  const isTooSlow = (usualTime(session) * further) / settings.concurrency > longestRaiseMs;
  if (isTooSlow) return;
  if (hasRoom(session, further) ?? settings.isDisposable) budget.raise(raisedBudget);
}
