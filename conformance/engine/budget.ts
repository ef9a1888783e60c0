/** Decides whether a request may go: how many requests and creations a run may spend. */

/** Thrown when the budget has nothing left for a request; the scenario ends, the run goes on to its verdict. */
export class BudgetSpent extends Error {
  readonly what: 'requests' | 'creations';

  constructor(what: BudgetSpent['what']) {
    super(`the budget of ${what} is spent`);
    this.what = what;
  }
}

export interface Budget {
  readonly requests: () => number;
  readonly creations: () => number;
  readonly requestsLeft: () => number;
  readonly creationsLeft: () => number;
  /** Takes one request, and one creation where the request may create an animal; throws BudgetSpent. */
  readonly spend: (mayCreate: 'creates' | 'creates nothing') => void;
  /** Notes an animal that was created where none should have been. */
  readonly noteCreation: () => void;
}

export function createBudget(maxRequests: number, maxCreations: number): Budget {
  let requests = 0;
  let creations = 0;
  return {
    requests: () => requests,
    creations: () => creations,
    requestsLeft: () => Math.max(0, maxRequests - requests),
    creationsLeft: () => Math.max(0, maxCreations - creations),
    spend(mayCreate) {
      if (requests >= maxRequests) throw new BudgetSpent('requests');
      if (mayCreate === 'creates' && creations >= maxCreations) throw new BudgetSpent('creations');
      requests += 1;
      if (mayCreate === 'creates') creations += 1;
    },
    noteCreation() {
      creations += 1;
    },
  };
}
