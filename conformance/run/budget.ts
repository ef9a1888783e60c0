/** The budget of a run: how many requests and creations it may spend. */

import type { BudgetSize } from '../verdict/settings.ts';

const optionOf = { requests: '--max-requests', creations: '--max-creates' } as const;

/** Thrown when nothing is left for a request. The scenario ends; the run goes on to its verdict. */
export class BudgetSpent extends Error {
  readonly what: keyof typeof optionOf;

  constructor(what: BudgetSpent['what']) {
    super(`the budget of ${what} is spent; raise ${optionOf[what]}`);
    this.what = what;
  }
}

/** Whether a request may create an animal on a conforming target. */
export type Creation = 'may-create' | 'creates-nothing';

export function createBudget(maxRequests: number, maxCreates: number) {
  let size: BudgetSize = { maxRequests, maxCreates };
  let requests = 0;
  let creations = 0;
  /** Throws BudgetSpent if nothing is left. */
  function check(creation: Creation): void {
    if (requests >= size.maxRequests) throw new BudgetSpent('requests');
    if (creation === 'may-create' && creations >= size.maxCreates) throw new BudgetSpent('creations');
  }
  return {
    size: () => size,
    raise(larger: BudgetSize): void {
      size = larger;
    },
    /** Whether the requests of the budget before it was raised are spent. */
    isBeyondFirst: () => size.maxRequests > maxRequests && requests >= maxRequests,
    close(): void {
      size = { ...size, maxRequests: requests };
    },
    requests: () => requests,
    creations: () => creations,
    requestsLeft: () => Math.max(0, size.maxRequests - requests),
    creationsLeft: () => Math.max(0, size.maxCreates - creations),
    check,
    /** Takes one request, and one creation if the request may create an animal; throws BudgetSpent. */
    spend(creation: Creation): void {
      check(creation);
      requests += 1;
      if (creation === 'may-create') creations += 1;
    },
    /** Counts an animal that was created by a request that should not have created any. */
    noteCreation(): void {
      creations += 1;
    },
  };
}

export type Budget = ReturnType<typeof createBudget>;
