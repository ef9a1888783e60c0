/** The report as JSON, as conformance/report.schema.json describes it. */

import type { Report } from '../verdict/report.ts';
import { escapeLines } from './escape.ts';

/** Invisible characters are written as escapes, which JSON reads as the same: the file may be shown on a terminal. */
export function reportJson(report: Report): string {
  return `${escapeLines(JSON.stringify(report, null, 2))}\n`;
}
