/** Reads a JSON report that an earlier run wrote. */

import { readFileSync, statSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { UsageError } from '../configuration.ts';
import type { Report } from '../report.ts';

const largestReport = 256 * 1024 * 1024;

/** Whether a value is a report, as conformance/report.schema.json has it; else what is wrong with it. */
function problemWith(value: unknown): string | undefined {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const schema = JSON.parse(readFileSync(new URL('../report.schema.json', import.meta.url), 'utf8')) as object;
  const validate = ajv.compile(schema);
  if (validate(value)) return undefined;
  const [error] = validate.errors ?? [];
  return `${error?.instancePath || 'it'} ${error?.message ?? 'is wrong'}`;
}

export function readReport(file: string): Report {
  let value: unknown;
  try {
    if (statSync(file).size > largestReport) throw new UsageError(`${file} is larger than ${largestReport} bytes.`);
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const why = error instanceof SyntaxError ? 'it is no JSON' : (error as NodeJS.ErrnoException).code;
    throw new UsageError(`The report ${file} cannot be read: ${why}. It is what --reporter json=${file} writes.`);
  }
  const problem = problemWith(value);
  if (problem !== undefined) throw new UsageError(`${file} is no report of format version 1: ${problem}.`);
  return value as Report;
}
