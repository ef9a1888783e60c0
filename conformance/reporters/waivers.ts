/** Waivers for the failures of a report, in the form that `--waivers` reads once owner and reason are filled in. */

import { dayMs } from '../http/tolerances.ts';
import { sentenceOf } from '../verdict/finding.ts';
import type { Report, ReportedRequirement } from '../verdict/report.ts';
import type { Verdict } from '../verdict/verdict.ts';
import { newWays } from '../verdict/ways.ts';
import { escapeForTerminal, escapeJson, shorten } from './escape.ts';

const longestMessage = 200;
/** A waiver holds for so many days unless somebody writes another day. */
const usualDays = 90;

/** A text as YAML, which reads the escapes of JSON. */
function quoted(text: string): string {
  return escapeJson(JSON.stringify(text));
}

/** What a person has filled in is kept, whatever has become of the waiver. */
function waiverOf({ id, failures: [failure], waiver, verdict, ways }: ReportedRequirement, { startedAt }: Report) {
  const message = failure === undefined ? remarks[verdict] : `${failure.code}: ${sentenceOf(failure)}`;
  const expires = new Date(Date.parse(startedAt) + usualDays * dayMs).toISOString().slice(0, 10);
  // A person has to decide on what is new: the ways that were covered stay covered.
  const covered = waiver === undefined ? ways : waiver.covers;
  return [
    `# ${escapeForTerminal(shorten(message ?? verdict, longestMessage))}`,
    `- id: ${id}`,
    `  owner: ${waiver === undefined ? '""' : quoted(waiver.owner)}`,
    `  reason: ${waiver === undefined ? '""' : quoted(waiver.reason)}`,
    `  expires: ${waiver === undefined ? expires : quoted(waiver.expires)}`,
    ...(covered === undefined ? [] : ['  covers:', ...covered.map((way) => `    - ${quoted(way)}`)]),
    ...newWays(waiver?.state === 'exceeded' ? ways : [], waiver?.covers).map((way) => `    # new: ${quoted(way)}`),
  ];
}

/** What is said of a requirement that does not fail any more, or was not judged. */
const remarks: { readonly [One in Verdict]?: string } = {
  pass: 'It holds in this run: remove the waiver.',
  skipped: 'It was not judged in this run.',
  inconclusive: 'It was not judged in this run.',
};

export function reportWaivers(report: Report): string {
  const wanted = report.requirements.filter(({ verdict, waiver }) => verdict === 'fail' || waiver !== undefined);
  if (wanted.length === 0) return '# Nothing failed, so there is nothing to waive.\n[]\n';
  const lines = [
    '# Fill in who mends each failure and why it is accepted until then; --waivers refuses a file with an empty one.',
    ...wanted.flatMap((requirement) => waiverOf(requirement, report)),
  ];
  return `${lines.join('\n')}\n`;
}
