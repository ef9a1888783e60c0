/** `profile REPORT`: what a target was seen to choose where the interface is silent, as `petstore-server --gaps` takes it. */

import { type Gap, gaps } from '../../../spec/gaps.ts';
import { escapeForTerminal } from '../../reporters/escape.ts';
import type { Report } from '../../verdict/report.ts';
import type { Invocation } from '../configuration.ts';
import { print } from '../files.ts';
import { readReport } from '../saved-report.ts';

/** What a run observed of a gap: ids of answers. */
function observedIn(report: Report, id: string): readonly string[] {
  const observed = report.gaps.find((gap) => gap.id === id)?.observed ?? '';
  return observed.split(', ').filter((answer) => /^[a-z0-9-]+$/.test(answer));
}

/** A line of YAML; a comment where the reference server has no such answer, or none was observed. */
function lineOf(gap: Gap, observed: readonly string[]): string {
  const given = observed.find((answer) => Object.hasOwn(gap.answers, answer));
  if (given === undefined) return `# ${gap.id}: ${observed.join(', ') || 'not observed'}`;
  const others = observed.filter((answer) => answer !== given);
  const also = others.length === 0 ? '' : ` Observed as well: ${others.join(', ')}.`;
  return `${gap.id}: ${given} # ${gap.answers[given]}${also}`;
}

/** The profile of a target as YAML, a gap a line. */
export function showProfile(report: Report): string {
  const open = (gaps as readonly Gap[]).filter(({ unobservable }) => unobservable === undefined);
  const lines = [
    `# What ${escapeForTerminal(report.target.baseUrl)} chose on ${report.startedAt.slice(0, 10)} where the interface is silent.`,
    '# petstore-server --gaps takes this file; it leaves out what stands in a comment.',
    ...open.map((gap) => lineOf(gap, observedIn(report, gap.id))),
  ];
  return `${lines.join('\n')}\n`;
}

export async function profile({ words: [file = ''] }: Invocation<'profile'>): Promise<number> {
  await print(showProfile(readReport(file)));
  return 0;
}
