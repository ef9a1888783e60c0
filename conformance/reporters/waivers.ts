/** Waivers for the failures of a report, in the form that `--waivers` reads once owner and reason are filled in. */

import { dayMs } from '../http/tolerances.ts';
import { sentenceOf } from '../verdict/finding.ts';
import type { Report, ReportedRequirement } from '../verdict/report.ts';
import { escapeForTerminal, escapeJson, shorten } from './escape.ts';

const longestMessage = 200;
/** A waiver holds for so many days unless somebody writes another day. */
const usualDays = 90;

/** A text as YAML, which reads the escapes of JSON. */
function quoted(text: string): string {
  return escapeJson(JSON.stringify(text));
}

/** A waiver that holds is kept as it is. */
function waiverOf({ id, failures: [failure], waiver }: ReportedRequirement, { startedAt }: Report): readonly string[] {
  const isKept = waiver?.state === 'waived';
  const message = failure === undefined ? 'it fails' : `${failure.code}: ${sentenceOf(failure)}`;
  const expires = new Date(Date.parse(startedAt) + usualDays * dayMs).toISOString().slice(0, 10);
  return [
    `# ${escapeForTerminal(shorten(message, longestMessage))}`,
    `- id: ${id}`,
    `  owner: ${isKept ? quoted(waiver.owner) : '""'}`,
    `  reason: ${isKept ? quoted(waiver.reason) : '""'}`,
    `  expires: ${isKept ? quoted(waiver.expires) : expires}`,
  ];
}

export function reportWaivers(report: Report): string {
  const failing = report.requirements.filter(({ verdict }) => verdict === 'fail');
  if (failing.length === 0) return '# Nothing failed, so there is nothing to waive.\n[]\n';
  const lines = [
    '# Fill in who mends each failure and why it is accepted until then; --waivers refuses a file with an empty one.',
    ...failing.flatMap((requirement) => waiverOf(requirement, report)),
  ];
  return `${lines.join('\n')}\n`;
}
