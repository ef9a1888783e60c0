/** Format → the function that turns a comparison into text. */

import { escapeLines } from '../escape.ts';
import type { ComparisonFormat } from '../names.ts';
import type { Comparison } from './compare.ts';
import { reportComparisonInHtml } from './html.ts';
import { reportComparisonInMarkdown } from './markdown.ts';
import { showComparison } from './terminal.ts';

export const showComparisonAs = {
  terminal: (comparison: Comparison, width?: number) => showComparison(comparison, width),
  markdown: reportComparisonInMarkdown,
  json: (comparison: Comparison) => `${escapeLines(JSON.stringify(comparison, null, 2))}\n`,
  html: reportComparisonInHtml,
} as const satisfies Record<ComparisonFormat, (comparison: Comparison, width?: number) => string>;
