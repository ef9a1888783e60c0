/** The mark of a verdict: its word, its colour, and a sign, so that colour is never the only difference. */

import type { Mark as RequirementMark } from '../verdict/causes.ts';
import type { InteractionVerdict } from '../verdict/outcome.ts';
import type { Style } from './styled-lines.ts';

/** The mark of a requirement or of an interaction. */
export type Mark = RequirementMark | InteractionVerdict;

/** The signs that a terminal can show: code pages of Windows have no check mark. */
export type SignSet = 'unicode' | 'ascii';

interface MarkEntry {
  readonly word: string;
  readonly style: Style;
  readonly unicode: string;
  readonly ascii: string;
}

/** In the order of a filter. */
export const marks: Readonly<Record<Mark, MarkEntry>> = {
  pass: { word: 'pass', style: 'green', unicode: '✓', ascii: '+' },
  fail: { word: 'fail', style: 'red', unicode: '✗', ascii: 'x' },
  warn: { word: 'warn', style: 'yellow', unicode: '!', ascii: '!' },
  waived: { word: 'waived', style: 'yellow', unicode: '~', ascii: '~' },
  inconclusive: { word: 'inconclusive', style: 'yellow', unicode: '?', ascii: '?' },
  skipped: { word: 'skipped', style: 'dim', unicode: '-', ascii: '-' },
  'not-applicable': { word: 'not applicable', style: 'dim', unicode: '-', ascii: '-' },
  error: { word: 'error of the kit', style: 'red', unicode: 'E', ascii: 'E' },
  pending: { word: 'pending', style: 'yellow', unicode: '~', ascii: '~' },
  'not-verifiable': { word: 'not verifiable', style: 'yellow', unicode: '?', ascii: '?' },
};
