/** The profile of a target: what it chose where the interface is silent, in a form that petstore-server --gaps reads. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { createTwin, gapChoices } from '../../../reference-server/twin/gaps.ts';
import { defined } from '../../../spec/defined.ts';
import { type GapChoices, gaps, type OpenGapId } from '../../../spec/gaps.ts';
import { runInProcess, trialSettings } from '../../proof/trial.ts';
import { reportProfile } from '../../reporters/profile.ts';
import { findService, handleOf, seenOf } from '../../services/index.ts';
import { sampleReport } from './sample-report.ts';

const readGaps = (text: string): Partial<GapChoices> => (parse(text) ?? {}) as Partial<GapChoices>;

/** The line of a gap that a report answers so. */
function lineOf(id: OpenGapId, observed: readonly string[]): string | undefined {
  const gap = { ...sampleReport.gaps[0]!, id, observed };
  return reportProfile({ ...sampleReport, gaps: [gap] })
    .split('\n')
    .find((line) => line.includes(`${id}:`));
}

/** Runs a service with some answers to gaps; returns what is observed of it, and the answers that its profile holds. */
async function profileOf(gaps: Partial<GapChoices>) {
  // Getting an animal is removed on the day of one gap alone.
  const startsAt = 'after-removal' in gaps ? findService('after-removal=gone-410').startsAt : undefined;
  const settings = trialSettings(300, defined({ today: startsAt }));
  const report = await runInProcess(handleOf({ id: 'chosen', gaps }), settings, defined({ startsAt }));
  const observed = new Map<string, string>(report.gaps.map(({ id, observed }) => [id, observed.toSorted().join()]));
  return { observed, written: readGaps(reportProfile(report)) as Readonly<Record<string, string>> };
}

/** What becomes of these answers in a run, in its profile, and in a run of a server with that profile. */
async function roundTrip(chosen: Readonly<Record<string, string>>): Promise<ReadonlyMap<string, string>> {
  const first = await profileOf(chosen);
  const second = await profileOf(first.written);
  const outcomes = Object.entries(chosen).map(([gap, answer]) => {
    const seen = first.observed.get(gap)!;
    if (seen !== seenOf(gap, answer)) return [`${gap}=${answer}`, `observed ${seen || 'nothing'}`] as const;
    if (!Object.hasOwn(first.written, gap)) return [`${gap}=${answer}`, `a comment for ${seen}`] as const;
    return [
      `${gap}=${answer}`,
      second.observed.get(gap) === seen ? 'same' : `then ${second.observed.get(gap)}`,
    ] as const;
  });
  return new Map(outcomes);
}

/** Answers to these hide those to others. */
const hiding = /^(name-limits|known-categories|after-removal)$/;
/** What a run does not show, or a line cannot say: which names are refused. */
const lost: Readonly<Record<string, string>> = {
  'name-limits=at-most-100': 'a comment for refused-400',
  'name-limits=plain-only': 'a comment for refused-400',
  'name-limits=not-empty': 'a comment for refused-400',
  'name-limits=at-most-255': 'a comment for refused-400',
  'name-limits=other-length': 'a comment for refused-400',
};

test('every answer of the server comes back from a run, its profile, and a run of a server with that profile', async () => {
  const byGap = Object.entries(gapChoices).filter(([gap]) => gap !== 'ban');
  const together = byGap.filter(([gap]) => !hiding.test(gap));
  const most = Math.max(...together.map(([, answers]) => answers.length));
  const outcomes = new Map<string, string>();
  for (let at = 0; at < most; at += 1) {
    const chosen = Object.fromEntries(together.map(([gap, answers]) => [gap, answers[at] ?? answers[0]!]));
    for (const [answer, outcome] of await roundTrip(chosen))
      if (outcomes.get(answer) !== 'same') outcomes.set(answer, outcome);
  }
  for (const [gap, answers] of byGap) {
    for (const answer of answers) {
      if (outcomes.get(`${gap}=${answer}`) === 'same') continue;
      for (const [alone, outcome] of await roundTrip({ [gap]: answer })) outcomes.set(alone, outcome);
    }
  }
  assert.equal(Object.fromEntries([...outcomes].filter(([, outcome]) => outcome !== 'same')), lost);
  assert.is(outcomes.size, byGap.flatMap(([, answers]) => answers).length);
});

test('an answer that was not observed is not written, and a comment says what a line cannot', () => {
  const names = '# name-limits: refused-400 (Some names get 400 with an Error). The server can give any, at-most-100, ';
  assert.ok(lineOf('name-limits', ['refused-400'])?.startsWith(names));
  assert.match(
    lineOf('known-categories', ['within-range'])!,
    /^# known-categories: within-range \(Categories within a range/,
  );
  assert.match(
    lineOf('known-categories', ['refused-400'])!,
    /^known-categories: refused-400 # .* The server knows 1 to 10/,
  );
  assert.match(lineOf('id-form', ['sequential-from-elsewhere'])!, /^# id-form: .*the first that was seen is not 1/);
  assert.match(lineOf('page-cap', ['fewer'])!, /^page-cap: fewer # .*"page-cap: fewer 50" holds 50\.$/);
});

test('of several answers the first is chosen that a server can give, and what a stranger wrote stands in no line', () => {
  const line = 'id-form: large # They count down from nearly 2^63. Also observed: rising, negative.';
  assert.is(lineOf('id-form', ['rising', 'large', 'negative']), line);
  const moving =
    'rate-limit-window: minute # The fixed minute. Observed: at-most-a-minute, which no run can tell from it.';
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
