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

/** What a run may spend, and what it has spent. */
interface Account {
  size: BudgetSize;
  requests: number;
  creations: number;
  /** Requests that are kept for later. */
  kept: number;
}

function requestsLeft({ size, requests, kept }: Account): number {
  return Math.max(0, size.maxRequests - kept - requests);
}

/** One creation is kept for requests that must not create: each of them might, and a refusal gives it back. */
function creationsFor(creation: CreationEffect, { maxCreates }: BudgetSize): number {
  return creation === 'may-create' && maxCreates > 1 ? maxCreates - 1 : maxCreates;
}

function creationsLeft(creation: CreationEffect, { size, creations }: Account): number {
  return Math.max(0, creationsFor(creation, size) - creations);
}

/** Throws BudgetSpent if nothing is left for a request. */
function checkLeft(creation: CreationEffect, account: Account): void {
  const { maxRequests, maxCreates } = account.size;
  if (requestsLeft(account) === 0) throw new BudgetSpent('requests', maxRequests);
  if (creation === 'cannot-create') return;
  if (creationsLeft(creation, account) === 0) throw new BudgetSpent('creations', maxCreates);
}

export function createBudget(maxRequests: number, maxCreates: number) {
  const account: Account = { size: { maxRequests, maxCreates }, requests: 0, creations: 0, kept: 0 };
  const notes: string[] = [];
  const check = (creation: CreationEffect): void => checkLeft(creation, account);
  return {
    size: () => account.size,
    raise(larger: BudgetSize): void {
      account.size = larger;
    },
    /** Whether the requests of the budget before it was raised are spent. */
    isBeyondFirst: () => account.size.maxRequests > maxRequests && account.requests >= maxRequests,
    /** Sends no more than this, and notes why, where the user would expect a larger budget. */
    bound(most: number, larger: number, why = noRoom): void {
      account.size = { ...account.size, maxRequests: most };
      notes.push(`${countInWords(most)} of ${countInWords(larger)} requests: ${why}.`);
    },
    /** For example "300 of 1,000 requests: 970 are left in this window." */
    notes: (): readonly string[] => notes,
    requests: () => account.requests,
    creations: () => account.creations,
    requestsLeft: () => requestsLeft(account),
    /** Keeps so many requests for later. */
    keep(requestsForLater: number): void {
      account.kept = requestsForLater;
    },
    /** The creations left for animals of the run. */
    creationsLeft: () => creationsLeft('may-create', account),
    check,
    /** Takes one request, and one creation if the request might create an animal; throws BudgetSpent. */
    spend(creation: CreationEffect): void {
      check(creation);
      account.requests += 1;
      if (creation !== 'cannot-create') account.creations += 1;
    },
    /** Gives back the creation of a request that was refused. */
    giveBackCreation(): void {
      account.creations -= 1;
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
  if (only !== undefined) return { ...size, maxRequests: Math.min(size.maxRequests, mostFor(only)) };
  if (maxRequests !== undefined) return size;
  const limits = [ratePerMinute, plan && planLimits[plan].perMinute];
  const fits = limits.every((most) => most === undefined || most >= largeBudget.maxRequests);
  return fits ? { ...size, raisedBudget: { ...largeBudget, ...given } } : size;
}

/** Whether an answer shows the limit of a minute: headers that describe the day say nothing of the minute. */
function showsMinute(exchange: Exchange): boolean {
  const resetMs = untilReset(exchange) ?? Number.POSITIVE_INFINITY;
  return remainingOf(exchange) !== undefined && resetMs <= longestMinuteMs;
}

/** The median time of an answer, milliseconds. */
function usualTime(exchanges: readonly Exchange[]): number {
  const times = exchanges.map(({ startedAt, endedAt }) => endedAt - startedAt);
  return times.sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
}

/**
 * Raises the budget of a run if its requests cost the user nothing but a few seconds: the target is disposable or its
 * headers show room, and it is fast.
 */
export function raiseBudget(budget: Budget, settings: Settings, exchanges: readonly Exchange[]): void {
  const { raisedBudget, isDisposable, concurrency } = settings;
  if (raisedBudget === undefined) return;
  const { maxRequests } = raisedBudget;
  const bound = (why: string): void => budget.bound(budget.size().maxRequests, maxRequests, why);
  const further = maxRequests - budget.requests();
  const answers = exchanges.filter(({ credential, response }) => credential.kind === 'valid' && response !== undefined);
  const last = answers.at(-1);
  const remaining = last && remainingOf(last);
  if ((remaining ?? further) < further || answers.some(isRefused)) {
    const limit = (last && readingOf(last).limit) ?? 0;
    // The user of a key with a smaller limit expects no larger budget.
    const isExpected = isDisposable || limit >= maxRequests;
    if (isExpected) bound(remaining === undefined ? noRoom : `${remaining} are left in this window`);
    return;
  }
  const hasRoom = isDisposable || (last !== undefined && showsMinute(last));
  if (!hasRoom) return;
  if ((usualTime(exchanges) * further) / concurrency > longestRaiseMs) bound('the target answers slowly');
  else budget.raise(raisedBudget);
}
