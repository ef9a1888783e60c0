/** The budget of a run: how many requests and creations it may spend. */

/** Thrown when nothing is left for a request. The scenario ends; the run goes on to its verdict. */
export class BudgetSpent extends Error {
  readonly what: 'requests' | 'creations';

  constructor(what: BudgetSpent['what']) {
    super(`the budget of ${what} is spent`);
    this.what = what;
  }
}

/** Whether a request may create an animal on a conforming target. */
export type Creation = 'may-create' | 'creates-nothing';

export interface Budget {
  readonly requests: () => number;
  readonly creations: () => number;
  readonly requestsLeft: () => number;
  readonly creationsLeft: () => number;
  /** Throws BudgetSpent if nothing is left. */
  readonly check: (creation: Creation) => void;
  /** Takes one request, and one creation if the request may create an animal; throws BudgetSpent. */
  readonly spend: (creation: Creation) => void;
  /** Counts an animal that was created by a request that should not have created any. */
  readonly noteCreation: () => void;
}

export function createBudget(maxRequests: number, maxCreations: number): Budget {
  let requests = 0;
  let creations = 0;
  function check(creation: Creation): void {
    if (requests >= maxRequests) throw new BudgetSpent('requests');
    if (creation === 'may-create' && creations >= maxCreations) throw new BudgetSpent('creations');
  }
  return {
    requests: () => requests,
    creations: () => creations,
    requestsLeft: () => Math.max(0, maxRequests - requests),
    creationsLeft: () => Math.max(0, maxCreations - creations),
    check,
    spend(creation) {
      check(creation);
      requests += 1;
      if (creation === 'may-create') creations += 1;
    },
    noteCreation() {
      creations += 1;
    },
  };
}
