/** The report as Markdown, for the summary of a CI job or the comment on a change. */

import type { Report, ReportedFailure, ReportedInteraction, ReportedRequirement } from '../engine/report.ts';
import type { Verdict } from '../engine/verdict.ts';
import { interactionsInWords, statementsInWords } from './counts.ts';
import { shorten } from './escape.ts';
import { evidenceLines, showCurl } from './evidence.ts';
import { headlineOf } from './headline.ts';
import { codeBlock, joinBlocks, type Markdown, markdown, markdownList } from './markdown-text.ts';
import {
  brokenStatements,
  effortInWords,
  leftoversInWords,
  markOf,
  markWords,
  noteOn,
  remarksOn,
  titleOf,
} from './words.ts';

/** Failures of a requirement that are shown whole; the others are in the JSON report. */
const failuresShown = 3;
const longestMessage = 500;

function failureBlocks(failure: ReportedFailure, report: Report): readonly Markdown[] {
  return [
    markdown`**${failure.code}**: ${shorten(failure.message, longestMessage)}`,
    codeBlock(evidenceLines(report, failure), 'http'),
    codeBlock([showCurl(failure)], 'sh'),
  ];
}

function brokenBlocks(requirement: ReportedRequirement, report: Report): readonly Markdown[] {
  const { id, section, statement, failures } = requirement;
  const more = failures.length - failuresShown;
  const remarks = [...(more > 0 ? [`And ${more} more, in the JSON report.`] : []), ...remarksOn(requirement)];
  return [
    markdown`### §${section} ${id} (${markWords[markOf(requirement)]})`,
    markdown`${statement}`,
    ...failures.slice(0, failuresShown).flatMap((failure) => failureBlocks(failure, report)),
    ...listBlocks(remarks.map((remark) => markdown`${remark}`)),
  ];
}

/** A list, and nothing where there are no items. */
function listBlocks(items: readonly Markdown[]): readonly Markdown[] {
  return items.length === 0 ? [] : [markdownList(items)];
}

function interactionItem(interaction: ReportedInteraction): Markdown {
  const { verdict, messages } = interaction;
  const why = messages.length === 0 ? markdown`` : markdown`: ${shorten(messages.join('; '), longestMessage)}`;
  return markdown`**${markWords[verdict]}** ${titleOf(interaction)}${why}`;
}

/** Statements under a title, each with its reason. */
function statementBlocks(title: string, statements: readonly ReportedRequirement[]): readonly Markdown[] {
  if (statements.length === 0) return [];
  const items = statements.map((requirement) => markdown`**${requirement.id}**: ${noteOn(requirement)}`);
  return [markdown`#### ${title}`, markdownList(items)];
}

/** What was not judged and why, and passes that have a waiver left over. */
function otherBlocks({ requirements }: Report): readonly Markdown[] {
  const withVerdict = (wanted: Verdict): readonly ReportedRequirement[] =>
    requirements.filter(({ verdict }) => verdict === wanted);
  return [
    ...statementBlocks('Errors of the kit', withVerdict('error')),
    ...statementBlocks('Inconclusive', withVerdict('inconclusive')),
    ...statementBlocks('Skipped', withVerdict('skipped')),
    ...statementBlocks('Not applicable', withVerdict('not-applicable')),
    ...statementBlocks(
      'Waivers of what passes',
      withVerdict('pass').filter(({ waiver }) => waiver !== undefined),
    ),
  ];
}

export function reportMarkdown(report: Report): string {
  const { target, reason, interactions } = report;
  const sentences = [...interactionsInWords(report), statementsInWords(report), effortInWords(report)];
  const blocks = [
    markdown`## ${headlineOf(report)}: ${report.interface.name} ${report.interface.version}`,
    markdown`${target.baseUrl}`,
    ...(reason === undefined ? [] : [markdown`${reason}`]),
    ...sentences.map((sentence) => markdown`${sentence}`),
    ...listBlocks((interactions ?? []).map(interactionItem)),
    ...brokenStatements(report).flatMap((requirement) => brokenBlocks(requirement, report)),
    ...otherBlocks(report),
    ...leftoversInWords(report).map((sentence) => markdown`${sentence}`),
  ];
  return `${joinBlocks(blocks)}\n`;
}
