/** A chart of the number of answers with each status. */

import { max } from 'd3-array';
import { scaleBand, scaleLinear } from 'd3-scale';
import type { TimelineRow } from '../../verdict/report.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import { drawing, label, rounded, width } from './drawing.ts';

interface Bar {
  readonly name: string;
  readonly count: number;
  /** The verdict whose colour it has. */
  readonly tone: 'pass' | 'skipped' | 'warn' | 'fail';
}

/** Statuses beyond these share one bar. */
const barsShown = 12;

function toneOf(status: number | undefined): Bar['tone'] {
  if (status === undefined || status >= 500) return 'fail';
  if (status === 429) return 'warn';
  return status < 300 ? 'pass' : 'skipped';
}

/** The number of answers with each status, in ascending order; requests without an answer come last. */
export function countAnswers(timeline: readonly TimelineRow[]): readonly Bar[] {
  const counts = [...Map.groupBy(timeline, ({ status }) => status)].sort(
    ([one = Infinity], [other = Infinity]) => one - other,
  );
  const bars = counts.map(
    ([status, { length: count }]): Bar => ({ name: String(status ?? 'none'), count, tone: toneOf(status) }),
  );
  const rest = bars.slice(barsShown).reduce((sum, { count }) => sum + count, 0);
  return rest === 0 ? bars : [...bars.slice(0, barsShown), { name: 'others', count: rest, tone: 'warn' }];
}

const barHeight = 24;
const left = 50;
const right = width - 50;

export function statusChart(timeline: readonly TimelineRow[]): Markup {
  const bars = countAnswers(timeline);
  const bottom = bars.length * barHeight;
  const x = scaleLinear([0, max(bars, ({ count }) => count) ?? 1], [left, right]);
  const y = scaleBand(
    bars.map(({ name }) => name),
    [0, bottom],
  ).paddingInner(0.3);
  const rows = bars.map(({ name, count, tone }) => {
    const top = y(name) ?? 0;
    const middle = top + y.bandwidth() / 2 + 4;
    return joinMarkup([
      markup`<rect class="bar ${tone}" x="${left}" y="${rounded(top)}" width="${rounded(x(count) - left)}" height="${rounded(y.bandwidth())}"/>`,
      label(name, [left - 6, middle], { anchor: 'end' }),
      label(String(count), [x(count) + 6, middle]),
    ]);
  });
  const words = bars.map(({ name, count }) => `${name}: ${count}`).join(', ');
  return drawing(`Answers by status: ${words}.`, bottom, rows);
}
