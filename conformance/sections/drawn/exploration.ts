/** The scenario that sends drawn sequences. It loads the large library for it only where the budget has requests left. */

import type { RequirementId } from '../../../spec/requirements.ts';
import type { Check } from '../../run/scenario.ts';

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

export const exploration: readonly Check[] = [
  {
    id: 'drawn-sequences',
    rank: 10,
    verifies,
    title: 'Sends drawn sequences until the budget is spent',
    run: async (session, context) => {
      if (session.budget.requestsLeft() === 0) return;
      const { explore } = await import('./sequences.ts');
      await explore(session, context);
    },
  },
];
