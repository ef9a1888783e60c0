/** What compiled-report-schema.js has: it is generated of report.schema.json. */

import type { Validate } from '../http/schemas.ts';

export const validateReport: Validate;
