/** How a report is shown to a person: its detail, colours, columns and signs. */

import type { SignSet } from './marks.ts';
import { type Paint, withoutColour } from './styled-lines.ts';

/** `short` shows failures and warnings, `full` every requirement, `line` the verdict alone. */
export type Detail = 'short' | 'full' | 'line';

export interface Presentation {
  readonly detail: Detail;
  readonly paint: Paint;
  /** Columns. */
  readonly width: number;
  readonly signs: SignSet;
  /** The files that hold the report in other formats. */
  readonly files: readonly string[];
}

export const inPlainText: Presentation = {
  detail: 'short',
  paint: withoutColour,
  width: 100,
  signs: 'unicode',
  files: [],
};

/** Where the report was written to, if it was. */
export function filesInWords(files: readonly string[]): readonly string[] {
  return files.length === 0 ? [] : [`Written to ${files.join(', ')}.`];
}
