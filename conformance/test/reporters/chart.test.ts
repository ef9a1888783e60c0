/** The chart: what is drawn is what the timeline says, however long it is. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { durationInWords, readingsOf, remainingChart, ticksTo } from '../../reporters/html/chart.ts';
import type { TimelineRow } from '../../verdict/report.ts';

const startedAt = '2026-11-21T10:00:00.000Z';
const start = Date.parse(startedAt);

function row(at: number, part: Partial<TimelineRow> = {}): TimelineRow {
  return {
    number: 1,
    check: 'list',
    operation: 'listPets',
    status: 200,
    startedAt: new Date(start + at).toISOString(),
    durationMs: 10,
    credential: 'valid',
    ...part,
  };
}

function run(timeline: readonly TimelineRow[], durationMs = 1_000): Parameters<typeof remainingChart>[0] {
  return { timeline, waits: [], startedAt, durationMs };
}

/** The values of an attribute of all elements of a class. */
function attribute(svg: string, kind: string, name: string): readonly string[] {
  const elements = [...svg.matchAll(new RegExp(`<\\w+ class="${kind}[^>]*`, 'g'))].map(([element]) => element);
  return elements.map((element) => new RegExp(` ${name}="([^"]*)"`).exec(element)?.[1] ?? '');
}

test('the remaining requests of a large limit are labelled with as few digits as the axis has room for', () => {
  const labels = (limit: number): readonly string[] => {
    const svg = remainingChart(run([row(0, { limit, remaining: limit })])).toString();
    return [...svg.matchAll(/class="tick"[^>]*text-anchor="end">([^<]*)</g)].map(([, text = '']) => text);
  };
  assert.equal(labels(1_000), ['0', '500', '1K']);
  assert.equal(labels(100_000), ['0', '50K', '100K']);
  assert.equal(labels(3_000_000_000), ['0', '1B', '2B', '3B']);
});

test('the remaining requests are drawn for each credential whose requests are counted together', () => {
  const window = { limit: 60 };
  const standings = readingsOf(
    run([
      row(20, { ...window, remaining: 58, credential: 'lenient' }),
      row(0, { ...window, remaining: 59 }),
      row(30, { ...window, remaining: 7, credential: 'rate-limit' }),
      row(40, { remaining: 60, credential: 'missing' }),
      row(50, { limit: 60, credential: 'invalid' }),
    ]),
  );
  assert.equal(standings, [
    [
      'the API key',
      [
        { at: 10, remaining: 59, limit: 60 },
        { at: 30, remaining: 58, limit: 60 },
      ],
    ],
    ['the key to exhaust', [{ at: 40, remaining: 7, limit: 60 }]],
    ['no valid key', [{ at: 50, remaining: 60, limit: 60 }]],
  ]);
});

test('limit and waits are drawn where they were', () => {
  const timeline = [row(-10, { limit: 60, remaining: 60 }), row(9_990, { limit: 60, remaining: 30 })];
  const waits = [{ startedAt: new Date(start + 2_000).toISOString(), durationMs: 3_000, why: 'x' }];
  const svg = remainingChart({ ...run(timeline, 10_000), waits }).toString();
  assert.equal(attribute(svg, 'line', 'd'), ['M48,28H374V76']);
  assert.equal([attribute(svg, 'wait', 'x'), attribute(svg, 'wait', 'width')], [['113.2'], ['97.8']]);
  assert.equal(attribute(svg, 'limit', 'y1'), ['28']);
});

test('a long run is drawn by its lowest points, in a few thousand characters', () => {
  const timeline = Array.from({ length: 20_000 }, (_, at) =>
    row(at, { limit: 20_000, remaining: at === 10_000 ? 0 : 20_000 - at }),
  );
  const svg = remainingChart(run(timeline, 20_000)).toString();
  const [path = ''] = attribute(svg, 'line', 'd');
  assert.ok(path.length < 10_000);
  assert.match(path, /V124H/);
});

test('a run of no time and a limit of nothing are drawn without a stumble', () => {
  const svg = remainingChart(run([row(0, { limit: 0, remaining: 0, durationMs: 0 })], 0)).toString();
  assert.not.match(svg, /NaN|Infinity/);
});

test('an axis has round steps, at least one and no more than asked for', () => {
  assert.equal(ticksTo(60, 3), [0, 20, 40, 60]);
  assert.equal(ticksTo(1, 3), [0, 0.5, 1]);
  assert.equal(ticksTo(7_300, 6), [0, 2_000, 4_000, 6_000]);
});

test('durations have the unit that suits them', () => {
  assert.equal([0, 5, 999, 1_000, 12_345, 120_000].map(durationInWords), [
    '0',
    '5 ms',
    '999 ms',
    '1 s',
    '12.3 s',
    '2 min',
  ]);
});

test.run();
