/** The chart of the page: X-RateLimit-Remaining over the time of a run, with its limit and the waits. */

import type { Report, TimelineRow } from '../../verdict/report.ts';
import { shorten } from '../escape.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import type { PageSection } from './parts.ts';

/** The client that each kind of credential counts as: all forms of one key count as that key. */
const clients: Readonly<Record<TimelineRow['credential'], string>> = {
  valid: 'the API key',
  lenient: 'the API key',
  'rate-limit': 'the key to exhaust',
  missing: 'no valid key',
  invalid: 'no valid key',
  misplaced: 'no valid key',
  'other-case': 'no valid key',
  unseen: 'a key that is not shown',
};

export type ChartedRun = Pick<Report, 'timeline' | 'waits' | 'startedAt' | 'durationMs'>;

/** What an answer says is left, so many milliseconds after the start of the run. */
interface Reading {
  readonly at: number;
  readonly remaining: number;
  readonly limit: number;
}

/** The readings of each client, in the order of time. */
export function readingsOf({ timeline, startedAt }: ChartedRun): readonly (readonly [string, readonly Reading[]])[] {
  const start = Date.parse(startedAt);
  const told = timeline.filter(({ remaining }) => remaining !== undefined);
  return [...Map.groupBy(told, ({ credential }) => clients[credential])].map(([client, rows]) => {
    const readings = rows.map(({ startedAt: sentAt, durationMs, remaining = 0, limit = remaining }) => ({
      at: Date.parse(sentAt) + durationMs - start,
      remaining,
      limit,
    }));
    return [client, readings.sort((one, other) => one.at - other.at)] as const;
  });
}

/** A coordinate, to a tenth of a unit. */
function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Steps of 1, 2 or 5 times a power of ten from 0 to `most`, at least one and at most `count`. */
export function ticksTo(most: number, count: number): readonly number[] {
  const least = most / count;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= least) ?? most;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_nothing, at) => at * step);
}

export function durationInWords(milliseconds: number): string {
  if (milliseconds === 0) return '0';
  if (milliseconds < 1_000) return `${rounded(milliseconds)} ms`;
  if (milliseconds < 120_000) return `${rounded(milliseconds / 1_000)} s`;
  return `${rounded(milliseconds / 60_000)} min`;
}

/** The sheet, in its own units: about the pixels of a phone. */
const sheet = { width: 400, left: 48, right: 374, panel: 96, title: 28 };

type Point = readonly [x: number, y: number];

function line(kind: string, [x1, y1]: Point, [x2, y2]: Point): Markup {
  return markup`<line class="${kind}" x1="${rounded(x1)}" y1="${rounded(y1)}" x2="${rounded(x2)}" y2="${rounded(y2)}"/>`;
}

/** Text at a point; `anchor` is the part of the text that lies there. */
function label(text: string, [x, y]: Point, kind: string, anchor: 'start' | 'middle' | 'end'): Markup {
  return markup`<text class="${kind}" x="${rounded(x)}" y="${rounded(y)}" text-anchor="${anchor}">${text}</text>`;
}

/** Steps through the readings. Of those at one pixel only the lowest counts, or millions of answers would fill the page. */
function pathOf(readings: readonly Reading[], x: (at: number) => number, y: (count: number) => number): string {
  const places = Map.groupBy(readings, ({ at }) => Math.round(x(at)));
  const lowest = [...places.values()].map((all) =>
    all.reduce((low, one) => (one.remaining < low.remaining ? one : low)),
  );
  const points = lowest.map(({ at, remaining }) => [rounded(x(at)), rounded(y(remaining))] as const);
  return points.map(([right, down], at) => (at === 0 ? `M${right},${down}` : `H${right}V${down}`)).join('');
}

/** The place of a moment across the sheet. */
function across(durationMs: number): (at: number) => number {
  const { left, right } = sheet;
  return (at) => left + (Math.min(Math.max(at, 0), durationMs) / Math.max(1, durationMs)) * (right - left);
}

