/** The charts: what is drawn is what the timeline says, however long it is. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { remainingCharts } from '../../reporters/html/chart.ts';
import type { TimelineRow } from '../../verdict/report.ts';

const startedAt = '2026-11-21T10:00:00.000Z';

function row(at: number, limit: number, remaining: number): TimelineRow {
  const answeredAt = new Date(Date.parse(startedAt) + at).toISOString();
  return { answeredAt, credential: 'valid', limit, remaining };
}

const draw = (timeline: readonly TimelineRow[], durationMs: number): string =>
  remainingCharts({ timeline, waits: [], startedAt, durationMs }).join('\n');

// The golden page shows the charts of a run with its waits.
test('answers are drawn in their order, those to all forms of a key as one line', () => {
  const timeline = [row(10_000, 60, 30), { ...row(0, 60, 60), credential: 'lenient' as const }];
  assert.match(draw(timeline, 10_000), 'class="line" d="M8,8H374V56"');
});

test('a long run is drawn by its lowest points, and one of no time without a stumble', () => {
  const timeline = Array.from({ length: 20_000 }, (_, at) => row(at, 9, at === 10_000 ? 0 : 9));
  const [, path = ''] = /class="line" d="([^"]*)"/.exec(draw(timeline, 20_000)) ?? [];
  assert.ok(path.length < 10_000 && path.includes('V104H'), path);
  assert.not.match(draw([row(0, 0, 0)], 0), /NaN|Infinity/);
});

test.run();
