/** Reads a JSON report that an earlier run wrote. */

import type { Report } from '../engine/report.ts';
import { validateReport } from './compiled-report-schema.js';
import { readText } from './files.ts';
import { UsageError } from './usage-error.ts';

const largestReport = 256 * 1024 * 1024;

/** Whether a value is a report, as conformance/report.schema.json has it; else what is wrong with it. */
function problemWith(value: unknown): string | undefined {
  if (validateReport(value)) return undefined;
  const [error] = validateReport.errors ?? [];
  return `${error?.instancePath || 'it'} ${error?.message ?? 'is wrong'}`;
}

export function readReport(file: string): Report {
  const hint = ` It is what --reporter json=${file} writes.`;
  const text = readText(file, { what: 'The report', largest: largestReport, hint });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`The report ${file} cannot be read: it is no JSON.${hint}`);
  }
  const problem = problemWith(value);
  if (problem !== undefined) throw new UsageError(`${file} is no report of format version 1: ${problem}.`);
  return value as Report;
}
