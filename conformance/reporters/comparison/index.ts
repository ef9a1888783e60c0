/** Format → what turns a comparison into text. */

import { escapeLines } from '../escape.ts';
import type { Comparison } from './compare.ts';
import { reportComparisonInHtml } from './html.ts';
import { reportComparisonInMarkdown } from './markdown.ts';
import { showComparison } from './terminal.ts';

export const showComparisonAs = {
  terminal: showComparison,
  markdown: reportComparisonInMarkdown,
  json: (comparison: Comparison) => `${escapeLines(JSON.stringify(comparison, null, 2))}\n`,
  html: reportComparisonInHtml,
} as const satisfies Record<string, (comparison: Comparison) => string>;

export type ComparisonFormat = keyof typeof showComparisonAs;
export const comparisonFormats = Object.keys(showComparisonAs) as ComparisonFormat[];
