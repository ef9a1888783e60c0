/** The requirements that state the fields of animals and Errors, and the headers of §8. */

import type { RequirementId } from '../../spec/requirements.ts';

type Stated = Readonly<Record<string, RequirementId>>;

export const requirementOfPetField = {
  id: 'pet-id',
  name: 'pet-name',
  categoryId: 'pet-category-id',
  status: 'pet-status',
} as const satisfies Stated;

export const requirementOfErrorField = {
  code: 'error-code',
  message: 'error-message',
  status: 'error-status',
} as const satisfies Stated;

export const rateLimitHeaders = [
  ['X-RateLimit-Limit', 'rate-limit-header'],
  ['X-RateLimit-Remaining', 'rate-remaining-header'],
  ['X-RateLimit-Reset', 'rate-reset-header'],
] as const satisfies readonly (readonly [string, RequirementId])[];
