/** How wide a text is on a terminal, in columns: letters of Asia and emoji take two, marks none. */

import measure from 'fast-string-truncated-width';

export function widthOf(text: string): number {
  return measure(text).width;
}

/** Cuts a text so that it takes so many columns at most, and shows that it is cut. */
export function cutToWidth(text: string, columns: number): string {
  if (columns < 1) return '';
  const { index, ellipsed } = measure(text, { limit: columns, ellipsis: '…', ellipsisWidth: 1 });
  return ellipsed ? `${text.slice(0, index)}…` : text.slice(0, index);
}

/** What an unknown terminal, a file and a log of a CI are taken to show well. */
const usualColumns = 100;

/** How many columns a stream has; COLUMNS wins. */
export function columnsOf(stream: { readonly columns?: number }, { COLUMNS = '' }: NodeJS.ProcessEnv): number {
  if (/^[1-9]\d{0,4}$/.test(COLUMNS)) return Number(COLUMNS);
  return stream.columns !== undefined && stream.columns > 0 ? stream.columns : usualColumns;
}
