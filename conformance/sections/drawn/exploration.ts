/** The scenarios that send drawn sequences. They load the large library for it only where the budget has requests left. */

import type { RequirementId } from '../../../spec/requirements.ts';
import type { Check, Scenario, ScenarioContext } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';

/** Draws sequences until the budget has no more than `left` requests. */
async function exploreWithinBudget(session: Session, context: ScenarioContext, left: number): Promise<void> {
  if (session.budget.requestsLeft() <= left) return;
  const { explore } = await import('./sequences.ts');
  await explore(session, context, left);
}

const verifies: readonly RequirementId[] = [
  'create-answer',
  'create-invalid-values',
  'create-malformed-body',
  'pet-name-kept',
  'pet-category-id-kept',
  'pet-status-kept',
  'list-limit',
  'list-status-filter',
  'list-complete',
  'get-answer',
  'get-not-found',
  'auth-invalid-key',
];

/** How many requests of a run go to drawn sequences before the rest of the systematic ones. */
const firstSequences = 20;

const drawnSequences: Scenario = {
  kind: 'scenario',
  id: 'drawn-sequences',
  rank: 7,
  verifies,
  title: 'Sends a few drawn sequences of creations, listings and reads, with and without a valid key',
  run: (session, context) =>
    exploreWithinBudget(session, context, Math.max(0, session.budget.requestsLeft() - firstSequences)),
};

const moreSequences: Scenario = {
  kind: 'scenario',
  id: 'more-sequences',
  rank: 8,
  verifies,
  title: 'Sends drawn sequences until the budget is spent',
  run: (session, context) => exploreWithinBudget(session, context, 0),
};

export const exploration: readonly Check[] = [drawnSequences, moreSequences];
