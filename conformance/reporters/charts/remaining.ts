/** A chart of X-RateLimit-Remaining over the time of a run, with the ends of windows and the waits for them. */

import { max } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import { curveStepAfter, line as path } from 'd3-shape';
import { defined } from '../../../spec/defined.ts';
import type { Report, TimelineRow } from '../../verdict/report.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import { type Area, bottomAxis, drawing, duration, label, leftAxis, line, rounded, width } from './drawing.ts';

/** The client that each kind of credential counts as: all forms of one key count as that key. */
const clients = {
  valid: 'the API key',
  lenient: 'the API key',
  'rate-limit': 'the key to exhaust',
  missing: 'no valid key',
  invalid: 'no valid key',
  misplaced: 'no valid key',
  'other-case': 'no valid key',
  unseen: 'a key that is not shown',
} as const satisfies Record<TimelineRow['credential'], string>;

type Run = Pick<Report, 'timeline' | 'waits' | 'startedAt' | 'durationMs'>;

/** What an answer says is left. Times are in milliseconds from the start of the run. */
function readingOf({ startedAt, durationMs, limit, remaining, reset }: TimelineRow, start: number) {
  if (remaining === undefined) return [];
  const at = Date.parse(startedAt) + durationMs - start;
  const resetAt = reset === undefined ? undefined : reset * 1_000 - start;
  return [defined({ at, remaining, limit: limit ?? remaining, resetAt })];
}

type RemainingReading = ReturnType<typeof readingOf>[number];

/** The readings of each client, in the order of time. */
export function readingsOf({ timeline, startedAt }: Run): ReadonlyMap<string, readonly RemainingReading[]> {
  const start = Date.parse(startedAt);
  const byClient = Map.groupBy(timeline, ({ credential }) => clients[credential]);
  return new Map(
    [...byClient].flatMap(([client, rows]): [string, readonly RemainingReading[]][] => {
      const readings = rows.flatMap((row) => readingOf(row, start));
      return readings.length === 0 ? [] : [[client, readings.sort((one, other) => one.at - other.at)]];
    }),
  );
}

/** With more ends than these there are no fixed windows: the end moves with every request. */
const windowsShown = 12;

/** The ends of windows within the run, as the answers stated them. */
export function windowsOf(readings: readonly RemainingReading[], durationMs: number): readonly number[] {
  const ends = readings.flatMap(({ resetAt = -1 }) => (resetAt >= 0 && resetAt <= durationMs ? [resetAt] : []));
  const windows = [...new Set(ends)];
  return windows.length > windowsShown ? [] : windows;
}

const left = 48;
const right = width - 26;
const panelHeight = 96;
const titleHeight = 28;

/** Of the readings at one pixel only the lowest is drawn, since a path for millions of answers would fill the page. */
function thinned(readings: readonly RemainingReading[], x: (at: number) => number): readonly RemainingReading[] {
  const places = Map.groupBy(readings, ({ at }) => Math.round(x(at)));
  return [...places.values()].map((all) => all.reduce((low, one) => (one.remaining < low.remaining ? one : low)));
}

type Panel = readonly [client: string, readings: readonly RemainingReading[]];

function panel([client, readings]: Panel, area: Area, run: Run): Markup {
  const { top, bottom } = area;
  const x = scaleLinear([0, Math.max(1, run.durationMs)], [left, right]).clamp(true);
  const highest = max(readings, ({ limit, remaining }) => Math.max(limit, remaining)) ?? 0;
  const y = scaleLinear([0, Math.max(1, highest)], [bottom, top]);
  const draw = path<RemainingReading>(
    ({ at }) => x(at),
    ({ remaining }) => y(remaining),
  )
    .curve(curveStepAfter)
    .digits(1);
  const start = Date.parse(run.startedAt);
  const waits = run.waits.map(({ startedAt, durationMs }) => {
    const from = x(Date.parse(startedAt) - start);
    const to = x(Date.parse(startedAt) - start + durationMs);
    return markup`<rect class="wait" x="${rounded(from)}" y="${top}" width="${rounded(Math.max(1, to - from))}" height="${bottom - top}"/>`;
  });
  // The axis has room for five digits.
  const inWords = highest < 100_000 ? String : new Intl.NumberFormat('en', { notation: 'compact' }).format;
  const ticks = y.ticks(3).map((value) => ({ at: y(value), label: inWords(value) }));
  const last = readings.at(-1)!.limit;
  return joinMarkup([
    label(`${client}: limit ${last}`, [left, top - 7]),
    leftAxis(area, ticks),
    ...waits,
    ...windowsOf(readings, run.durationMs).map((at) => line('window', [x(at), top], [x(at), bottom])),
    line('limit', [left, y(last)], [right, y(last)]),
    markup`<path class="line" d="${draw(thinned(readings, x)) ?? ''}"/>`,
  ]);
}

export function remainingChart(run: Run): Markup {
  const panels = [...readingsOf(run)];
  const step = panelHeight + titleHeight;
  const bottom = panels.length * step;
  const x = scaleLinear([0, Math.max(1, run.durationMs)], [left, right]);
  const ticks = x.ticks(4).map((value) => ({ at: x(value), label: duration(value) }));
  const drawn = panels.map((one, at) =>
    panel(one, { left, right, top: at * step + titleHeight, bottom: (at + 1) * step - 4 }, run),
  );
  const words = panels.map(([client, all]) => `${client} from ${all[0]!.remaining} to ${all.at(-1)!.remaining}`);
  const axis = bottomAxis({ left, right, top: titleHeight, bottom }, ticks, 'time since the run began');
  return drawing(`Remaining over time: ${words.join('; ')}.`, bottom + 40, [axis, ...drawn]);
}
