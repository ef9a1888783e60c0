/** What the self-test leaves: its figures, which each report carries, and its outcome, one line for each fault. */

import { figuresOf } from './self-test.ts';
import type { WorkDone } from './worker.ts';

export function figuresFile(result: WorkDone): string {
  const { faults, found, ordinary, within, variants, falseFailures } = figuresOf(result);
  const rows = within.map((row) => `    { requests: ${row.requests}, found: ${row.found} },\n`);
  return `/** The figures of the last self-test (SelfTestFigures explains them). \`npm run generate figures\` writes this file. */

export const selfTestFigures = {
  faults: ${faults},
  found: ${found},
  ordinary: ${ordinary},
  within: [
${rows.join('')}  ],
  variants: ${variants},
  falseFailures: ${falseFailures},
} as const;
`;
}

/** What the kit says of each fault first: whoever changes a judge sees in the difference what it changes. */
export function outcomeFile({ faults }: WorkDone): string {
  const lines = faults.map(({ id, foundWithin = 'NOT', first }) => `${id}: ${foundWithin}, ${first}\n`);
  return lines.sort().join('');
}
