/** Validates reports by report.schema.json. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Validate } from '../http/schemas.ts';
import reportSchema from '../report.schema.json' with { type: 'json' };

/** The formats that the schema names, no wider than the kit writes them; ajv itself has none. */
const formats = {
  date: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/,
  'date-time': /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
  uri: /^https?:\/\/[^\s/]+\S*$/,
};

export const validateReport: Validate = new Ajv2020({ strict: false, formats }).compile(reportSchema);
