/** The figures of the self-test that each report carries. */

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
