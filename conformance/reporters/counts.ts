/** How many statements a report holds and what came of them: counted once, for all reporters. */

import type { InteractionVerdict } from '../engine/outcome.ts';
import type { Report } from '../engine/report.ts';
import type { Verdict } from '../engine/verdict.ts';

export interface StatementCounts {
  /** All statements of the report, whatever came of them. */
  readonly total: number;
  /** Those of which the run says whether they hold: passed, failed or warned. */
  readonly judged: number;
  readonly byVerdict: Readonly<Record<Verdict, number>>;
  /** Those that failed or warned and that a waiver excuses. */
  readonly waived: number;
}

export function countStatements({ requirements }: Pick<Report, 'requirements'>): StatementCounts {
  const count = (wanted: Verdict): number => requirements.filter(({ verdict }) => verdict === wanted).length;
  const byVerdict = {
    pass: count('pass'),
    fail: count('fail'),
    warn: count('warn'),
    inconclusive: count('inconclusive'),
    skipped: count('skipped'),
    'not-applicable': count('not-applicable'),
    error: count('error'),
  };
  return {
    total: requirements.length,
    judged: byVerdict.pass + byVerdict.fail + byVerdict.warn,
    byVerdict,
    waived: requirements.filter(({ waiver }) => waiver?.state === 'waived').length,
  };
}

/** The counts as a sentence, the same in every report. */
export function statementsInWords(report: Pick<Report, 'requirements'>): string {
  const { total, judged, byVerdict, waived } = countStatements(report);
  const counts = [
    `${byVerdict.pass} passed`,
    `${byVerdict.fail} failed`,
    `${byVerdict.warn} warned`,
    ...(waived === 0 ? [] : [`${waived} of them waived`]),
    `${byVerdict.inconclusive} inconclusive`,
    `${byVerdict.skipped} skipped`,
    `${byVerdict['not-applicable']} not applicable`,
    ...(byVerdict.error === 0 ? [] : [`${byVerdict.error} ${byVerdict.error === 1 ? 'error' : 'errors'} of the kit`]),
  ];
  return `${counts.join(', ')}: ${total} ${total === 1 ? 'statement' : 'statements'}, ${judged} of them judged.`;
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
