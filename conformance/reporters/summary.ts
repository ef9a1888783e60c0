/** A run in sentences: its headline, the tally of its verdicts, and what it sent, left out and left behind. */

import { requirements as statedRequirements } from '../../spec/requirements.ts';
import { counted } from '../verdict/reasons.ts';
import type { Report, ReportedRequirement } from '../verdict/report.ts';
import { defaultBudget } from '../world/settings.ts';
import type { Tone } from './blocks.ts';

function countWaived(requirements: Report['requirements'], verdict?: 'fail'): number {
  return requirements.filter((one) => one.waiver?.state === 'waived' && one.verdict === (verdict ?? one.verdict))
    .length;
}

function toneOf({ verdict, requirements }: Report): Tone {
  if (verdict === 'does-not-conform') return 'fail';
  if (verdict === 'inconclusive') return 'inconclusive';
  return countWaived(requirements, 'fail') === 0 ? 'pass' : 'waived';
}

/** For example "Works with 97 of 100 legal services; relies on 2 answers; 1 requirement broken; 1 warning". */
function clientVerdict(
  { requirements }: Report,
  { worksWith, ranWith, reliesOn }: NonNullable<Report['client']>,
): string {
  const waived = countWaived(requirements);
  // Answers that the client relies on are counted already.
  const broken = requirements.filter(
    ({ id, verdict, waiver }) => verdict === 'fail' && !id.startsWith('any-') && waiver?.state !== 'waived',
  ).length;
  const warned = requirements.filter(({ verdict }) => verdict === 'warn').length;
  const parts: string[] = [];
  if (ranWith === 0) {
    parts.push(`Recorded requests break ${broken === 0 ? 'no requirement' : counted(broken, 'requirement')}`);
  } else {
    parts.push(`Works with ${worksWith} of ${ranWith} legal services`);
  }
  if (reliesOn > 0) parts.push(`relies on ${counted(reliesOn, 'answer')}`);
  if (broken > 0 && ranWith > 0) parts.push(`${counted(broken, 'requirement')} broken`);
  if (warned > 0) parts.push(counted(warned, 'warning'));
  if (waived > 0) parts.push(`${waived} waived`);
  return parts.join('; ');
}

/** Whether the run sent so few requests that a longer one may find more. Recorded traffic has no budget. */
function isShort({ settings, client, interactions }: Report): boolean {
  const isRun = client === undefined && interactions === undefined && settings.only === undefined;
  return isRun && settings.maxRequests > 0 && settings.maxRequests < defaultBudget.maxRequests;
}

/** The verdict, and the count behind it, which may be empty. */
function verdictOf(report: Report): readonly [verdict: string, count: string] {
  const { verdict, client, counts, requests, requirements } = report;
  const { total, judged, pass, fail } = counts;
  if (verdict === 'inconclusive') {
    return ['Could not judge', judged === 0 ? 'nothing was judged' : `${judged} of ${total} requirements judged`];
  }
  if (client !== undefined) return [clientVerdict(report, client), ''];
  const waived = countWaived(requirements, 'fail');
  if (verdict === 'does-not-conform') {
    const more = waived === 0 ? '' : `, ${waived} more waived`;
    if (fail === waived) return ['Does not conform', `${pass} of ${total} requirements pass`];
    return ['Does not conform', `${fail - waived} of ${total} requirements fail${more}`];
  }
  const exception = waived === 0 ? '' : ` with ${counted(waived, 'waived failure')}`;
  const extent = isShort(report) ? ` as far as ${counted(requests, 'request')} show` : '';
  const conforms = `Conforms${exception}${extent}`;
  return [conforms, `${pass} of ${total}${conforms === 'Conforms' ? ' requirements pass' : ''}`];
}

/** What keeps the run from being a whole one. */
function limitsOf({ settings, interactions, reason, client, counts }: Report): readonly string[] {
  const isPartial = settings.only !== undefined && client === undefined;
  const chosenBy = settings.isLastFailed ? '--last-failed' : '--only';
  const holding = interactions?.filter(({ verdict }) => verdict === 'pass').length;
  return [
    ...(isPartial ? [`${counts.total} of ${statedRequirements.length} requirements, ${chosenBy}`] : []),
    ...(interactions ? [`pact verify: ${holding} of ${interactions.length} interactions hold`] : []),
    ...(reason?.code === 'interrupted' ? ['interrupted'] : []),
    ...(reason?.code === 'deadline' ? ['ended by the deadline'] : []),
  ];
}

