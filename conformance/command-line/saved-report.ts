/** Reads a JSON report that an earlier run wrote, be it of an earlier format. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Report } from '../engine/report.ts';
import { readText } from './files.ts';
import { type ReportOfVersion1, type ReportSchema, schemaOfVersion1, upgradeReport } from './upgrade-report.ts';
import { UsageError } from './usage-error.ts';

const largestReport = 256 * 1024 * 1024;

/** Whether a value is what a schema describes; else what is wrong with it. */
function problemWith(value: unknown, schema: ReportSchema): string | undefined {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
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
  const path = new URL('../report.schema.json', import.meta.url);
  const schema = JSON.parse(readFileSync(path, 'utf8')) as ReportSchema;
  const version = isOfVersion1(value) ? 1 : 2;
  const problem = problemWith(value, version === 1 ? schemaOfVersion1(schema) : schema);
  if (problem !== undefined) throw new UsageError(`${file} is no report of format version ${version}: ${problem}.`);
  return version === 1 ? upgradeReport(value as ReportOfVersion1) : (value as Report);
}
