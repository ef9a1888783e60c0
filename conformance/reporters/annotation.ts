/** Writes the commands by which GitHub Actions shows annotations. */

import { escapeForTerminal } from './escape.ts';

export interface Annotation {
  readonly kind: 'error' | 'warning' | 'notice';
  readonly title: string;
  /** The file that the annotation is about. */
  readonly file?: string;
  readonly lines: readonly string[];
}

function oneLine(text: string): string {
  return escapeForTerminal(text).replaceAll('%', '%25');
}

/** GitHub ends a property at a colon or a comma. */
function property(text: string): string {
  return oneLine(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** One command on one line; GitHub reads `%0A` as the end of a line. */
export function annotationCommand({ kind, title, file, lines }: Annotation): string {
  const place = file === undefined ? '' : `file=${property(file)},`;
  return `::${kind} ${place}title=${property(title)}::${lines.map(oneLine).join('%0A')}\n`;
}