/** The headline never sounds better than the run was. */
export function headlineOf(report: Report) {
  const [verdict, count] = verdictOf(report);
  const limits = [...(count === '' ? [] : [count]), ...limitsOf(report)];
  /** The count behind the verdict and whatever limits it, for example " (44 of 53; --only)". May be empty. */
  const coverage = limits.length === 0 ? '' : ` (${limits.join('; ')})`;
  return { tone: toneOf(report), verdict, coverage, text: verdict + coverage };
}

/** Why requirements were skipped, for example " (4: set PETSTORE_RATE_LIMIT_KEY to …; 1: name the plan …)". */
function reasonsOf(skipped: readonly ReportedRequirement[]): string {
  const groups = [...Map.groupBy(skipped, ({ reason = '' }) => reason)];
  const words = groups
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([reason, { length }]) => (groups.length === 1 ? reason : `${length}: ${reason}`));
  return ` (${words.join('; ')})`;
}

/** The verdicts in words, in the order of a tally. */
const verdictWords = {
  pass: 'passed',
  fail: 'failed',
  warn: 'warned',
  'not-applicable': 'not applicable',
  inconclusive: 'inconclusive',
  skipped: 'skipped',
  error: 'error of the kit',
} as const;

/** All requirements by verdict, for example "53 requirements: 44 passed, 2 not applicable, 8 inconclusive." */
function requirementsInWords({ requirements }: Report): string {
  const groups = Map.groupBy(requirements, ({ verdict }) => verdict);
  const counts = Object.entries(verdictWords).flatMap(([verdict, word]) => {
    const own = groups.get(verdict as keyof typeof verdictWords) ?? [];
    if (own.length === 0) return [];
    const waived = countWaived(own);
    const words = own.length > 1 ? word.replace(/^error/, 'errors') : word;
    const ofWaived = waived === 0 ? '' : ` (${waived} waived)`;
    return [`${own.length} ${words}${verdict === 'skipped' ? reasonsOf(own) : ofWaived}`];
  });
  return `${counted(requirements.length, 'requirement')}: ${counts.join(', ')}.`;
}

/** How many requirements have which verdict, and what is said of the run as a whole. */
export function tallyOf(report: Report): readonly string[] {
  return [requirementsInWords(report), ...(report.notes ?? [])];
}

function effortOf({ requests, creates, durationMs, seed, client }: Report): string {
  const sent = `${counted(requests, 'request')}, ${counted(creates, 'creation')}`;
  // The services of a client draw the same values each time.
  const drawn = client === undefined ? `, seed ${seed}` : '';
  return `${sent}, ${(durationMs / 1000).toFixed(1)} s${drawn}.`;
}

/** The values that stay untried on a target that is not disposable, with the option that changes it. */
export function untriedValues({ isDisposable }: Pick<Report['settings'], 'isDisposable'>): readonly string[] {
  if (isDisposable) return [];
  return [
    'Not tried, since the target is not disposable (--disposable): names that are hard to read or type, the real key outside the Authorization header.',
  ];
}

function leftoversInWords({ created }: Report): readonly string[] {
  if (created.length === 0) return [];
  return [`The run leaves ${counted(created.length, 'animal')} behind, since the interface cannot delete any.`];
}

/** Where the output of the service or of the client is. */
export function outputOf({ target: { outputFile }, client }: Report): readonly string[] {
  if (outputFile !== undefined) return [`The output of the service is in ${outputFile}.`];
  const printed = client?.services.find(({ output }) => output !== undefined)?.output;
  return printed === undefined ? [] : [`The output of the client is in ${printed.replace(/[/\\][^/\\]*$/, '')}.`];
}

/** What the run sent, left out and left behind, and where its output is. */
export function notesOf(report: Report): readonly string[] {
  const isRun = report.client === undefined && report.settings.maxRequests > 0;
  return [
    effortOf(report),
    ...(isRun ? untriedValues(report.settings) : []),
    ...leftoversInWords(report),
    ...outputOf(report),
  ];
}
