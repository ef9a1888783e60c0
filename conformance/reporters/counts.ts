/** How many requirements a report holds and what came of them, in the same sentence for all reporters. */

import type { InteractionVerdict } from '../verdict/outcome.ts';
import type { Report } from '../verdict/report.ts';

/** Requirements that failed or warned and that a waiver excuses. */
export function countWaived({ requirements }: Pick<Report, 'requirements'>): number {
  return requirements.filter(({ waiver }) => waiver?.state === 'waived').length;
}

/** The counts as a sentence, the same in every report. */
export function requirementsInWords(report: Pick<Report, 'counts' | 'requirements'>): string {
  const { total, judged, error } = report.counts;
  const waived = countWaived(report);
  const counts = [
    `${report.counts.pass} passed`,
    `${report.counts.fail} failed`,
    `${report.counts.warn} warned`,
    ...(waived === 0 ? [] : [`${waived} of them waived`]),
    `${report.counts.inconclusive} inconclusive`,
    `${report.counts.skipped} skipped`,
    `${report.counts['not-applicable']} not applicable`,
    ...(error === 0 ? [] : [`${error} ${error === 1 ? 'error' : 'errors'} of the kit`]),
  ];
  return `${counts.join(', ')}: ${total} ${total === 1 ? 'requirement' : 'requirements'}, ${judged} of them judged.`;
}

/** What came of the interactions of pacts; nothing where there were no pacts. */
export function interactionsInWords({ interactions }: Pick<Report, 'interactions'>): readonly string[] {
  if (interactions === undefined) return [];
  const count = (wanted: InteractionVerdict): number => interactions.filter(({ verdict }) => verdict === wanted).length;
  const others = [
    [count('fail'), 'failed'],
    [count('pending'), 'pending'],
    [count('not-verifiable'), 'could not be verified'],
  ] as const;
  const rest = others.filter(([number]) => number > 0).map(([number, what]) => `, ${number} ${what}`);
  return [`${count('pass')} of ${interactions.length} interactions hold${rest.join('')}.`];
}
