/** Reporter name → the function that turns a comparison into text. */

import type { ReporterName } from '../names.ts';
import type { Comparison } from './compare.ts';
import { reportComparisonInMarkdown } from './markdown.ts';
import { showComparison } from './terminal.ts';

export const comparisonReporters = {
  terminal: (comparison: Comparison, width?: number) => showComparison(comparison, width),
  markdown: reportComparisonInMarkdown,
} as const satisfies Partial<Record<ReporterName, (comparison: Comparison, width?: number) => string>>;
