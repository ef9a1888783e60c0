/** The budget of a run: how many requests and creations it may spend, and whether it spends the larger one. */

import { defined } from '../../spec/defined.ts';
import { planLimits } from '../../spec/facts.ts';
import { type RequirementId, requirements } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import { longestMinuteMs, longestRaiseMs } from '../http/tolerances.ts';
import { isRefused } from '../world/evidence.ts';
import { readingOf, remainingOf, untilReset } from '../world/readings.ts';
import { type BudgetSize, defaultBudget, largeBudget, type Settings } from '../world/settings.ts';

const optionToRaise = { requests: '--max-requests', creations: '--max-creates' } as const;

/** Thrown when nothing is left for a request. The scenario ends; the run goes on to its verdict. */
export class BudgetSpent extends Error {
  constructor(what: keyof typeof optionToRaise, most: number) {
    super(`the budget of ${most} ${what} is spent; raise ${optionToRaise[what]}`);
  }
}

/** What a request may do: create an animal, create one only on a target that breaks the interface, or create none. */
export type CreationEffect = 'may-create' | 'must-not-create' | 'cannot-create';

const noRoom = 'the rate limit has no room for more';
const countInWords = (count: number): string => count.toLocaleString('en');

export function createBudget(maxRequests: number, maxCreates: number) {
  let size: BudgetSize = { maxRequests, maxCreates };
  let requests = 0;
  let creations = 0;
  let kept = 0;
  const notes: string[] = [];
  /** One creation is kept for requests that must not create: each of them might, and a refusal gives it back. */
  const forAnimals = (): number => (size.maxCreates > 1 ? size.maxCreates - 1 : size.maxCreates);
  /** Throws BudgetSpent if nothing is left. */
  function check(creation: CreationEffect): void {
    if (requests >= size.maxRequests - kept) throw new BudgetSpent('requests', size.maxRequests);
    if (creation === 'cannot-create') return;
    const most = creation === 'may-create' ? forAnimals() : size.maxCreates;
    if (creations >= most) throw new BudgetSpent('creations', size.maxCreates);
  }
  return {
    size: () => size,
    raise(larger: BudgetSize): void {
      size = larger;
    },
    /** Whether the requests of the budget before it was raised are spent. */
    isBeyondFirst: () => size.maxRequests > maxRequests && requests >= maxRequests,
    /** Sends no more than this, and notes why, where the user would expect a larger budget. */
    bound(maxRequests: number, larger: number, why = noRoom): void {
      size = { ...size, maxRequests };
      notes.push(`${countInWords(maxRequests)} of ${countInWords(larger)} requests: ${why}.`);
    },
    /** For example "300 of 1,000 requests: 970 are left in this window." */
    notes: (): readonly string[] => notes,
    requests: () => requests,
    creations: () => creations,
    requestsLeft: () => Math.max(0, size.maxRequests - kept - requests),
    /** Keeps so many requests for later. */
    keep(requestsForLater: number): void {
      kept = requestsForLater;
    },
    creationsLeft: () => Math.max(0, forAnimals() - creations),
    check,
    /** Takes one request, and one creation if the request might create an animal; throws BudgetSpent. */
    spend(creation: CreationEffect): void {
      check(creation);
      requests += 1;
      if (creation !== 'cannot-create') creations += 1;
    },
    /** Gives back the creation of a request that was refused. */
    giveBackCreation(): void {
      creations -= 1;
    },
  };
}

export type Budget = ReturnType<typeof createBudget>;

interface BudgetOptions extends Partial<BudgetSize>, Pick<Settings, 'plan' | 'ratePerMinute'> {
  readonly only?: ReadonlySet<RequirementId>;
}

/** With --only, each requirement gets at most so many requests, unless one of them needs the rate-limit key. */
const requestsPerRequirement = 60;

function mostFor(only: ReadonlySet<RequirementId>): number {
  const isProbing = requirements.some(({ id, needs }) => only.has(id) && needs?.includes('rate-limit-key'));
  return isProbing ? Number.POSITIVE_INFINITY : requestsPerRequirement * only.size;
}

/** The budget by the options of the user: a given number always wins, and a raised one fits into every known limit. */
export function budgetFor(options: BudgetOptions): BudgetSize & Pick<Settings, 'raisedBudget'> {
  const { maxRequests, maxCreates, plan, ratePerMinute, only } = options;
  const given = defined({ maxRequests, maxCreates });
  const isLarge = (maxRequests ?? 0) >= largeBudget.maxRequests;
  const size = { ...(isLarge ? largeBudget : defaultBudget), ...given };
  const limits = [ratePerMinute, plan && planLimits[plan].perMinute];
  const isAllowed = limits.every((most = largeBudget.maxRequests) => most >= largeBudget.maxRequests);
  if (only !== undefined) return { ...size, maxRequests: Math.min(size.maxRequests, mostFor(only)) };
  if (maxRequests !== undefined || !isAllowed) return size;
  return { ...size, raisedBudget: { ...largeBudget, ...given } };
}

/**
 * Raises the budget of a run if its requests cost the user nothing but a few seconds: the target is disposable or its
 * headers show room, and it is fast.
 */
export function raiseBudget(budget: Budget, settings: Settings, exchanges: readonly Exchange[]): void {
  const { raisedBudget, isDisposable, concurrency } = settings;
  if (raisedBudget === undefined) return;
  const { maxRequests } = raisedBudget;
  const further = maxRequests - budget.requests();
  const ours = exchanges.filter(({ credential, response }) => credential.kind === 'valid' && response !== undefined);
  const last = ours.at(-1);
  const [remaining, limit = 0] = last === undefined ? [] : [remainingOf(last), readingOf(last).limit];
  if (ours.some(isRefused) || (remaining ?? further) < further) {
    const isExpected = isDisposable || limit >= maxRequests;
    const why = remaining === undefined ? noRoom : `${remaining} are left in this window`;
    if (isExpected) budget.bound(budget.size().maxRequests, maxRequests, why);
    return;
  }
  // Headers that describe the day say nothing of the minute.
  const isOfMinute = last !== undefined && (untilReset(last) ?? Number.POSITIVE_INFINITY) <= longestMinuteMs;
  if (!isDisposable && (remaining === undefined || !isOfMinute)) return;
  const times = exchanges.map(({ startedAt, endedAt }) => endedAt - startedAt).sort((one, other) => one - other);
  const usualMs = times[Math.floor(times.length / 2)] ?? 0;
  if ((usualMs * further) / concurrency > longestRaiseMs)
    budget.bound(budget.size().maxRequests, maxRequests, 'the target answers slowly');
  else budget.raise(raisedBudget);
}
