/** The charts: what is drawn is what the timeline says, however long it is. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ChartedRun, remainingCharts } from '../../reporters/html/chart.ts';
import type { TimelineRow } from '../../verdict/report.ts';

const startedAt = '2026-11-21T10:00:00.000Z';
const timeOf = (at: number): string => new Date(Date.parse(startedAt) + at).toISOString();

function row(at: number, limit: number, remaining: number): TimelineRow {
  return { answeredAt: timeOf(at), credential: 'valid', limit, remaining };
}

function draw(timeline: readonly TimelineRow[], durationMs = 1_000, waits: ChartedRun['waits'] = []): string {
  return remainingCharts({ timeline, waits, startedAt, durationMs }).join('\n');
}

test('waits and the remaining requests are drawn where they were', () => {
  const timeline = [row(10_000, 60, 30), { ...row(0, 60, 60), credential: 'lenient' as const }];
  const svg = draw(timeline, 10_000, [{ startedAt: timeOf(2_000), durationMs: 3_000, why: 'x' }]);
  assert.match(svg, 'class="line" d="M8,8H374V56"');
  assert.match(svg, 'class="wait" x="81.2" y="8" width="109.8" height="96"/');
  assert.match(svg, />the API key: limit 60, remaining from 60 to 30</);
  assert.match(svg, />10 s</);
});

test('a long run is drawn by its lowest points, and one of no time without a stumble', () => {
  const timeline = Array.from({ length: 20_000 }, (_, at) => row(at, 9, at === 10_000 ? 0 : 9));
  const [, path = ''] = /class="line" d="([^"]*)"/.exec(draw(timeline, 20_000)) ?? [];
  assert.ok(path.length < 10_000 && path.includes('V104H'), path);
  assert.not.match(draw([row(0, 0, 0)], 0), /NaN|Infinity/);
});

test.run();
