/** Decides whether a run spends its larger budget: only where its requests cost the user nothing but a few seconds. */

import { defined } from '../../spec/defined.ts';
import { planLimits } from '../../spec/facts.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { remainingOf, untilReset } from '../http/read-response.ts';
import { longestMinuteMs, longestRaiseMs } from '../http/tolerances.ts';
import type { UnusedBudget } from '../verdict/report.ts';
import { type BudgetSize, defaultBudget, largeBudget, type Settings } from '../world/settings.ts';
import type { Budget } from './budget.ts';
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

/** What is left of the rate limit, where the larger budget would fit into an unused one or the target is disposable. */
function roomLeft(
  { exchanges, settings }: Evidence & Pick<Session, 'settings'>,
  most: number,
): UnusedBudget | undefined {
  const last = exchanges.findLast(({ credential, response }) => credential.kind === 'valid' && response !== undefined);
  const isExpected = settings.isDisposable || Number(last?.response?.headers['x-ratelimit-limit']) >= most;
  const remaining = last && remainingOf(last);
  return isExpected ? defined({ maxRequests: most, why: 'rate-limit' as const, remaining }) : undefined;
}

/**
 * Raises the budget of a run if the target allows it: it is disposable or its headers show room, and it is fast. Returns
 * why not, where the user would expect the larger one.
 */
export function raiseBudget(session: Evidence & Pick<Session, 'settings' | 'budget'>): UnusedBudget | undefined {
  const { settings, budget } = session;
  const { raisedBudget } = settings;
  if (raisedBudget === undefined) return undefined;
  const { maxRequests } = raisedBudget;
  const further = maxRequests - budget.requests();
  const room = hasRoom(session, further);
  if (room === false) return roomLeft(session, maxRequests);
  if (!(room ?? settings.isDisposable)) return undefined;
  const isTooSlow = (usualTime(session) * further) / settings.concurrency > longestRaiseMs;
  if (isTooSlow) return { maxRequests, why: 'slow' };
  budget.raise(raisedBudget);
  return undefined;
}

/** A larger budget that ended where it would have had to wait for the rate limit. */
export function closedBudget(
  budget: Budget,
  { raisedBudget }: Pick<Settings, 'raisedBudget'>,
): UnusedBudget | undefined {
  const isClosed = raisedBudget !== undefined && budget.isClosed();
  return isClosed ? { maxRequests: raisedBudget.maxRequests, why: 'rate-limit' } : undefined;
}
