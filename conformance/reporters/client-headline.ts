/** The headline of a report on a client: with how many legal services it works, if it ran, and what it breaks. */

import { counted } from '../verdict/counts.ts';
import type { Report } from '../verdict/report.ts';

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
