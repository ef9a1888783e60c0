/** Reads a JSON report that an earlier run wrote, be it of an earlier format. */

import type { Validate } from '../engine/evidence/schemas.ts';
import type { Report } from '../engine/report/report.ts';
import { validateReport, validateReportOfVersion1 } from './compiled-report-schema.js';
import { readText } from './files.ts';
import { type ReportOfVersion1, upgradeReport } from './upgrade-report.ts';
import { UsageError } from './usage-error.ts';

const largestReport = 256 * 1024 * 1024;

/** Whether a value is what a schema describes; else what is wrong with it. */
function problemWith(value: unknown, validate: Validate): string | undefined {
  if (validate(value)) return undefined;
  const [error] = validate.errors ?? [];
  return `${error?.instancePath || 'it'} ${error?.message ?? 'is wrong'}`;
}

function isOfVersion1(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'formatVersion' in value && value.formatVersion === 1;
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
  const version = isOfVersion1(value) ? 1 : 2;
  const problem = problemWith(value, version === 1 ? validateReportOfVersion1 : validateReport);
  if (problem !== undefined) throw new UsageError(`${file} is no report of format version ${version}: ${problem}.`);
  return version === 1 ? upgradeReport(value as ReportOfVersion1) : (value as Report);
}
