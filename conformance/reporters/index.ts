/** Reporter name → the function that turns a report into text. */

import type { Report } from '../verdict/report.ts';
import { escapeJson } from './escape.ts';
import { reportGithub } from './github.ts';
import { reportHtml } from './html.ts';
import { reportJunit } from './junit.ts';
import { reportMarkdown } from './markdown.ts';
import type { ReporterName } from './names.ts';
import type { NextRun } from './next-run.ts';
import { reportProfile } from './profile.ts';
import { reportTerminal } from './terminal.ts';
import { viewOf } from './view.ts';
import { reportWaivers } from './waivers.ts';

/** Each reporter is a pure function of the report: those for people show the same view of it. */
export const reporters: Readonly<Record<ReporterName, (report: Report, next?: NextRun) => string>> = {
  /** For people: verdict, failures and sections; without colour, 100 columns wide. */
  terminal: (report, next) => reportTerminal(viewOf(report, next)),
  /** A page that loads nothing. */
  html: (report, next) => reportHtml(viewOf(report, next)),
  /** The report itself. Invisible characters are escapes, which JSON reads as the same: a terminal may show the file. */
  json: (report) => `${JSON.stringify(report, null, 2).split('\n').map(escapeJson).join('\n')}\n`,
  /** JUnit XML with a test case for each requirement. */
  junit: (report) => reportJunit(viewOf(report)),
  /** For job summaries and comments. */
  markdown: (report) => reportMarkdown(viewOf(report)),
  /** GitHub Actions annotations. */
  github: (report) => reportGithub(viewOf(report)),
  /** The answers to gaps, for `petstore-server --gaps`. */
  profile: reportProfile,
  /** Waivers for what fails, to be filled in. */
  waivers: reportWaivers,
};
