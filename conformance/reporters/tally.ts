/** How many requirements and interactions have which verdict, and what would let a run judge more. */

import { type Need, needsOf, type Requirement, requirements as statedRequirements } from '../../spec/requirements.ts';
import { counted } from '../verdict/counts.ts';
import type { InteractionVerdict } from '../verdict/outcome.ts';
import type { Report, ReportedRequirement } from '../verdict/report.ts';
import { countWaived } from './headline.ts';

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
