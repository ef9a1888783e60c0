/** The headline of a report. It never sounds better than the run was. */

import { requirements as statedRequirements } from '../../spec/requirements.ts';
import { counted } from '../verdict/counts.ts';
import type { Report } from '../verdict/report.ts';
import { defaultBudget } from '../verdict/settings.ts';

/** How a verdict is coloured: a conforming run with waived failures is not green. */
export type Tone = 'pass' | 'fail' | 'waived' | 'inconclusive';

type Judged = Pick<Report, 'requirements'>;

export function countWaived({ requirements }: Judged, verdict?: 'fail'): number {
  return requirements.filter((one) => one.waiver?.state === 'waived' && one.verdict === (verdict ?? one.verdict))
    .length;
}

function toneOf(report: Report): Tone {
  if (report.verdict === 'does-not-conform') return 'fail';
  if (report.verdict === 'inconclusive') return 'inconclusive';
  return countWaived(report, 'fail') === 0 ? 'pass' : 'waived';
}

/** For example "Works with 97 of 100 legal services; relies on 2 answers; 1 requirement broken". */
function clientVerdict(
  { requirements }: Judged,
  { worksWith, ranWith, reliesOn }: NonNullable<Report['client']>,
): string {
  const waived = requirements.filter(({ waiver }) => waiver?.state === 'waived');
  // Answers that the client relies on are counted already.
  const broken = requirements.filter(
    (one) => one.verdict === 'fail' && !one.id.startsWith('any-') && !waived.includes(one),
  ).length;
  return [
    ranWith === 0
      ? `Recorded requests break ${broken === 0 ? 'no requirement' : counted(broken, 'requirement')}`
      : `Works with ${worksWith} of ${ranWith} legal services`,
    ...(reliesOn === 0 ? [] : [`relies on ${counted(reliesOn, 'answer')}`]),
    ...(broken === 0 || ranWith === 0 ? [] : [`${counted(broken, 'requirement')} broken`]),
    ...(waived.length === 0 ? [] : [`${waived.length} waived`]),
  ].join('; ');
}

/** Whether the run sent so few requests that a longer one may find more. Recorded traffic has no budget. */
function isShort({ settings, client, interactions }: Report): boolean {
  const isRun = client === undefined && interactions === undefined && settings.only === undefined;
  return isRun && settings.maxRequests > 0 && settings.maxRequests < defaultBudget.maxRequests;
}

function verdictOf(report: Report): string {
  if (report.verdict === 'inconclusive') return 'Could not judge';
  if (report.client !== undefined) return clientVerdict(report, report.client);
  if (report.verdict === 'does-not-conform') return 'Does not conform';
  const waived = countWaived(report, 'fail');
  const exception = waived === 0 ? '' : ` with ${counted(waived, 'waived failure')}`;
  return `Conforms${exception}${isShort(report) ? ` as far as ${counted(report.requests, 'request')} show` : ''}`;
}

function requirementCount(report: Report): string {
  const { total, judged, pass, fail } = report.counts;
  if (report.verdict === 'inconclusive') {
    return judged === 0 ? 'nothing was judged' : `${judged} of ${total} requirements judged`;
  }
  const waived = countWaived(report, 'fail');
  if (report.verdict === 'does-not-conform') {
    return `${fail - waived} of ${total} requirements fail${waived === 0 ? '' : `, ${waived} more waived`}`;
  }
  return `${pass} of ${total}${waived > 0 || isShort(report) ? '' : ' requirements pass'}`;
}

/** What keeps the run from being a whole one. */
function limitsOf({ settings, interactions, reason, client, counts }: Report): readonly string[] {
  const isPartial = settings.only !== undefined && client === undefined;
  const chosenBy = settings.isLastFailed ? '--last-failed' : '--only';
  const holding = interactions?.filter(({ verdict }) => verdict === 'pass').length;
  return [
    ...(isPartial ? [`${counts.total} of ${statedRequirements.length} requirements, ${chosenBy}`] : []),
    ...(interactions ? [`pact verify: ${holding} of ${interactions.length} interactions hold`] : []),
    ...(reason?.code === 'interrupted' ? ['interrupted'] : []),
    ...(reason?.code === 'deadline' || reason?.code === 'overdue' ? ['ended by the deadline'] : []),
  ];
}

export function headlineOf(report: Report) {
  /** For example "Conforms as far as 60 requests show". */
  const verdict = verdictOf(report);
  const isClient = report.client !== undefined && report.verdict !== 'inconclusive';
  /** The count behind the verdict and whatever limits it, for example "44 of 53; --only". May be empty. */
  const coverage = [...(isClient ? [] : [requirementCount(report)]), ...limitsOf(report)].join('; ');
  return { tone: toneOf(report), verdict, coverage, text: coverage === '' ? verdict : `${verdict} (${coverage})` };
}
