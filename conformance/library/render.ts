/** Renders a report for a program. */

import { suggest } from '../options/suggest.ts';
import { reporters } from '../reporters/index.ts';
import { type ReporterName, reporterNames } from '../reporters/names.ts';
import { UsageError } from '../run/usage-error.ts';
import type { Report } from '../verdict/report.ts';

/**
 * A report as the text of a reporter, such as `html`; the same report gives the same text. Throws a UsageError for a reporter
 * that there is not, and for what is no report.
 */
export function render(report: Report, name: ReporterName): string {
  if (!reporterNames.includes(name)) {
    throw new UsageError(
      `There is no reporter ${String(name)}: ${reporterNames.join(', ')}.${suggest(String(name), reporterNames)}`,
    );
  }
  if (report?.format !== 'petstore-conformance-report')
    throw new UsageError('render takes a report, as judge() resolves with it.');
  return reporters[name](report);
}
