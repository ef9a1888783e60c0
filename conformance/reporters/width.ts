/** The width of a text on a terminal, in columns: East Asian letters and emoji take two, combining marks none. */

import measure from 'fast-string-truncated-width';

/** Cuts a text to at most so many columns, and shows that it is cut. */
export function cutToWidth(text: string, columns: number): string {
  if (columns < 1) return '';
  const { index, ellipsed } = measure(text, { limit: columns, ellipsis: '…', ellipsisWidth: 1 });
  return ellipsed ? `${text.slice(0, index)}…` : text.slice(0, index);
}

/** The columns of an unknown terminal, a file or a CI log. */
const usualColumns = 100;

/** The columns of a stream; the variable COLUMNS wins. */
export function columnsOf(stream: { readonly columns?: number }, { COLUMNS = '' }: NodeJS.ProcessEnv): number {
  if (/^[1-9]\d{0,4}$/.test(COLUMNS)) return Number(COLUMNS);
  return stream.columns !== undefined && stream.columns > 0 ? stream.columns : usualColumns;
}
