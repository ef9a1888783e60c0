/** The profile of a target: what it chose where the interface is silent, in a form that petstore-server --gaps reads. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { createTwin } from '../../../reference-server/twin/gaps.ts';
import { type GapChoices, gaps, type OpenGapId } from '../../../spec/gaps.ts';
import { reportProfile } from '../../reporters/profile.ts';
import { sampleReport } from './sample-report.ts';

const readGaps = (text: string): Partial<GapChoices> => (parse(text) ?? {}) as Partial<GapChoices>;

/** The line of a gap that a report answers so. */
function lineOf(id: OpenGapId, observed: readonly string[]): string | undefined {
  const gap = { ...sampleReport.gaps[0]!, id, observed };
  return reportProfile({ ...sampleReport, gaps: [gap] })
    .split('\n')
    .find((line) => line.includes(`${id}:`));
}

test('of several answers the first is chosen that a server can give, and what a stranger wrote stands in no line', () => {
  const line = 'id-form: large # They count down from nearly 2^63. Also observed: rising, negative.';
  assert.is(lineOf('id-form', ['rising', 'large', 'negative']), line);
  const moving = 'rate-limit-window: minute # The fixed minute. Also observed: at-most-a-minute.';
  assert.is(lineOf('rate-limit-window', ['at-most-a-minute']), moving);
  assert.is(lineOf('ban', ['x: y\nid-form: large']), '# ban: not observed');
  const text = reportProfile({ ...sampleReport, target: { baseUrl: 'http://x/\nban: none' } });
  assert.is(readGaps(text).ban, undefined);
});

test('the reference server takes every answer that it can give from a profile', () => {
  for (const gap of gaps) {
    const chosen = Object.keys(gap.answers).flatMap((answer) => lineOf(gap.id as OpenGapId, [answer]) ?? []);
    for (const line of chosen) createTwin({ gaps: readGaps(line) });
  }
});

test.run();
