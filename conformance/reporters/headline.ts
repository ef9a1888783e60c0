/** The headline of every report: what a run says of a target, and how much of the interface that rests on. */

import { type Need, needsOf, type Requirement, requirements } from '../../spec/requirements.ts';
import type { Report, ReportedRequirement } from '../verdict/report.ts';

/** Why requirements were not judged, after their number. */
const needWords: Readonly<Record<Need, readonly [one: string, more: string]>> = {
  'rate-limit-key': ['needs a second key', 'need a second key'],
  plan: ['needs --plan', 'need --plan'],
  creation: ['needs a run that creates', 'need a run that creates'],
  'get-pet': ['is of getPet, which is removed', 'are of getPet, which is removed'],
};

const untestedWords = ['can be shown by no request', 'can be shown by no request'] as const;
const unshownWords = ['was shown by no answer', 'were shown by no answer'] as const;
const errorWords = ['broke our check', 'broke our checks'] as const;

/** Why a requirement was not judged; undefined where it was. */
function whyNotJudged({ id, verdict }: ReportedRequirement): readonly [string, string] | undefined {
  if (verdict === 'pass' || verdict === 'fail' || verdict === 'warn') return undefined;
  if (verdict === 'error') return errorWords;
  if (verdict === 'inconclusive') return unshownWords;
  const stated: Requirement | undefined = requirements.find((requirement) => requirement.id === id);
  if (stated?.untested !== undefined) return untestedWords;
  const [need] = stated === undefined ? [] : needsOf(stated);
  return need === undefined ? unshownWords : needWords[need];
}

/** What was not judged and why, for example "6 not judged: 5 need a second key, 1 was shown by no answer". */
function notJudgedInWords({ requirements: reported }: Pick<Report, 'requirements'>): string {
  const reasons = Map.groupBy(reported, whyNotJudged);
  reasons.delete(undefined);
  const counts = [...reasons].map(([words, all]) => `${all.length} ${words?.[all.length === 1 ? 0 : 1]}`);
  const total = [...reasons.values()].flat().length;
  return total === 0 ? '' : `; ${total} not judged: ${counts.join(', ')}`;
}

/** What a run says of a target. */
export const verdictWords: Readonly<Record<Report['verdict'], string>> = {
  conforms: 'Conforms',
  'does-not-conform': 'Does not conform',
  inconclusive: 'Could not judge',
};

/** What stands behind the verdict: of how many requirements it speaks, and why not of the others. */
export function coverageOf(report: Pick<Report, 'verdict' | 'counts' | 'requirements'>): string {
  const { total, judged, fail } = report.counts;
  const rest = notJudgedInWords(report);
  if (report.verdict === 'conforms') return ` in ${judged} of ${total} requirements${rest}`;
  if (report.verdict === 'inconclusive') return `, ${judged} of ${total} requirements judged${rest}`;
  return `${fail === 0 ? '' : ` in ${fail} of ${judged} requirements`}${rest}`;
}

/** One line that claims no more than was judged. */
export function headlineOf(report: Pick<Report, 'verdict' | 'counts' | 'requirements'>): string {
  return `${verdictWords[report.verdict]}${coverageOf(report)}`;
}
