/** The budget of a run: how many requests and creations it may spend. */

import type { BudgetSize } from '../world/settings.ts';

const optionOf = { requests: '--max-requests', creations: '--max-creates' } as const;

/** Thrown when nothing is left for a request. The scenario ends; the run goes on to its verdict. */
export class BudgetSpent extends Error {
  readonly what: keyof typeof optionOf;

  constructor(what: BudgetSpent['what'], most: number) {
    super(`the budget of ${most} ${what} is spent; raise ${optionOf[what]}`);
    this.what = what;
  }
}

/** What a request may do: create an animal, create one only on a target that breaks the interface, or create none. */
export type Creation = 'may-create' | 'must-not-create' | 'cannot-create';

export function createBudget(maxRequests: number, maxCreates: number) {
  let size: BudgetSize = { maxRequests, maxCreates };
  let requests = 0;
  let creations = 0;
  let isClosed = false;
  let kept = 0;
  /** One creation is kept for requests that must not create: each of them might, and a refusal gives it back. */
  const forAnimals = (): number => (size.maxCreates > 1 ? size.maxCreates - 1 : size.maxCreates);
  /** Throws BudgetSpent if nothing is left. */
  function check(creation: Creation): void {
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
    isClosed: () => isClosed,
    /** Ends a raised budget with the requests that were sent. */
    close(): void {
      isClosed = true;
      size = { ...size, maxRequests: requests };
    },
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
    spend(creation: Creation): void {
      check(creation);
      requests += 1;
      if (creation !== 'cannot-create') creations += 1;
    },
    /** Gives back the creation of a request that was refused, as it must be. */
    giveBackCreation(): void {
      creations -= 1;
    },
  };
}

export type Budget = ReturnType<typeof createBudget>;
