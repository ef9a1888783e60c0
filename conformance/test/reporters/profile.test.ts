/** The profile of a target: what it chose where the interface is silent, in a form that petstore-server --gaps reads. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { createTwin, drawGaps } from '../../../reference-server/twin/gaps.ts';
import type { GapChoices } from '../../../spec/gaps.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { reportProfile } from '../../reporters/profile.ts';
import type { Report } from '../../verdict/report.ts';

/** What a run says of a server that chooses so. */
function judge(gaps: Partial<GapChoices>): Promise<Report> {
  return runInProcess(createTwin({ keys: trialKeys, gaps }).handle, trialSettings(600));
}

function readGaps(text: string): Partial<GapChoices> {
  return (parse(text) ?? {}) as Partial<GapChoices>;
}

/** A profile without the line that names the target and the day. */
function choicesIn(report: Report): readonly string[] {
  return reportProfile(report).split('\n').slice(1);
}

/** Choices of a server, and the pattern of a line in its profile. */
const servers: readonly (readonly [gaps: Partial<GapChoices>, line: RegExp])[] = [
  [drawGaps(11), /^/],
  [{ 'list-order': 'newest-first', 'status-omitted': 'sold' }, /^status-omitted: sold # It is sold\.$/m],
  [{ 'known-categories': 'refused-400' }, /^known-categories: refused-400 #/m],
  // The longest name of the run that was accepted: which lengths are drawn depends on the requests before.
  [{ 'name-limits': 'other-length 64' }, /^name-limits: other-length (?:5[5-9]|6[0-4]) #/m],
  [{ 'page-cap': 'fewer 25' }, /^page-cap: fewer 25 #/m],
  [{ 'rate-limit-window': 'minute 500' }, /^rate-limit-window: minute 500 #/m],
];

for (const [gaps, line] of servers) {
  test(`a server with the profile of ${JSON.stringify(gaps).slice(0, 60)} has the same profile`, async () => {
    const first = await judge(gaps);
    assert.match(reportProfile(first), line);
    const again = choicesIn(await judge(readGaps(reportProfile(first))));
    // Where the first run observed nothing, as behind short pages, the second server has the usual choice.
    const expected = choicesIn(first).map((one, at) => (one.endsWith(': not observed') ? again[at] : one));
    assert.equal(again, expected);
  });
}

const report = await judge({ 'status-omitted': 'sold', 'other-operations': 'refused-404' });

test('a line has the answer and its meaning; an answer that was not observed, or that no server can give, is a comment', () => {
  const text = reportProfile(report);
  assert.match(
    text,
    /^# The answers of http:\/\/in-process\/v1 to the gaps of the interface, observed on 2026-11-21\.$/m,
  );
  assert.match(text, /^status-omitted: sold # It is sold\.$/m);
  assert.match(text, /^rate-limit-window: minute 1000 # The fixed minute\. Also observed: at-most-a-minute\.$/m);
  assert.match(text, /^# after-removal: not observed$/m);
  assert.not.match(text, 'store-orders');
});

test('of several answers the first is chosen that a server can give', () => {
  const withAnswers = (...observed: readonly string[]) =>
    reportProfile({
      ...report,
      gaps: report.gaps.map((gap) => (gap.id === 'id-form' ? { ...gap, observed } : gap)),
    });
  assert.match(
    withAnswers('rising', 'large', 'negative'),
    /^id-form: large # They count down from 2\^63 - 1\. Also observed: rising, negative\.$/m,
  );
});

test('a size that a stranger wrote into a report stands in no line', () => {
  const odd = (id: string, observed: string, size: string) =>
    reportProfile({
      ...report,
      gaps: report.gaps.map((gap) => (gap.id === id ? { ...gap, observed: [observed], size } : gap)),
    });
  assert.match(odd('page-cap', 'fewer', '5\nban: none'), /^page-cap: fewer # /m);
  assert.match(odd('list-order', 'newest-first', '5'), /^list-order: newest-first # /m);
});

test('the profile is YAML to every reader, whatever a target is called', () => {
  const text = reportProfile({ ...report, target: { baseUrl: 'http://x/\nban: none' } });
  assert.equal(parse(text), { ...readGaps(text) });
  const odd = report.gaps.map((gap) => (gap.id === 'ban' ? { ...gap, observed: ['x: y\nid-form: large'] } : gap));
  assert.match(reportProfile({ ...report, gaps: odd }), /^# ban: not observed$/m);
  assert.is(readGaps(text).ban, undefined);
});

test.run();
