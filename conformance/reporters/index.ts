/** Reporter name → what turns a report into text. */

import type { Report } from '../engine/report/report.ts';
import { reportAttestation } from './attestation.ts';
import { reportBadge } from './badge.ts';
import { reportCtrf } from './ctrf.ts';
import { reportGithub } from './github.ts';
import { reportGitlab } from './gitlab.ts';
import { reportHar } from './har.ts';
import { reportHtml } from './html.ts';
import { reportJson } from './json.ts';
import { reportJunit } from './junit.ts';
import { reportMarkdown } from './markdown.ts';
import { reportTerminal } from './terminal.ts';

export const reporters = {
  terminal: (report: Report): string => reportTerminal(report),
  json: reportJson,
  junit: reportJunit,
  html: reportHtml,
  markdown: reportMarkdown,
  github: reportGithub,
  gitlab: reportGitlab,
  har: reportHar,
  ctrf: reportCtrf,
  badge: reportBadge,
  attestation: (report: Report): string => reportAttestation(report),
} as const satisfies Record<string, (report: Report) => string>;

export type ReporterName = keyof typeof reporters;

/** A report as the text of a reporter, such as `html`; the same report gives the same text. */
export function render(report: Report, name: ReporterName): string {
  return reporters[name](report);
}
