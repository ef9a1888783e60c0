/** The observed answers to the gaps, in the form that `petstore-server --gaps` reads. */

import { type AnswerId, type Gap, gaps } from '../../spec/gaps.ts';
import type { Report } from '../verdict/report.ts';
import { escapeForTerminal } from './escape.ts';

/** Answers that the server cannot give, each with the answer that a client cannot tell from it within a run. */
const nearest: Readonly<Record<string, string>> = {
  'at-most-a-minute': 'minute',
  'refused-400': 'plain-only',
} satisfies { readonly [Answer in AnswerId]?: AnswerId };

/** A line of YAML; a comment where the reference server cannot give the answer, or none was observed. */
function profileLine(gap: Gap, observed: Report['gaps'][number] | undefined): string {
  const answers = (observed?.observed ?? []).filter((answer) => /^[a-z0-9-]+$/.test(answer));
  const isGiven = (answer: string): boolean => Object.hasOwn(gap.answers, answer);
  const given = answers.find(isGiven) ?? answers.map((answer) => nearest[answer] ?? '').find(isGiven);
  if (given === undefined) return `# ${gap.id}: ${answers.join(', ') || 'not observed'}`;
  const others = answers.filter((answer) => answer !== given);
  const also = others.length === 0 ? '' : ` Also observed: ${others.join(', ')}.`;
  return `${gap.id}: ${given} # ${gap.answers[given]}${also}`;
}

export function reportProfile(report: Report): string {
  const open = gaps.filter(({ unobservable }) => unobservable === undefined);
  const observedOf = (wanted: string) => report.gaps.find(({ id }) => id === wanted);
  const lines = [
    `# The answers of ${escapeForTerminal(report.target.baseUrl)} to the gaps of the interface, observed on ${report.startedAt.slice(0, 10)}.`,
    '# petstore-server --gaps reads this file; lines that are comments have no effect.',
    ...open.map((gap) => profileLine(gap, observedOf(gap.id))),
  ];
  return `${lines.join('\n')}\n`;
}
