/** The traffic of the run on the page: the rate limit as a chart, the answers to each operation as a table. */

import { quantileSorted } from 'd3-array';
import type { Report, TimelineRow } from '../../verdict/report.ts';
import { shorten } from '../escape.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import type { PageSection } from './parts.ts';
import { duration, readingsOf, remainingChart } from './rate-limit-chart.ts';

/** The waits as a list with their reasons, which the chart cannot show. */
function waitList({ waits, startedAt }: Report): Markup {
  if (waits.length === 0) return markup``;
  const start = Date.parse(startedAt);
  const lines = waits.map(
    (wait) =>
      markup`<li>${duration(wait.durationMs)} from ${duration(Date.parse(wait.startedAt) - start)} on: ${shorten(wait.why, 300)}</li>`,
  );
  return markup`<details><summary>Waits</summary><ul>
${joinMarkup(lines)}
</ul></details>`;
}

function remainingFigure(report: Report): Markup {
  if (readingsOf(report).size === 0) return markup`<p>No answer had X-RateLimit-Remaining.</p>`;
  return markup`<figure><figcaption><h3>Remaining over time</h3><p class="quiet">X-RateLimit-Remaining of the answers. Dashed: the limit; dotted: a window ends; shaded: the run waited.</p></figcaption>
${remainingChart(report)}
</figure>`;
}

/** Statuses of one operation beyond these are counted together. */
const statusesShown = 12;

/** For example "200 × 12, 404 × 3, no answer × 1". */
function statusesInWords(rows: readonly TimelineRow[]): string {
  const counts = [...Map.groupBy(rows, ({ status }) => status)].sort(
    ([one = Infinity], [other = Infinity]) => one - other,
  );
  const shown = counts
    .slice(0, statusesShown)
    .map(([status, { length }]) => `${status ?? 'no answer'}\u00a0×\u00a0${length}`);
  const others = counts.slice(statusesShown).reduce((sum, [, { length }]) => sum + length, 0);
  return [...shown, ...(others === 0 ? [] : [`others\u00a0×\u00a0${others}`])].join(', ');
}

/** The share of answers that took no longer than a time, by the name of its column. */
const shares = [
  ['median', 0.5],
  ['95 % within', 0.95],
  ['longest', 1],
] as const;

/** The statuses of an operation, and how long its answers took. */
function operationRow(operation: string, rows: readonly TimelineRow[]): Markup {
  const answered = rows.filter(({ status }) => status !== undefined);
  const sorted = answered.map(({ durationMs }) => durationMs).sort((one, other) => one - other);
  const times = shares.map(([name, share]) => {
    const time = quantileSorted(sorted, share);
    return markup`<td data-label="${name}">${time === undefined ? '–' : duration(Math.round(time * 10) / 10)}</td>`;
  });
  return markup`<tr><th scope="row">${operation}</th><td class="wide" data-label="">${statusesInWords(rows)}</td>${joinMarkup(times)}</tr>`;
}

function answerTable({ timeline }: Report): Markup {
  const rows = [...Map.groupBy(timeline, ({ operation }) => operation)].map(([operation, all]) =>
    operationRow(operation, all),
  );
  const names = ['operation', 'statuses', ...shares.map(([name]) => name)];
  const head = names.map((name) => markup`<th scope="col">${name}</th>`);
  return markup`<h3>Answers by operation</h3>
<table class="stacked answers"><thead><tr>${joinMarkup(head)}</tr></thead>
<tbody>
${joinMarkup(rows)}
</tbody></table>`;
}

/** Empty where nothing was sent. */
export function trafficSection(report: Report): readonly PageSection[] {
  if (report.timeline.length === 0) return [];
  const content = markup`<div class="traffic">
<div>${remainingFigure(report)}
${waitList(report)}</div>
<div>${answerTable(report)}</div>
</div>`;
  return [{ id: 'traffic', title: 'Traffic of the run', name: 'Traffic', content }];
}
