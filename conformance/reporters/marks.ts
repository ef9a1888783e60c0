/** The marks of verdicts on a terminal: a colour and a sign each, for terminals of every kind. */

import type { Mark } from '../verdict/causes.ts';
import type { InteractionVerdict } from '../verdict/outcome.ts';
import { type Style, type StyledText, styled } from './styled-lines.ts';
import { markWords } from './words.ts';

export type AnyMark = Mark | InteractionVerdict;

/** The signs that a terminal can show: code pages of Windows have no check mark. */
export type SignSet = 'unicode' | 'ascii';

const signs: Readonly<Record<AnyMark, readonly [style: Style, unicode: string, ascii: string]>> = {
  pass: ['green', '✓', '+'],
  fail: ['red', '✗', 'x'],
  warn: ['yellow', '!', '!'],
  waived: ['yellow', '~', '~'],
  inconclusive: ['yellow', '?', '?'],
  skipped: ['dim', '-', '-'],
  'not-applicable': ['dim', '-', '-'],
  error: ['red', 'E', 'E'],
  pending: ['yellow', '~', '~'],
  'not-verifiable': ['yellow', '?', '?'],
};

export function styleOf(mark: AnyMark): Style {
  return signs[mark][0];
}

export function signOf(mark: AnyMark, set: SignSet): StyledText {
  const [style, unicode, ascii] = signs[mark];
  return styled(style, set === 'unicode' ? unicode : ascii);
}

export function markText(mark: AnyMark, set: SignSet): StyledText {
  const words = markWords[mark];
  return styled(styleOf(mark), `${signOf(mark, set).text} ${mark === 'fail' ? words.toUpperCase() : words}`);
}
