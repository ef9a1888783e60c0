/** A chart of how long the answers to each operation took. */

import { max, min, quantileSorted } from 'd3-array';
import { scaleBand, scaleLog } from 'd3-scale';
import type { TimelineRow } from '../../verdict/report.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import { bottomAxis, drawing, duration, label, line, rounded, width } from './drawing.ts';

/** How long the answers to each operation took, milliseconds, in the order in which the operations were first answered. */
export function spreadsOf(timeline: readonly TimelineRow[]) {
  const answered = timeline.filter(({ status }) => status !== undefined);
  return [...Map.groupBy(answered, ({ operation }) => operation)].map(([operation, rows]) => {
    const sorted = rows.map(({ durationMs }) => durationMs).sort((one, other) => one - other);
    const at = (share: number): number => rounded(quantileSorted(sorted, share) ?? 0);
    return {
      operation,
      count: sorted.length,
      p5: at(0.05),
      p25: at(0.25),
      median: at(0.5),
      p75: at(0.75),
      p95: at(0.95),
      longest: at(1),
    };
  });
}

type Spread = ReturnType<typeof spreadsOf>[number];

const rowHeight = 40;
const left = 74;
const right = width - 26;
const top = 4;

/** A logarithmic axis has no zero, so shorter durations are drawn at this value, milliseconds. */
const shortest = 1;

/** A box from the 25th to the 75th percentile, lines to the 5th and 95th, and a dot at the longest. */
function box(spread: Spread, x: (value: number) => number, middle: number): Markup {
  const at = (value: number): number => x(Math.max(shortest, value));
  const [p5, p25, p75, p95] = [at(spread.p5), at(spread.p25), at(spread.p75), at(spread.p95)];
  return joinMarkup([
    line('whisker', [p5, middle], [p95, middle]),
    markup`<rect class="box" x="${rounded(p25)}" y="${middle - 8}" width="${rounded(Math.max(1, p75 - p25))}" height="16"/>`,
    line('median', [at(spread.median), middle - 8], [at(spread.median), middle + 8]),
    markup`<circle class="whisker box" cx="${rounded(at(spread.longest))}" cy="${middle}" r="3"/>`,
  ]);
}

export function latencyChart(timeline: readonly TimelineRow[]): Markup {
  const spreads = spreadsOf(timeline);
  const bottom = top + spreads.length * rowHeight;
  const least = Math.max(shortest, min(spreads, ({ p5 }) => p5) ?? shortest);
  const most = Math.max(10 * least, max(spreads, ({ longest }) => longest) ?? shortest);
  const x = scaleLog([least, most], [left, right]).nice();
  const y = scaleBand(
    spreads.map(({ operation }) => operation),
    [top, bottom],
  );
  const [start = shortest, end = shortest] = x.domain();
  const tens = Array.from({ length: Math.round(Math.log10(end / start)) + 1 }, (_, power) => start * 10 ** power);
  const ticks = tens.map((value) => ({ at: x(value), label: duration(value) }));
  const rows = spreads.map((spread) => {
    const middle = (y(spread.operation) ?? 0) + rowHeight / 2;
    return joinMarkup([label(spread.operation, [left - 8, middle + 4], { anchor: 'end' }), box(spread, x, middle)]);
  });
  const words = spreads.map(({ operation, median, p95 }) => `${operation} ${median} ms, 95 % within ${p95} ms`);
  const axis = bottomAxis({ left, right, top, bottom }, ticks, 'time to the answer, logarithmic');
  return drawing(`Median latency: ${words.join('; ')}.`, bottom + 40, [axis, ...rows]);
}
