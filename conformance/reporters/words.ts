/** What all reporters say in the same words. */

import type { Report, ReportedInteraction, ReportedRequirement } from '../engine/report.ts';

/** What a run says of a target. */
export const verdictWords: Readonly<Record<Report['verdict'], string>> = {
  conforms: 'Conforms',
  'does-not-conform': 'Does not conform',
  inconclusive: 'Could not judge',
};

const rechecks = {
  'fails-again': 'It failed again when it was asked once more.',
  flaky: 'FLAKY: it did not fail when it was asked once more, or it depends on what came before.',
  'not-asked-again': undefined,
} as const;

/** What else is known of a failing statement: whether it fails again, how to show it, who accepts it. */
export function remarksOn({ recheck, shrinking, failures, waiver }: ReportedRequirement): readonly string[] {
  const sequence = failures[0]?.sequence ?? [];
  const numbers = sequence.map((number) => `#${number}`).join(', ');
  const depth = shrinking === 'stopped' ? ' (the budget ended the search for a shorter one)' : '';
  const until = waiver === undefined ? '' : `${waiver.owner}, until ${waiver.expires}: ${waiver.reason}`;
  return [
    ...(recheck === undefined || rechecks[recheck] === undefined ? [] : [rechecks[recheck]]),
    ...(sequence.length > 1 ? [`Shortest sequence that shows it: ${numbers}${depth}.`] : []),
    ...(waiver === undefined ? [] : [`Waiver (${waiver.state}) of ${until}`]),
  ];
}

/** An interaction of a pact in words: who wants what, and in which states. */
export function titleOf({ consumer, description, states }: ReportedInteraction): string {
  const given = states.length === 0 ? '' : ` (given ${states.join(' and ')})`;
  return `${consumer}: ${description}${given}`;
}
