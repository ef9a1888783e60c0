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
  const needs = stated === undefined ? [] : needsOf(stated);
  return needs.map((need) => remedies[need](settings)).find((remedy) => remedy !== undefined);
}

/** For example " (set PETSTORE_RATE_LIMIT_KEY)", or " (4: set PETSTORE_RATE_LIMIT_KEY; 1: give --plan)". */
function remediesFor(skipped: readonly ReportedRequirement[], settings: Settings): string {
  const groups = Map.groupBy(skipped, (one) => remedyFor(one, settings));
  const known = [...groups]
    .filter(([remedy]) => remedy !== undefined)
    .map(([remedy, { length }]) => ({ remedy, length }));
  const words = known
    .sort((one, other) => other.length - one.length)
    .map(({ remedy, length }) => (length === skipped.length ? remedy : `${length}: ${remedy}`));
  return words.length === 0 ? '' : ` (${words.join('; ')})`;
}

const untestable = 'not testable';
/** The verdicts in words, in the order of a tally. */
const verdictWords: readonly (readonly [verdict: ReportedRequirement['verdict'] | typeof untestable, word: string])[] =
  [
    ['pass', 'passed'],
    ['fail', 'failed'],
    ['warn', 'warned'],
    [untestable, untestable],
    ['not-applicable', 'not applicable'],
    ['inconclusive', 'inconclusive'],
    ['skipped', 'skipped'],
    ['error', 'error of the kit'],
  ];

/** All requirements by verdict, for example "53 requirements: 44 passed, 2 not testable, 8 inconclusive." */
function requirementsInWords({ requirements, settings }: Report): string {
  const groups = Map.groupBy(requirements, (one) =>
    one.verdict === 'not-applicable' && statedFor(one)?.untested !== undefined ? untestable : one.verdict,
  );
  const counts = verdictWords.flatMap(([verdict, word]) => {
    const own = groups.get(verdict) ?? [];
    if (own.length === 0) return [];
    const waived = countWaived({ requirements: own });
    const words = own.length > 1 ? word.replace(/^error/, 'errors') : word;
    const remedy = verdict === 'skipped' ? remediesFor(own, settings) : '';
    return [`${own.length} ${words}${remedy}${waived === 0 || verdict === 'skipped' ? '' : ` (${waived} waived)`}`];
  });
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
  const rest = others.map(([number, words]) => (number === 0 ? '' : `, ${number} ${words}`));
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
