/** The charts on the page: the rate limit, the latencies and the statuses. */

import type { Report } from '../../verdict/report.ts';
import { duration } from '../charts/drawing.ts';
import { latencyChart, spreadsOf } from '../charts/latency.ts';
import { readingsOf, remainingChart } from '../charts/remaining.ts';
import { statusChart } from '../charts/statuses.ts';
import { shorten } from '../escape.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import type { PageSection } from './parts.ts';

function figure(title: string, words: string, chart: Markup): Markup {
  return markup`<figure><figcaption><h3>${title}</h3><p class="quiet">${words}</p></figcaption>
${chart}
</figure>`;
}

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

function latencyTable({ timeline }: Report): Markup {
  const rows = spreadsOf(timeline).map(
    ({ operation, count, median, p95, longest }) =>
      markup`<tr><th scope="row">${operation}</th><td>${count}</td><td>${median} ms</td><td>${p95} ms</td><td>${longest} ms</td></tr>`,
  );
  return markup`<details><summary>Latencies in figures</summary>
<table><thead><tr><th scope="col">operation</th><th scope="col">answers</th><th scope="col">median</th><th scope="col">95 % within</th><th scope="col">longest</th></tr></thead>
<tbody>
${joinMarkup(rows)}
</tbody></table></details>`;
}

function remainingFigure(report: Report): Markup {
  // Each service of a compatibility run has a limit of its own.
  if (report.client !== undefined) return markup``;
  if (readingsOf(report).size === 0) return markup`<p>No answer had X-RateLimit-Remaining.</p>`;
  const words =
    'X-RateLimit-Remaining of the answers. Dashed: the limit; dotted: a window ends; shaded: the run waited.';
  return markup`<div>${figure('Remaining over time', words, remainingChart(report))}
${waitList(report)}</div>`;
}

/** Empty where nothing was sent. */
export function chartSection(report: Report): readonly PageSection[] {
  const { timeline } = report;
  if (timeline.length === 0) return [];
  const latency = 'Box: the middle half, with the median; line: 5 % to 95 %; dot: the longest.';
  const answered = timeline.some(({ status }) => status !== undefined);
  const content = markup`<div class="charts">
${remainingFigure(report)}
<div>${answered ? figure('Latency per operation', latency, latencyChart(timeline)) : ''}
${answered ? latencyTable(report) : ''}</div>
<div>${figure('Answers by status', 'All exchanges of the run; "none" got no answer.', statusChart(timeline))}</div>
</div>`;
  return [{ id: 'charts', title: 'Charts of the run', name: 'Charts', content }];
}
