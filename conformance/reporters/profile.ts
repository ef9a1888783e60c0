/** The observed answers to the gaps, in the form that `petstore-server --gaps` reads. */

import { type AnswerId, type Gap, gaps } from '../../spec/gaps.ts';
import type { Report } from '../verdict/report.ts';
import { escapeForTerminal } from './escape.ts';

/** An answer that the server gives in the place of another, which a client cannot tell from it within a run. */
const alike: { readonly [Answer in AnswerId]?: AnswerId } = { 'at-most-a-minute': 'minute' };

/** What a line cannot say of an answer that the server gives: a range, a size, a form. */
const unsaid: Readonly<Record<string, string>> = {
  'known-categories=refused-400': 'The server knows 1 to 10; which ones the target knows, no run asks.',
  'page-cap=fewer': 'The server holds 10; "page-cap: fewer 50" holds 50.',
  'id-form=random': 'The server draws from all int64 values.',
};

function alsoObserved(answers: readonly string[], given: string): string | undefined {
  const others = answers.filter((answer) => answer !== given).join(', ');
  if (!answers.includes(given)) return `Observed: ${others}, which no run can tell from it.`;
  return others === '' ? undefined : `Also observed: ${others}.`;
}

/** A line of YAML; a comment where no answer was observed, or where the reference server cannot give it. */
function profileLine(gap: Gap, observed: Report['gaps'][number] | undefined): string {
  const answers = (observed?.observed ?? []).filter((answer) => /^[a-z0-9-]+$/.test(answer));
  const choices = Object.keys(gap.answers);
  const given =
    answers.find((answer) => choices.includes(answer)) ??
    answers.flatMap((answer) => alike[answer as AnswerId] ?? [])[0];
  if (answers.length === 0) return `# ${gap.id}: not observed`;
  const meaningOf = (answer: string): string => ({ ...gap.answers, ...gap.others })[answer] ?? '';
  if (given === undefined) {
    const meanings = answers.map((answer) => `${answer} (${meaningOf(answer).replace(/\.$/, '')})`).join(', ');
    return `# ${gap.id}: ${meanings}. The server can give ${choices.join(', ')}.`;
  }
  const comments = [meaningOf(given), unsaid[`${gap.id}=${given}`], alsoObserved(answers, given)];
  return `${gap.id}: ${given} # ${comments.filter((comment) => comment !== undefined).join(' ')}`;
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
