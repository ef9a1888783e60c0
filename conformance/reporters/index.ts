/** Reporter name → the function that turns a report into text. */

import type { Report } from '../verdict/report.ts';
import { reportGithub } from './github.ts';
import { reportHtml } from './html.ts';
import { reportJson } from './json.ts';
import { reportJunit } from './junit.ts';
import { reportMarkdown } from './markdown.ts';
import type { ReporterName } from './names.ts';
import { reportTerminal } from './terminal.ts';

/** Each reporter is a pure function of the report. */
export const reporters = {
  /** For people: verdict, failures and sections; without colour, 100 columns wide. */
  terminal: (report: Report): string => reportTerminal(report),
  /** The report itself. */
  json: reportJson,
  /** JUnit XML with a test case for each requirement. */
  junit: reportJunit,
  /** A page that loads nothing. */
  html: reportHtml,
  /** For job summaries and comments. */
  markdown: reportMarkdown,
  /** GitHub Actions annotations. */
  github: reportGithub,
} as const satisfies Record<ReporterName, (report: Report) => string>;

/** A report as the text of a reporter, such as `html`; the same report gives the same text. */
export function render(report: Report, name: ReporterName): string {
  return reporters[name](report);
}
