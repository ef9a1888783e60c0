/** The observed window of a limit, and the limit without a key. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OpenGapId } from '../../../../spec/gaps.ts';
import type { Settings } from '../../../world/settings.ts';
import { type Answer, observe } from './limit-answers.ts';

/** An answer at the start of the run that says which limit applies, and in how many seconds it resets. */
const reading = (limit: number, reset: number, change: Partial<Answer> = {}): Answer => ({
  ...{ at: 0, limit, remaining: 9, reset },
  ...change,
});
const keyless = (limit: number, kind: Answer['kind'] = 'missing'): Answer => reading(limit, 60, { at: 1, kind });

/** Three errors, each between two served requests. */
const withErrors = (step: number) =>
  [9, 8, 7, 6, 5, 4, 3].map((remaining, at) =>
    reading(60, 50 + step * at, { at, remaining, ...(at % 2 === 1 && { status: 400 }) }),
  );

type Row = readonly [shown: string | undefined, answers: readonly Answer[], settings?: Partial<Settings>];
const rows: Readonly<Partial<Record<OpenGapId, readonly Row[]>>> = {
  'rate-limit-window': [
    ['at-most-a-minute #1', [reading(60, 62)]],
    ['other-length #1', [reading(60, 63)]],
    ['tightest #2', [reading(60, 60), reading(900, 700, { at: 1 })]],
    ['other-length #1', [reading(500, 3_602)]],
    ['day #1', [reading(500, 3_603)]],
    ['day #1', [reading(500, 43_200, { at: 43_200 - 600 })]],
    ['day #1', [reading(1_000, 600)], { plan: 'free' }],
    ['other-length #1', [reading(60, 600)], { plan: 'free' }],
    ['other-length #1', [reading(1_000, 600)]],
    // By the clock of the target or ours.
    ['at-most-a-minute #1', [reading(60, 60, { dateAhead: -30 })]],
    ['at-most-a-minute #1', [reading(60, 640, { dateAhead: 600 })]],
    ...['limit', 'remaining', 'reset'].map((name): Row => [undefined, [reading(60, 600, { [name]: 'many' })]]),
    [undefined, [reading(60, 600, { kind: 'missing' })]],
    ['other-length #1', [reading(60, 600, { kind: 'rate-limit' })]],
  ],
  'rate-limit-without-key': [
    ['free-per-address #2', [reading(300, 60), keyless(60)]],
    ['free-per-address #2', [reading(300, 60), keyless(1_000)]],
    [undefined, [reading(60, 60), keyless(60)]],
    ['same-as-key #2', [reading(1_000, 60), keyless(1_000)]],
    ['same-as-key #2', [reading(300, 60), keyless(300)]],
    ['another #2', [reading(300, 60), keyless(120)]],
    ['zero #2', [reading(300, 60), keyless(0)]],
    [undefined, [reading(300, 60), keyless(120, 'rate-limit')]],
    ['another #1', [keyless(120, 'invalid')]],
    ['another #1', [keyless(120, 'misplaced')]],
  ],
  // A reset that moves on may be that of a bucket, which gives back in between.
  'refused-requests': [
    ['counted #2', withErrors(0)],
    [undefined, withErrors(0).slice(2)],
    [undefined, withErrors(1)],
  ],
};

test('the window of a limit, and the limit without a key, are observed', () => {
  for (const [gap, cases] of Object.entries(rows) as [OpenGapId, readonly Row[]][]) {
    for (const [shown, ...asked] of cases) assert.is(observe(gap, ...asked), shown, JSON.stringify(asked));
  }
});

test.run();
