/** The report as Markdown, for the summary of a CI job or a comment on a change: failures first, and of limited length. */

import { type BrokenRequirement, type Cause, causesOf, markOf } from '../verdict/causes.ts';
import { sentenceOf } from '../verdict/failure.ts';
import type { Report, ReportedInteraction, ReportedRequirement } from '../verdict/report.ts';
import type { Verdict } from '../verdict/verdict.ts';
import { interactionsInWords, requirementsInWords } from './counts.ts';
import { shorten } from './escape.ts';
import { evidenceLines, showCurl } from './evidence.ts';
import { headlineOf } from './headline.ts';
import { codeBlock, joinWithin, type Markdown, markdown, markdownList } from './markdown-text.ts';
import { matrixText } from './terminal-lists.ts';
import {
  effortInWords,
  leftoversInWords,
  markWords,
  noteOn,
  remarksOn,
  subjectOf,
  titleOf,
  untriedInWords,
} from './words.ts';

const longestText = 500;
/** Bytes. GitHub cuts nothing of a summary this long, and GitLab nothing of a comment. */
const longestReport = 250 * 1024;
const mostItems = 100;

/** A requirement that a cause breaks, as an item of a list, with codes that differ from the cause's and its remarks. */
function requirementItem({ requirement, failures }: BrokenRequirement, { failure }: Cause): Markdown {
  const { id, section, text } = requirement;
  const codes = [...new Set(failures.filter(({ code }) => code !== failure.code).map(({ code }) => code))];
  const remarks = failures.includes(requirement.failures[0]!) ? remarksOn(requirement) : [];
  const notes = [...(codes.length === 0 ? [] : [`Also ${codes.join(', ')}.`]), ...remarks];
  const remark = notes.length === 0 ? markdown`` : markdown` ${shorten(notes.join(' '), longestText)}`;
  return markdown`**${markWords[markOf(requirement)]}** §${section} ${id}: ${text}${remark}`;
}

function causeBlocks(cause: Cause, at: number, report: Report): readonly Markdown[] {
  const { failure, requirements } = cause;
  return [
    markdown`### ${`Cause ${at + 1}, ${failure.code}`}`,
    markdown`${shorten(sentenceOf(failure), longestText)}`,
    markdownList(requirements.map((broken) => requirementItem(broken, cause))),
    codeBlock(evidenceLines(report, failure), 'http'),
    codeBlock([showCurl(failure)], 'sh'),
  ];
}

function interactionItem(interaction: ReportedInteraction): Markdown {
  const { verdict, messages } = interaction;
  const reasons = messages.length === 0 ? markdown`` : markdown`: ${shorten(messages.join('; '), longestText)}`;
  return markdown`**${markWords[verdict]}** ${shorten(titleOf(interaction), longestText)}${reasons}`;
}

function listBlocks(title: string, items: readonly Markdown[]): readonly Markdown[] {
  if (items.length === 0) return [];
  const rest = items.length - mostItems;
  const more = rest > 0 ? [markdown`And ${rest} more, in the JSON report.`] : [];
  return [markdown`### ${title}`, markdownList([...items.slice(0, mostItems), ...more])];
}

function requirementBlocks(title: string, requirements: readonly ReportedRequirement[]): readonly Markdown[] {
  const items = requirements.map(
    (requirement) => markdown`**${requirement.id}**: ${shorten(noteOn(requirement), longestText)}`,
  );
  return listBlocks(title, items);
}

/** Requirements that were not judged, and those that pass although they have a waiver. */
function otherBlocks({ requirements }: Report): readonly Markdown[] {
  const withVerdict = (wanted: Verdict): readonly ReportedRequirement[] =>
    requirements.filter(({ verdict }) => verdict === wanted);
  return [
    ...requirementBlocks('Inconclusive', withVerdict('inconclusive')),
    ...requirementBlocks('Skipped', withVerdict('skipped')),
    ...requirementBlocks('Not applicable', withVerdict('not-applicable')),
    ...requirementBlocks(
      'Waivers without a failure',
      withVerdict('pass').filter(({ waiver }) => waiver !== undefined),
    ),
  ];
}

export function reportMarkdown(report: Report): string {
  const { reason, interactions = [], requirements } = report;
  const sentences = [
    requirementsInWords(report),
    ...interactionsInWords(report),
    effortInWords(report),
    ...untriedInWords(report),
    ...leftoversInWords(report),
  ];
  const { passing = [], others = [] } = Object.groupBy(interactions, ({ verdict }) =>
    verdict === 'pass' ? 'passing' : 'others',
  );
  const matrix = matrixText(report);
  const errors = requirements.filter(({ verdict }) => verdict === 'error');
  const blocks = [
    markdown`## ${headlineOf(report)}: ${report.interface.name} ${report.interface.version}`,
    markdown`${subjectOf(report)}`,
    ...(reason === undefined ? [] : [markdown`${shorten(reason, longestText)}`]),
    ...sentences.map((sentence) => markdown`${sentence}`),
    ...causesOf(report).flatMap((cause, at) => causeBlocks(cause, at, report)),
    ...requirementBlocks('Errors of the kit', errors),
    ...listBlocks('Interactions of pacts', [...others, ...passing].map(interactionItem)),
    ...(matrix.length === 0 ? [] : [markdown`### By section`, codeBlock(matrix, 'text')]),
    ...otherBlocks(report),
  ];
  const cut = markdown`The rest is cut, since longer summaries are not shown. The JSON report holds all of it.`;
  return `${joinWithin(blocks, longestReport, cut)}\n`;
}
