/** Every rule of `pact lint`: about the request, the answer and the provider states. */

import { animalRules } from './animal-rules.ts';
import { errorRules } from './error-rules.ts';
import { headerRules } from './header-rules.ts';
import { pageRules } from './page-rules.ts';
import { requestRules } from './request-rules.ts';
import type { Rules } from './rule.ts';
import { stateRules } from './state-rules.ts';

export const rules = {
  ...requestRules,
  ...errorRules,
  ...pageRules,
  ...animalRules,
  ...headerRules,
  ...stateRules,
} as const satisfies Rules;

/** The only remarks on an interaction that is not plain HTTP. */
export const obstacleRemarks = {
  message: { code: 'message', kind: 'contradiction', gap: 'events' },
  plugin: { code: 'plugin', kind: 'contradiction' },
} as const;