/** The axis has room for five digits. */
const inWords = new Intl.NumberFormat('en', { notation: 'compact' });

function panel(client: string, readings: readonly Reading[], top: number, run: ChartedRun): Markup {
  const { left, right } = sheet;
  const bottom = top + sheet.panel;
  const x = across(run.durationMs);
  const most = readings.reduce((so, { limit, remaining }) => Math.max(so, limit, remaining), 1);
  const y = (count: number): number => bottom - (count / most) * (bottom - top);
  const start = Date.parse(run.startedAt);
  const waits = run.waits.map(({ startedAt, durationMs }) => {
    const [from, to] = [x(Date.parse(startedAt) - start), x(Date.parse(startedAt) - start + durationMs)];
    return markup`<rect class="wait" x="${rounded(from)}" y="${top}" width="${rounded(Math.max(1, to - from))}" height="${bottom - top}"/>`;
  });
  const last = readings.at(-1)?.limit ?? 0;
  return joinMarkup([
    label(`${client}: limit ${last}`, [left, top - 7], 'label', 'start'),
    ...ticksTo(most, 3).flatMap((count) => [
      line('grid', [left, y(count)], [right, y(count)]),
      label(inWords.format(count), [left - 6, y(count) + 4], 'tick', 'end'),
    ]),
    ...waits,
    line('limit', [left, y(last)], [right, y(last)]),
    markup`<path class="line" d="${pathOf(readings, x, y)}"/>`,
  ]);
}

export function remainingChart(run: ChartedRun): Markup {
  const { left, right, width, title } = sheet;
  const panels = readingsOf(run);
  const step = sheet.panel + title + 4;
  const bottom = panels.length * step - 4;
  const x = across(run.durationMs);
  const words = panels.map(([client, all]) => `${client} from ${all[0]!.remaining} to ${all.at(-1)!.remaining}`);
  const drawn = joinMarkup([
    line('axis', [left, bottom], [right, bottom]),
    ...ticksTo(Math.max(1, run.durationMs), 4).flatMap((at) => [
      line('grid', [x(at), title], [x(at), bottom]),
      label(durationInWords(at), [x(at), bottom + 16], 'tick', 'middle'),
    ]),
    label('time since the run began', [(left + right) / 2, bottom + 33], 'tick', 'middle'),
    ...panels.map(([client, readings], at) => panel(client, readings, at * step + title, run)),
  ]);
  return markup`<svg viewBox="0 0 ${width} ${bottom + 40}" role="img" aria-label="Remaining over time: ${words.join('; ')}.">
${drawn}
</svg>`;
}

/** The waits with their reasons, which the chart cannot show. */
function waitList({ waits, startedAt }: ChartedRun): Markup {
  const lines = waits.map((wait) => {
    const begins = durationInWords(Date.parse(wait.startedAt) - Date.parse(startedAt));
    return markup`<li>${durationInWords(wait.durationMs)} from ${begins} on: ${shorten(wait.why, 300)}</li>`;
  });
  return waits.length === 0
    ? markup``
    : markup`<details><summary>Waits</summary><ul>${joinMarkup(lines)}</ul></details>`;
}

/** Empty where nothing was sent, and for a client: each of its services has a limit of its own. */
export function chartSection(report: Report): readonly PageSection[] {
  if (report.timeline.length === 0 || report.client !== undefined) return [];
  const chart = markup`<figure><figcaption class="quiet">X-RateLimit-Remaining of the answers. Dashed: the limit; shaded: the run waited.</figcaption>
${remainingChart(report)}
</figure>
${waitList(report)}`;
  const content = readingsOf(report).length === 0 ? markup`<p>No answer had X-RateLimit-Remaining.</p>` : chart;
  return [{ id: 'chart', title: 'Remaining over time', name: 'Rate limit', content }];
}
