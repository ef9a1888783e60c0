/** The charts of the page: X-RateLimit-Remaining over the time of a run, one for each client, with its limit and the waits. */

import type { Report, TimelineRow } from '../../verdict/report.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';

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

/** The sheet, in its own units: about the pixels of a phone. */
const sheet = { width: 400, height: 124, left: 8, right: 374, top: 8, bottom: 104 };

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

/** A coordinate, to a tenth of a unit. */
function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Steps through the points. Of those at one pixel only the lowest counts, or a long run would fill the page. */
function linePath(points: readonly (readonly [x: number, y: number])[]): string {
  const places = Map.groupBy(points, ([x]) => Math.round(x));
  const lowest = [...places.values()].map((all) => all.reduce((low, one) => (one[1] > low[1] ? one : low)));
  return lowest.map(([x, y], at) => (at === 0 ? `M${x},${y}` : `H${x}V${y}`)).join('');
}

function chartOf(client: string, rows: readonly TimelineRow[], { startedAt, durationMs, waits }: ChartedRun): Markup {
  const { width, height, left, right, top, bottom } = sheet;
  const since = (time: string, more = 0): number => Date.parse(time) + more - Date.parse(startedAt);
  const x = (at: number): number =>
    rounded(left + (Math.min(Math.max(at, 0), durationMs) / Math.max(1, durationMs)) * (right - left));
  const readings = rows
    .map(({ answeredAt, remaining, limit = remaining }) => ({ at: since(answeredAt), remaining, limit }))
    .sort((one, other) => one.at - other.at);
  const first = readings[0]!;
  const last = readings.at(-1)!;
  const most = readings.reduce((so, { limit, remaining }) => Math.max(so, limit, remaining), 1);
  const y = (count: number): number => rounded(bottom - (count / most) * (bottom - top));
  const shaded = waits.map((wait) => {
    const from = x(since(wait.startedAt));
    const to = x(since(wait.startedAt, wait.durationMs));
    return markup`<rect class="wait" x="${from}" y="${top}" width="${rounded(Math.max(1, to - from))}" height="${bottom - top}"/>`;
  });
  const caption = `${client}: limit ${last.limit}, remaining from ${first.remaining} to ${last.remaining}`;
  return markup`<figure><figcaption>${caption}</figcaption>
<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Remaining over time">
${joinMarkup(shaded)}
<path class="axis" d="M${left},${top}V${bottom}H${right}"/>
<path class="line" d="${linePath(readings.map(({ at, remaining }) => [x(at), y(remaining)]))}"/>
<text x="${left + 4}" y="${top + 4}">${most}</text>
<text x="${right}" y="${bottom + 15}" text-anchor="end">${seconds(durationMs)}</text>
</svg></figure>`;
}

/** A chart for each client whose answers say what is left. */
export function remainingCharts(run: ChartedRun): readonly Markup[] {
  return [...Map.groupBy(run.timeline, ({ credential }) => clients[credential])].map(([client, rows]) =>
    chartOf(client, rows, run),
  );
}

/** Empty where no answer says what is left, and for a client: each of its services has a limit of its own. */
export function chartsOf(report: Report) {
  const charts = report.client === undefined ? remainingCharts(report) : [];
  if (charts.length === 0) return [];
  const content = markup`<p class="quiet">X-RateLimit-Remaining of the answers; shaded: the run waited.</p>
${joinMarkup(charts)}`;
  return [{ title: 'Remaining over time', content }];
}
