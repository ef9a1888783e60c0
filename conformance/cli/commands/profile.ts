/** `profile REPORT`: prints the observed answers to the gaps, in the form that `petstore-server --gaps` reads. */

import { type Gap, gaps } from '../../../spec/gaps.ts';
import { escapeForTerminal } from '../../reporters/escape.ts';
import type { Report } from '../../verdict/report.ts';
import type { Invocation } from '../configuration.ts';
import { print } from '../files.ts';
import { readReport } from '../saved-report.ts';

/** The ids of the answers that a run observed for a gap, and the size of the first. */
function observedIn(report: Report, id: string) {
  const { observed, size = '' } = report.gaps.find((gap) => gap.id === id) ?? {};
  const answers = (observed ?? '').split(', ').filter((answer) => /^[a-z0-9-]+$/.test(answer));
  return { answers, size: /^-?\d[\d.,-]*$/.test(size) ? size : undefined };
}

/** Answers that the server cannot give, each with the answer that a client cannot tell from it within a run. */
const nearest: Readonly<Record<string, string>> = { 'at-most-a-minute': 'minute', moving: 'sliding' };

/** The answers that a size may follow, by gap. */
const sized: Readonly<Record<string, readonly string[]>> = {
  'known-categories': ['refused-400'],
  'name-limits': ['other-length'],
  'page-cap': ['fewer'],
  'rate-limit-window': ['minute', 'sliding', 'day'],
};

/** A line of YAML; a comment where the reference server cannot give the answer, or none was observed. */
function lineOf(gap: Gap, { answers, size }: ReturnType<typeof observedIn>): string {
  const isGiven = (answer: string): boolean => Object.hasOwn(gap.answers, answer);
  const given = answers.find(isGiven) ?? answers.map((answer) => nearest[answer] ?? '').find(isGiven);
  if (given === undefined) return `# ${gap.id}: ${answers.join(', ') || 'not observed'}`;
  const others = answers.filter((answer) => answer !== given);
  const also = others.length === 0 ? '' : ` Also observed: ${others.join(', ')}.`;
  const choice = size !== undefined && sized[gap.id]?.includes(given) ? `${given} ${size}` : given;
  return `${gap.id}: ${choice} # ${gap.answers[given]}${also}`;
}

export function showProfile(report: Report): string {
  const open = gaps.filter(({ unobservable }) => unobservable === undefined);
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
