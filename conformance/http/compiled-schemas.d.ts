/** What compiled-schemas.js has: it is generated of spec/openapi.yaml. */

import type { Validate } from './schemas.ts';

export const validatePet: Validate;
export const validateError: Validate;
