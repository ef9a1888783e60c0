/** The headline of a report, its tally and its next step. None sounds better than the run was. */

import { type Need, needsOf, type Requirement, requirements as statedRequirements } from '../../spec/requirements.ts';
import { counted } from '../verdict/counts.ts';
import type { InteractionVerdict } from '../verdict/outcome.ts';
import type { Report, ReportedRequirement } from '../verdict/report.ts';
import { defaultBudget } from '../verdict/settings.ts';

/** How a verdict is coloured: a conforming run with waived failures is not green. */
export type Tone = 'pass' | 'fail' | 'waived' | 'inconclusive';

export interface Headline {
  readonly tone: Tone;
  /** For example "Conforms as far as 60 requests show". */
  readonly verdict: string;
  /** The count behind the verdict and whatever limits it, for example "44 of 53; --only". May be empty. */
  readonly coverage: string;
  /** Both in one line. */
  readonly text: string;
}

type Judged = Pick<Report, 'requirements'>;

export function countWaived({ requirements }: Judged, verdict?: 'fail'): number {
  return requirements.filter((one) => one.waiver?.state === 'waived' && one.verdict === (verdict ?? one.verdict))
    .length;
}

function toneOf(report: Report): Tone {
  if (report.verdict === 'does-not-conform') return 'fail';
  if (report.verdict === 'inconclusive') return 'inconclusive';
  return countWaived(report, 'fail') === 0 ? 'pass' : 'waived';
}

/** For example "Works with 97 of 100 legal services; relies on 2 answers; 1 requirement broken". */
function clientVerdict(
  { requirements }: Judged,
  { worksWith, ranWith, reliesOn }: NonNullable<Report['client']>,
): string {
  const waived = requirements.filter(({ waiver }) => waiver?.state === 'waived');
  // Answers that the client relies on are counted already.
  const broken = requirements.filter(
    (one) => one.verdict === 'fail' && !one.id.startsWith('any-') && !waived.includes(one),
  ).length;
  return [
    ranWith === 0
      ? `Recorded requests break ${broken === 0 ? 'no requirement' : counted(broken, 'requirement')}`
      : `Works with ${worksWith} of ${ranWith} legal services`,
    ...(reliesOn === 0 ? [] : [`relies on ${counted(reliesOn, 'answer')}`]),
    ...(broken === 0 || ranWith === 0 ? [] : [`${counted(broken, 'requirement')} broken`]),
    ...(waived.length === 0 ? [] : [`${waived.length} waived`]),
  ].join('; ');
}

/** Whether the run sent so few requests that a longer one may find more. Recorded traffic has no budget. */
function isShort({ settings, client, interactions }: Report): boolean {
  const isRun = client === undefined && interactions === undefined && settings.only === undefined;
  return isRun && settings.maxRequests > 0 && settings.maxRequests < defaultBudget.maxRequests;
}

function verdictOf(report: Report): string {
  if (report.verdict === 'inconclusive') return 'Could not judge';
  if (report.client !== undefined) return clientVerdict(report, report.client);
  if (report.verdict === 'does-not-conform') return 'Does not conform';
  const waived = countWaived(report, 'fail');
  const exception = waived === 0 ? '' : ` with ${counted(waived, 'waived failure')}`;
  return `Conforms${exception}${isShort(report) ? ` as far as ${counted(report.requests, 'request')} show` : ''}`;
}

function requirementCount(report: Report): string {
  const { total, judged, pass, fail } = report.counts;
  if (report.verdict === 'inconclusive') {
    return judged === 0 ? 'nothing was judged' : `${judged} of ${total} requirements judged`;
  }
  const waived = countWaived(report, 'fail');
  if (report.verdict === 'does-not-conform') {
    return `${fail - waived} of ${total} requirements fail${waived === 0 ? '' : `, ${waived} more waived`}`;
  }
  return `${pass} of ${total}${waived > 0 || isShort(report) ? '' : ' requirements pass'}`;
}

/** What keeps the run from being a whole one. */
function limitsOf({ settings, interactions, reason = '', client, counts }: Report): readonly string[] {
  const isPartial = settings.only !== undefined && client === undefined;
  const chosenBy = settings.isLastFailed ? '--last-failed' : '--only';
  const holding = interactions?.filter(({ verdict }) => verdict === 'pass').length;
  return [
    ...(isPartial ? [`${counts.total} of ${statedRequirements.length} requirements, ${chosenBy}`] : []),
    ...(interactions ? [`pact verify: ${holding} of ${interactions.length} interactions hold`] : []),
    ...(reason.startsWith('The run was interrupted') ? ['interrupted'] : []),
    ...(reason.startsWith('The deadline') ? ['ended by the deadline'] : []),
  ];
}

