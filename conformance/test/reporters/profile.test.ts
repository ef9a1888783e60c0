/** The profile of a target: what it chose where the interface is silent, in a form that petstore-server --gaps reads. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { createTwin, drawGaps } from '../../../reference-server/twin/gaps.ts';
import type { GapChoices, OpenGapId } from '../../../spec/gaps.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { reportProfile } from '../../reporters/profile.ts';
import type { Report } from '../../verdict/report.ts';
import { sampleReport } from './sample-report.ts';

/** What a run says of a server that chooses so. */
function judge(gaps: Partial<GapChoices>): Promise<Report> {
  return runInProcess(createTwin({ keys: trialKeys, gaps }).handle, trialSettings(300));
}

function readGaps(text: string): Partial<GapChoices> {
  return (parse(text) ?? {}) as Partial<GapChoices>;
}

/** A profile without the line that names the target and the day. */
function choicesIn(report: Report): readonly string[] {
  return reportProfile(report).split('\n').slice(1);
}

test('a server with the profile of another has the same profile', async () => {
  const first = await judge(drawGaps(11));
  const again = choicesIn(await judge(readGaps(reportProfile(first))));
  // Where the first run observed nothing, as behind short pages, the second server has the usual choice.
  const expected = choicesIn(first).map((one, at) => (one.endsWith(': not observed') ? again[at] : one));
  assert.equal(again, expected);
});

/** The line of a gap that a report answers so. */
function lineOf(id: OpenGapId, observed: readonly string[]): string | undefined {
  const gap = { ...sampleReport.gaps[0]!, id, observed };
  return reportProfile({ ...sampleReport, gaps: [gap] })
    .split('\n')
    .find((line) => line.includes(`${id}:`));
}

test('of several answers the first is chosen that a server can give, and what a stranger wrote stands in no line', () => {
  assert.is(
    lineOf('id-form', ['rising', 'large', 'negative']),
    'id-form: large # They count down from nearly 2^63. Also observed: rising, negative.',
  );
  const moving = 'rate-limit-window: minute # The fixed minute. Also observed: at-most-a-minute.';
  assert.is(lineOf('rate-limit-window', ['at-most-a-minute']), moving);
  assert.is(lineOf('ban', ['x: y\nid-form: large']), '# ban: not observed');
  const text = reportProfile({ ...sampleReport, target: { baseUrl: 'http://x/\nban: none' } });
  assert.is(readGaps(text).ban, undefined);
});

test.run();
