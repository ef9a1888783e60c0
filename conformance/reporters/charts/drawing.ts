/** The parts that all charts share: a sheet of one size, axes, and durations in words. */

import { joinMarkup, type Markup, markup } from '../markup.ts';

/** The width of every drawing, in its own units: about the pixels of a column on a desktop and of a phone. */
export const width = 400;

/** The area of a chart's marks; the axes stand around it. */
export interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** A coordinate, to a tenth of a unit. */
export function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

export function drawing(words: string, height: number, content: readonly Markup[]): Markup {
  return markup`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${words}">
${joinMarkup(content)}
</svg>`;
}

export function line(kind: string, [x1, y1]: readonly [number, number], [x2, y2]: readonly [number, number]): Markup {
  return markup`<line class="${kind}" x1="${rounded(x1)}" y1="${rounded(y1)}" x2="${rounded(x2)}" y2="${rounded(y2)}"/>`;
}

/** Text at a point; `anchor` is the part of the text that lies there. */
export function label(
  text: string,
  [x, y]: readonly [number, number],
  { anchor = 'start', kind = 'label' }: { readonly anchor?: 'start' | 'middle' | 'end'; readonly kind?: string } = {},
): Markup {
  return markup`<text class="${kind}" x="${rounded(x)}" y="${rounded(y)}" text-anchor="${anchor}">${text}</text>`;
}

/** The axis below the marks, with lines up through them. */
export function bottomAxis({ left, right, top, bottom }: Area, ticks: readonly Tick[], title: string): Markup {
  const middle = (left + right) / 2;
  return joinMarkup([
    line('axis', [left, bottom], [right, bottom]),
    ...ticks.map(({ at }) => line('grid', [at, top], [at, bottom])),
    ...ticks.map((tick) => label(tick.label, [tick.at, bottom + 16], { anchor: 'middle', kind: 'tick' })),
    label(title, [middle, bottom + 33], { anchor: 'middle', kind: 'tick' }),
  ]);
}

export function leftAxis({ left, right }: Area, ticks: readonly Tick[]): Markup {
  return joinMarkup([
    ...ticks.map(({ at }) => line('grid', [left, at], [right, at])),
    ...ticks.map((tick) => label(tick.label, [left - 6, tick.at + 4], { anchor: 'end', kind: 'tick' })),
  ]);
}

export function duration(milliseconds: number): string {
  if (milliseconds === 0) return '0';
  if (milliseconds < 1_000) return `${milliseconds} ms`;
  if (milliseconds < 120_000) return `${rounded(milliseconds / 1_000)} s`;
  return `${rounded(milliseconds / 60_000)} min`;
}
