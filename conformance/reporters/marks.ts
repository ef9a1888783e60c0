/** The mark of a verdict: its word, its colour, and a sign, so that colour is never the only difference. */

import type { InteractionVerdict } from '../verdict/outcome.ts';
import type { ShownVerdict as RequirementMark } from '../verdict/shown-causes.ts';

/** The mark of a requirement or of an interaction. */
export type Mark = RequirementMark | InteractionVerdict;

export type Style = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

export const marks: Readonly<Record<Mark, { readonly word: string; readonly style: Style; readonly sign: string }>> = {
  pass: { word: 'pass', style: 'green', sign: '✓' },
  fail: { word: 'fail', style: 'red', sign: '✗' },
  warn: { word: 'warn', style: 'yellow', sign: '!' },
  waived: { word: 'waived', style: 'yellow', sign: '~' },
  inconclusive: { word: 'inconclusive', style: 'yellow', sign: '?' },
  skipped: { word: 'skipped', style: 'dim', sign: '-' },
  'not-applicable': { word: 'not applicable', style: 'dim', sign: '-' },
  error: { word: 'error of the kit', style: 'red', sign: 'E' },
  pending: { word: 'pending', style: 'yellow', sign: '~' },
  'not-verifiable': { word: 'not verifiable', style: 'yellow', sign: '?' },
};