export function headlineOf(report: Report): Headline {
  const verdict = verdictOf(report);
  const isClient = report.client !== undefined && report.verdict !== 'inconclusive';
  const coverage = [...(isClient ? [] : [requirementCount(report)]), ...limitsOf(report)].join('; ');
  return { tone: toneOf(report), verdict, coverage, text: coverage === '' ? verdict : `${verdict} (${coverage})` };
}

type Settings = Report['settings'];

/** What the user may give to a run so that it judges more, by what the requirement needs. */
const remedies: Readonly<Record<Need, (settings: Settings) => string | undefined>> = {
  'rate-limit-key': ({ hasRateLimitKey }) => (hasRateLimitKey ? undefined : 'set PETSTORE_RATE_LIMIT_KEY'),
  plan: ({ plan }) => (plan === undefined ? 'give --plan' : undefined),
  creation: ({ isReadOnly }) => (isReadOnly ? 'run without --read-only' : undefined),
  'get-pet': () => undefined,
};

function statedFor({ id }: ReportedRequirement): Requirement | undefined {
  return statedRequirements.find((one) => one.id === id);
}

function remedyFor(requirement: ReportedRequirement, settings: Settings): string | undefined {
  const stated = statedFor(requirement);
  const given = stated === undefined ? [] : needsOf(stated).map((need) => remedies[need](settings));
  return given.find((remedy) => remedy !== undefined);
}

/** For example "4 skipped (set PETSTORE_RATE_LIMIT_KEY)", or "5 skipped (4: set PETSTORE_RATE_LIMIT_KEY; 1: give --plan)". */
function skippedInWords(skipped: readonly ReportedRequirement[], settings: Settings): string {
  const groups = Map.groupBy(skipped, (one) => remedyFor(one, settings));
  const known = [...groups]
    .flatMap(([remedy, { length }]) => (remedy === undefined ? [] : [{ remedy, length }]))
    .sort((one, other) => other.length - one.length);
  const isOne = known.length === 1 && known[0]!.length === skipped.length;
  const words = known.map(({ remedy, length }) => (isOne ? remedy : `${length}: ${remedy}`));
  return `${skipped.length} skipped${words.length === 0 ? '' : ` (${words.join('; ')})`}`;
}

/** All requirements by verdict, for example "53 requirements: 44 passed, 2 not testable, 8 inconclusive." */
function requirementsInWords({ requirements, settings }: Report): string {
  const groups = Map.groupBy(requirements, (one) =>
    statedFor(one)?.untested !== undefined && one.verdict === 'not-applicable' ? 'untestable' : one.verdict,
  );
  const count = (
    group: ReportedRequirement['verdict'] | 'untestable',
    word: string,
    more = word,
  ): readonly string[] => {
    const own = groups.get(group) ?? [];
    const waived = countWaived({ requirements: own });
    const note = waived === 0 ? '' : ` (${waived} waived)`;
    return own.length === 0 ? [] : [`${own.length} ${own.length === 1 ? word : more}${note}`];
  };
  const skipped = groups.get('skipped') ?? [];
  const counts = [
    ...count('pass', 'passed'),
    ...count('fail', 'failed'),
    ...count('warn', 'warned'),
    ...count('untestable', 'not testable'),
    ...count('not-applicable', 'not applicable'),
    ...count('inconclusive', 'inconclusive'),
    ...(skipped.length === 0 ? [] : [skippedInWords(skipped, settings)]),
    ...count('error', 'error of the kit', 'errors of the kit'),
  ];
  return `${counted(requirements.length, 'requirement')}: ${counts.join(', ')}.`;
}

/** The interactions of pacts by verdict. */
function interactionsInWords({ interactions = [] }: Report): string {
  const count = (wanted: InteractionVerdict): number => interactions.filter(({ verdict }) => verdict === wanted).length;
  const others = [
    [count('fail'), 'failed'],
    [count('pending'), 'pending'],
    [count('not-verifiable'), 'could not be verified'],
  ] as const;
  const rest = others.filter(([number]) => number > 0).map(([number, words]) => `, ${number} ${words}`);
  return `${count('pass')} of ${interactions.length} interactions hold${rest.join('')}.`;
}

/** For example "300 of 1,000 requests: 970 left in this window." */
function budgetInWords({ settings, unusedBudget }: Report): readonly string[] {
  if (unusedBudget === undefined) return [];
  const { maxRequests, why, remaining } = unusedBudget;
  const [kept, whole] = [settings.maxRequests, maxRequests].map((count) => count.toLocaleString('en'));
  const left = remaining === undefined ? 'the rate limit has no room for more' : `${remaining} left in this window`;
  return [`${kept} of ${whole} requests: ${why === 'slow' ? 'the target answers slowly' : left}.`];
}

/** How many requirements and interactions have which verdict, and why the run was shorter than it might have been. */
export function tallyOf(report: Report): readonly string[] {
  const { interactions } = report;
  return [
    requirementsInWords(report),
    ...(interactions === undefined ? [] : [interactionsInWords(report)]),
    ...budgetInWords(report),
  ];
}
