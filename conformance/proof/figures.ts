/** The figures of the self-test: those that each report carries, and the table of CONTRIBUTING.md. */

import type { SelfTestFigures } from '../verdict/report.ts';
import { complaints, figuresOf, type SelfTest, share } from './self-test.ts';
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

export function figuresTable(result: SelfTest): string {
  const figures = figuresOf(result);
  const row = ({ requests, found }: SelfTestFigures['within'][number]): string =>
    `| ${requests} | ${share(found, figures.ordinary)} |`;
  const plain = result.variants.find(({ id }) => id === 'list-order=oldest-first');
  const lines = [
    '| requests | ordinary faults found and named |',
    '|---|---|',
    ...figures.within.map(row),
    '',
    `Faults of every kind, rare ones within 1,000 requests: ${share(figures.found, figures.faults)}. False failures: ${figures.falseFailures} over ${figures.variants} variants, ${complaints(result.combinations).length} over ${result.combinations.length} random combinations of legal choices. A run with the usual budget sends ${plain?.requests} requests, and ${plain?.creates} of them may create an animal.`,
  ];
  return lines.join('\n');
}
