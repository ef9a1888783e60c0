/** Types of compiled-schemas.js, which is generated from spec/openapi.yaml. */

import type { Validate } from './schemas.ts';

export const validatePet: Validate;
export const validateError: Validate;
