/** Counts requirements by verdict, for every report, and writes counts in words. */

import type { ReportedRequirement, VerdictCounts } from './report.ts';
import type { Verdict } from './verdict.ts';

export function countVerdicts(requirements: readonly Pick<ReportedRequirement, 'verdict'>[]): VerdictCounts {
  const count = (wanted: Verdict): number => requirements.filter(({ verdict }) => verdict === wanted).length;
  const [pass, fail, warn] = [count('pass'), count('fail'), count('warn')];
  return {
    pass,
    fail,
    warn,
    inconclusive: count('inconclusive'),
    skipped: count('skipped'),
    'not-applicable': count('not-applicable'),
    error: count('error'),
    total: requirements.length,
    judged: pass + fail + warn,
  };
}

/** A number with the word for so many things, such as "1 request" and "2 requests". */
export function counted(count: number, one: string, more = `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`;
}
