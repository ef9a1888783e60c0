/** What compiled-report-schema.js has: it is generated of report.schema.json. */

import type { Validate } from '../engine/evidence/schemas.ts';

export const validateReport: Validate;

/** The same for a report of format version 1. */
export const validateReportOfVersion1: Validate;
