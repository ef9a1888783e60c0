/** The report as GitLab Code Quality: a merge request shows which failures are new and which are fixed. */

import { hash } from 'node:crypto';
import type { Report, ReportedInteraction, ReportedRequirement } from '../verdict/report.ts';
import { type BrokenRequirement, causesOf } from './causes.ts';
import { escapeForTerminal, escapeLines, shorten } from './escape.ts';
import { type Mark, markOf, markWords, titleOf } from './words.ts';

type Severity = 'info' | 'minor' | 'major' | 'critical' | 'blocker';

interface Issue {
  readonly description: string;
  readonly check_name: string;
  /** GitLab recognises an issue in another run by this, so it depends on no number, time or value of a run. */
  readonly fingerprint: string;
  readonly severity: Severity;
  /** An interface has no files; the section stands for one. */
  readonly location: { readonly path: string; readonly lines: { readonly begin: 1 } };
}

const severities: Partial<Record<Mark, Severity>> = { fail: 'critical', error: 'blocker', waived: 'info' };

const longestDescription = 500;

function issue(check: string, place: string, severity: Severity, description: string, marks: readonly string[]): Issue {
  return {
    description: escapeForTerminal(shorten(description, longestDescription)),
    check_name: check,
    fingerprint: hash('sha256', JSON.stringify([check, ...marks])),
    severity,
    location: { path: escapeForTerminal(place), lines: { begin: 1 } },
  };
}

function issueOf({ requirement, failures: [failure] }: BrokenRequirement): Issue {
  const { id, section, text } = requirement;
  const description = `${text} ${failure.code}: ${failure.message}`;
  return issue(id, `interface/§${section}`, severities[markOf(requirement)] ?? 'minor', description, [failure.code]);
}

function issueOfError({ id, section, reason = '' }: ReportedRequirement): Issue {
  return issue(id, `interface/§${section}`, 'blocker', `${markWords.error}: ${reason}`, ['error']);
}

function issueOfInteraction(interaction: ReportedInteraction): Issue {
  const { verdict, messages, consumer } = interaction;
  const title = titleOf(interaction);
  const description = [title, ...messages].join(': ');
  return issue(
    'interaction',
    `pacts/${shorten(consumer, 100)}`,
    verdict === 'fail' ? 'critical' : 'minor',
    description,
    [title],
  );
}

/** A run that could not judge is an issue too, since an empty list would look like success. */
function issueOfRun({ exitCode, reason = '' }: Report): readonly Issue[] {
  return exitCode === 3 || exitCode === 4
    ? [issue('run', 'interface', 'blocker', `The run came to no verdict. ${reason}`, [])]
    : [];
}

export function reportGitlab(report: Report): string {
  const { interactions = [], requirements } = report;
  const issues = [
    ...issueOfRun(report),
    ...interactions.filter(({ verdict }) => verdict !== 'pass').map(issueOfInteraction),
    ...causesOf(report).flatMap(({ requirements }) => requirements.map(issueOf)),
    ...requirements.filter(({ verdict }) => verdict === 'error').map(issueOfError),
  ];
  return `${escapeLines(JSON.stringify(issues, null, 2))}\n`;
}
