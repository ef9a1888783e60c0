/** The report as JSON, as conformance/report.schema.json describes it. */

import type { Report } from '../report.ts';

export function reportJson(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}
