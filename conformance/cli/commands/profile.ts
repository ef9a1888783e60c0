/** `profile REPORT`: prints the observed answers to the gaps, in the form that `petstore-server --gaps` reads. */

import { type Gap, gaps } from '../../../spec/gaps.ts';
import { escapeForTerminal } from '../../reporters/escape.ts';
import type { Report } from '../../verdict/report.ts';
import type { Invocation } from '../configuration.ts';
import { print } from '../files.ts';
import { readReport } from '../saved-report.ts';

/** The ids of the answers that a run observed for a gap. */
function observedIn(report: Report, id: string): readonly string[] {
  const observed = report.gaps.find((gap) => gap.id === id)?.observed ?? '';
  return observed.split(', ').filter((answer) => /^[a-z0-9-]+$/.test(answer));
}

/** A line of YAML; a comment where the reference server cannot give the answer, or none was observed. */
function lineOf(gap: Gap, observed: readonly string[]): string {
  const given = observed.find((answer) => Object.hasOwn(gap.answers, answer));
  if (given === undefined) return `# ${gap.id}: ${observed.join(', ') || 'not observed'}`;
  const others = observed.filter((answer) => answer !== given);
  const also = others.length === 0 ? '' : ` Also observed: ${others.join(', ')}.`;
  return `${gap.id}: ${given} # ${gap.answers[given]}${also}`;
}

/** The profile of a target as YAML, one line for each gap. */
export function showProfile(report: Report): string {
  const open = (gaps as readonly Gap[]).filter(({ unobservable }) => unobservable === undefined);
  const lines = [
    `# The answers of ${escapeForTerminal(report.target.baseUrl)} to the gaps of the interface, observed on ${report.startedAt.slice(0, 10)}.`,
    '# petstore-server --gaps reads this file; lines that are comments have no effect.',
    ...open.map((gap) => lineOf(gap, observedIn(report, gap.id))),
  ];
  return `${lines.join('\n')}\n`;
}

export async function profile({ words: [file = ''] }: Invocation<'profile'>): Promise<number> {
  await print(showProfile(readReport(file)));
  return 0;
}
