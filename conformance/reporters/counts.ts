/** Counts the requirements and interactions of a report, in the same words for all reporters. */

import { type Need, needsOf, type Requirement, requirements } from '../../spec/requirements.ts';
import { counted } from '../verdict/counts.ts';
import type { InteractionVerdict } from '../verdict/outcome.ts';
import type { Report, ReportedRequirement } from '../verdict/report.ts';

export function countWaived({ requirements: reported }: Pick<Report, 'requirements'>): number {
  return reported.filter(({ waiver }) => waiver?.state === 'waived').length;
}

type Words = readonly [one: string, more: string];

function same(words: string): Words {
  return [words, words];
}

const needWords: Readonly<Record<Need, Words>> = {
  'rate-limit-key': ['needs PETSTORE_RATE_LIMIT_KEY', 'need PETSTORE_RATE_LIMIT_KEY'],
  plan: ['needs --plan', 'need --plan'],
  creation: ['needs a run that creates', 'need a run that creates'],
  'get-pet': same('not applicable'),
};

const verdictWords: Readonly<Record<ReportedRequirement['verdict'], Words>> = {
  pass: same('passed'),
  fail: same('failed'),
  warn: same('warned'),
  inconclusive: same('inconclusive'),
  skipped: same('skipped'),
  'not-applicable': same('not applicable'),
  error: ['error of the kit', 'errors of the kit'],
};

const untestable = same('not testable');

/** The words for the verdict of a requirement; for one that was not judged, the reason. */
function wordsFor({ id, verdict }: ReportedRequirement): Words {
  if (verdict !== 'skipped' && verdict !== 'not-applicable') return verdictWords[verdict];
  const stated: Requirement | undefined = requirements.find((requirement) => requirement.id === id);
  if (stated?.untested !== undefined) return untestable;
  const [need] = stated === undefined ? [] : needsOf(stated);
  return need === undefined ? verdictWords[verdict] : needWords[need];
}

const order: readonly Words[] = [...Object.values(verdictWords), untestable, ...Object.values(needWords)];

/** All requirements by verdict, for example "52 requirements: 44 passed, 1 failed, 2 not testable, 1 needs --plan." */
export function requirementsInWords(report: Pick<Report, 'requirements'>): string {
  const groups = Map.groupBy(report.requirements, wordsFor);
  const counts = order.flatMap((words) => {
    const group = groups.get(words) ?? [];
    const waived = countWaived({ requirements: group });
    const note = waived === 0 ? '' : ` (${waived} waived)`;
    return group.length === 0 ? [] : [`${group.length} ${words[group.length === 1 ? 0 : 1]}${note}`];
  });
  return `${counted(report.requirements.length, 'requirement')}: ${counts.join(', ')}.`;
}

/** The interactions of pacts by verdict; nothing where there were no pacts. */
export function interactionsInWords({ interactions }: Pick<Report, 'interactions'>): readonly string[] {
  if (interactions === undefined) return [];
  const count = (wanted: InteractionVerdict): number => interactions.filter(({ verdict }) => verdict === wanted).length;
  const others = [
    [count('fail'), 'failed'],
    [count('pending'), 'pending'],
    [count('not-verifiable'), 'could not be verified'],
  ] as const;
  const rest = others.filter(([number]) => number > 0).map(([number, words]) => `, ${number} ${words}`);
  return [`${count('pass')} of ${interactions.length} interactions hold${rest.join('')}.`];
}
