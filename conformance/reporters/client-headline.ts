/** The headline of a report on a client: with how many legal services it works, and what it breaks. */

import type { Report } from '../verdict/report.ts';

function counted(count: number, one: string, more: string): string {
  return `${count} ${count === 1 ? one : more}`;
}

/** For example "Works" and " with 97 of 100 legal services; relies on 2 answers; 1 requirement broken". */
export function clientHeadline(
  { verdict, requirements }: Pick<Report, 'verdict' | 'requirements'>,
  { worksWith, ranWith, reliesOn }: NonNullable<Report['client']>,
): readonly [verdict: string, coverage: string] {
  if (verdict === 'inconclusive') return ['Could not judge', `, ${counted(ranWith, 'service', 'services')} tried`];
  const waived = requirements.filter(({ waiver }) => waiver?.state === 'waived');
  // Answers that the client relies on are counted already.
  const broken = requirements.filter(
    (one) => one.verdict === 'fail' && !one.id.startsWith('any-') && !waived.includes(one),
  ).length;
  const parts = [
    ` with ${worksWith} of ${ranWith} legal services`,
    ...(reliesOn === 0 ? [] : [`relies on ${counted(reliesOn, 'answer', 'answers')}`]),
    ...(broken === 0 ? [] : [`${counted(broken, 'requirement', 'requirements')} broken`]),
    ...(waived.length === 0 ? [] : [`${waived.length} waived`]),
  ];
  return ['Works', parts.join('; ')];
}
