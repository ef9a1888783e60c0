/** Reporter name → what turns a report into text. */

import type { Report } from '../report.ts';
import { reportJson } from './json.ts';
import { reportTerminal } from './terminal.ts';

export const reporters = {
  terminal: (report: Report): string => reportTerminal(report),
  json: reportJson,
} as const satisfies Record<string, (report: Report) => string>;

export type ReporterName = keyof typeof reporters;
