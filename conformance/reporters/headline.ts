/** The headline of every report. It never sounds better than the run was: whatever limits the verdict stands in it. */

import { requirements as statedRequirements } from '../../spec/requirements.ts';
import { counted } from '../verdict/counts.ts';
import type { Report } from '../verdict/report.ts';

export type HeadlineSource = Pick<Report, 'verdict' | 'counts' | 'requirements'> &
  Partial<Pick<Report, 'settings' | 'interactions' | 'reason' | 'client'>>;

/** How a verdict is coloured: a conforming run with waived failures is not green. */
export type Tone = 'pass' | 'fail' | 'waived' | 'inconclusive';

export function countWaivedFailures({ requirements }: HeadlineSource): number {
  return requirements.filter(({ verdict, waiver }) => verdict === 'fail' && waiver?.state === 'waived').length;
}

export function toneOf(report: HeadlineSource): Tone {
  if (report.verdict === 'does-not-conform') return 'fail';
  if (report.verdict === 'inconclusive') return 'inconclusive';
  return countWaivedFailures(report) === 0 ? 'pass' : 'waived';
}

/** For example "Works with 97 of 100 legal services; relies on 2 answers; 1 requirement broken". */
export function clientHeadline(
  { requirements }: Pick<Report, 'requirements'>,
  { worksWith, ranWith, reliesOn }: NonNullable<Report['client']>,
): string {
  const waived = requirements.filter(({ waiver }) => waiver?.state === 'waived');
  // Answers that the client relies on are counted already.
  const broken = requirements.filter(
    (one) => one.verdict === 'fail' && !one.id.startsWith('any-') && !waived.includes(one),
  ).length;
  const parts = [
    ...(ranWith === 0
      ? [`Recorded requests break ${broken === 0 ? 'no requirement' : counted(broken, 'requirement')}`]
      : [`Works with ${worksWith} of ${ranWith} legal services`]),
    ...(reliesOn === 0 ? [] : [`relies on ${counted(reliesOn, 'answer')}`]),
    ...(broken === 0 || ranWith === 0 ? [] : [`${counted(broken, 'requirement')} broken`]),
    ...(waived.length === 0 ? [] : [`${waived.length} waived`]),
  ];
  return parts.join('; ');
}

export function verdictOf(report: HeadlineSource): string {
  if (report.verdict === 'inconclusive') return 'Could not judge';
  if (report.client !== undefined) return clientHeadline(report, report.client);
  if (report.verdict === 'does-not-conform') return 'Does not conform';
  const waived = countWaivedFailures(report);
  return waived === 0 ? 'Conforms' : `Conforms with ${counted(waived, 'waived failure')}`;
}

/** Whether the reason says all: nothing was judged, and nothing broke. */
export function isUnjudged({ verdict, counts }: HeadlineSource): boolean {
  return verdict === 'inconclusive' && counts.judged === 0 && counts.error === 0;
}

function requirementCount(report: HeadlineSource): string {
  const { total, judged, pass, fail } = report.counts;
  if (report.verdict === 'inconclusive') {
    return judged === 0 ? 'nothing was judged' : `${judged} of ${total} requirements judged`;
  }
  const waived = countWaivedFailures(report);
  if (report.verdict === 'does-not-conform') {
    const note = waived === 0 ? '' : `, ${waived} more waived`;
    return `${fail - waived} of ${total} requirements fail${note}`;
  }
  return `${pass} of ${total} ${waived === 0 ? 'requirements pass' : 'pass'}`;
}

/** The limits of the run that keep it from being a whole one, each in a few words and in one. */
function limitsOf({ settings, interactions, reason = '', client, counts }: HeadlineSource): readonly Words[] {
  const isInterrupted = reason.startsWith('The run was interrupted');
  const isOverdue = reason.startsWith('The deadline');
  const isPartial = settings?.only !== undefined && client === undefined;
  const chosenBy = settings?.isLastFailed ? '--last-failed' : '--only';
  const holding = interactions?.filter(({ verdict }) => verdict === 'pass').length;
  const all: readonly (Words | false | undefined)[] = [
    isPartial && [`${counts.total} of ${statedRequirements.length} requirements, ${chosenBy}`, chosenBy],
    interactions && [`pact verify: ${holding} of ${interactions.length} interactions hold`, 'pact verify'],
    isInterrupted && ['interrupted', 'interrupted'],
    isOverdue && ['ended by the deadline', 'ended by the deadline'],
  ];
  return all.filter((one) => one !== false && one !== undefined);
}

type Words = readonly [long: string, short: string];

export function limitWords(report: HeadlineSource): readonly string[] {
  return limitsOf(report).map(([, short]) => short);
}

/** The count and the limits behind the verdict, in parentheses. */
export function coverageOf(report: HeadlineSource): string {
  const isClient = report.client !== undefined && report.verdict !== 'inconclusive';
  const parts = [...(isClient ? [] : [requirementCount(report)]), ...limitsOf(report).map(([long]) => long)];
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}

/** One line that claims no more than was judged. */
export function headlineOf(report: HeadlineSource): string {
  return `${verdictOf(report)}${coverageOf(report)}`;
}
