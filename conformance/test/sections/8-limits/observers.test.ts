/** What answers with limits show of windows, keys, refusals and bans, and the claim that a reset has passed. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AnswerId, OpenGapId } from '../../../../spec/gaps.ts';
import { rateLimitKey } from '../../../http/credentials.ts';
import { trialSettings } from '../../../proof/trial.ts';
import { claimsOfLimits } from '../../../sections/8-limits/claims.ts';
import { readingsOf } from '../../../sections/8-limits/readings.ts';
import type { Settings } from '../../../world/settings.ts';
import { readWorld } from '../../../world/world.ts';
import {
  animalOf,
  page as bare,
  exchangesOf,
  type HandMadeAnswer,
  observe as observeIn,
  read,
  sessionOf,
} from '../evidence.ts';
import { type Answer, count, handMade, observe, timeline } from './limit-answers.ts';

/** An answer at the start of the run that says which limit applies, and in how many seconds it resets. */
const reading = (limit: number, reset: number, change: Partial<Answer> = {}): Answer => ({
  at: 0,
  limit,
  remaining: 9,
  reset,
  ...change,
});
const keyless = (limit: number, kind: Answer['kind'] = 'missing'): Answer => reading(limit, 60, { at: 1, kind });

/** Three errors, each between two served requests. */
const withErrors = (step: number) =>
  [9, 8, 7, 6, 5, 4, 3].map((remaining, at) =>
    reading(60, 50 + step * at, { at, remaining, ...(at % 2 === 1 && { status: 400 }) }),
  );

/** Three errors that do not count, each between a served request and one with the key in a lenient form, which counts. */
const withErrorsBeforeLenient = [9, 9, 8, 7, 7, 6, 5, 5, 4, 3].map((remaining, at) => {
  const kinds: readonly Partial<Answer>[] = [{}, { status: 400 }, { kind: 'lenient' }];
  return reading(60, 50, { at, remaining, ...kinds[at % 3] });
});

const limitKey = reading(8, 45, { kind: 'rate-limit', at: 1 });
const exceeded = { ...limitKey, status: 429 };
const apiKey = reading(60, 45, { at: 2 });

type Row<Gap extends OpenGapId> = readonly [
  shown: `${AnswerId<Gap>} #${number}` | undefined,
  answers: readonly Answer[],
  settings?: Partial<Settings>,
];
const rows: { readonly [Gap in OpenGapId]?: readonly Row<Gap>[] } = {
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
    ...['limit', 'remaining', 'reset'].map(
      (name): Row<'rate-limit-window'> => [undefined, [reading(60, 600, { [name]: 'many' })]],
    ),
    [undefined, [reading(60, 600, { kind: 'missing' })]],
    // Without Date the clock of the target is unknown.
    [undefined, [reading(60, 600, { dateAhead: 'none' })]],
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
    ['not-counted #2', withErrors(0).map((one, at) => ({ ...one, remaining: 9 - Math.ceil(at / 2) }))],
    ['not-counted #2', withErrorsBeforeLenient],
    [undefined, withErrors(0).map((one, at) => ({ ...one, remaining: at < 4 ? 9 - at : 10 - at }))],
    [undefined, withErrors(0).map((one, at) => ({ ...one, remaining: 9 - 3 * at }))],
    [undefined, withErrors(0).map((one, at) => ({ ...one, limit: 60 + at }))],
    [undefined, withErrors(0).map((one) => ({ ...one, status: 400 }))],
    [undefined, withErrors(0).map((one, at) => ({ ...one, ...(at % 4 === 2 && { status: 405 }) }))],
    [undefined, withErrors(0).map((one) => ({ ...one, status: 200 }))],
    // A router may answer before anything is counted.
    [undefined, withErrors(0).map((one) => ({ ...one, ...(one.status === 400 && { operation: 'other' }) }))],
  ],
  'limit-scope': [
    ['per-key #3', [limitKey, exceeded, apiKey]],
    ['shared #3', [limitKey, exceeded, { ...apiKey, status: 429 }]],
    [undefined, [limitKey, exceeded, { ...apiKey, status: 404 }]],
    [undefined, [apiKey, limitKey, exceeded]],
    [undefined, [limitKey, exceeded, { ...apiKey, kind: 'missing' }]],
    [undefined, [limitKey, apiKey]],
  ],
  ban: [
    ['banned-401 #3', [limitKey, exceeded, { ...limitKey, status: 401 }]],
    ['banned-403 #4', [limitKey, exceeded, apiKey, { ...limitKey, status: 403 }]],
    ['banned-403 #4', [limitKey, exceeded, { ...limitKey, isBroken: true }, { ...limitKey, status: 403 }]],
    ['banned-401 #4', [limitKey, exceeded, exceeded, { ...limitKey, status: 401 }]],
    [undefined, [limitKey, exceeded, limitKey, { ...limitKey, status: 401 }]],
    [undefined, [limitKey, { ...limitKey, status: 401 }, exceeded, exceeded]],
    [undefined, [limitKey, exceeded, { ...apiKey, status: 401 }]],
    [undefined, [429, 401].map((status) => ({ ...apiKey, status }))],
  ],
  'retry-after-form': [
    ...['1', ' 20'].map(
      (retryAfter): Row<'retry-after-form'> => ['seconds #2', [limitKey, { ...exceeded, retryAfter }]],
    ),
    ['http-date #1', [{ ...exceeded, retryAfter: 'Sat, 21 Nov 2026 12:00:50 GMT' }]],
    [undefined, [{ ...exceeded, retryAfter: 'soon' }]],
    [undefined, [{ ...limitKey, retryAfter: 1 }]],
  ],
};

test('the window of a limit, and the limit without a key, are observed', () => {
  for (const [gap, cases] of Object.entries(rows) as [OpenGapId, readonly Row<OpenGapId>[]][])
    for (const [shown, ...asked] of cases) assert.is(observe(gap, ...asked), shown, JSON.stringify(asked));
});

test('readings come in the order in which their requests were sent', () => {
  const [first, second] = handMade([reading(60, 45), reading(100, 45)]);
  const answers = [
    { ...first!, events: [3, 4] as const },
    { ...second!, events: [1, 2] as const },
  ];
  const world = readWorld(exchangesOf(answers), trialSettings(60));
  assert.equal(
    readingsOf(world, 'valid').map(({ limit }) => limit),
    [100, 60],
  );
  assert.equal(readingsOf(world, 'rate-limit', 'missing'), []);
});

const theirs = (one: HandMadeAnswer): HandMadeAnswer => ({ ...one, credential: rateLimitKey('Key-2') });

test('keys share their animals if one lists what the other has listed before', () => {
  const [one, other] = [animalOf(1), animalOf(2)];
  for (const [shown, ...answers] of [
    ['shared #2', bare('', one, other), theirs(bare('', one))],
    ['per-key #2', bare('', one), theirs(bare(''))],
    [undefined, bare('', one), theirs(bare('', other))],
    [undefined, bare('', one), theirs(bare('status=sold'))],
    [undefined, read(1, one), theirs(bare('', one))],
    [undefined, bare(''), theirs(bare(''))],
    [undefined, theirs(bare('', one)), bare('', one)],
    [undefined, theirs(bare('')), bare('', one)],
    [undefined, bare('', one), theirs({ ...bare(''), status: 500 })],
    [undefined, bare('', one), bare('', one)],
  ] as readonly (readonly [`${AnswerId<'key-scope'>} #${number}` | undefined, ...HandMadeAnswer[]])[])
    assert.is(observeIn('key-scope', answers), shown);
});

test('a refusal has a body of some form', () => {
  for (const [shown, body, type] of [
    ['error', '{"code":"c","message":"m","status":429}'],
    ['other-json', '{"error":"no"}'],
    ['empty', ''],
    ['html', '<p>No', 'text/plain'],
    ['html', ' \n<p>No', 'text/plain'],
    ['html', 'No', 'Text/HTML'],
    ['text', 'No <3', 'text/plain'],
    ['text', '3<4', 'text/plain'],
  ] as const) {
    const headers = type === undefined ? {} : { 'content-type': type };
    const answers = [bare(''), { ...bare(''), status: 429, body, headers }];
    assert.is(observeIn('too-many-requests-body', answers), `${shown} #2`, body);
  }
});

test('that a reset has passed and nothing was reset is a claim after twenty answers that say so', async () => {
  const passed = (length: number, change: Partial<Answer> = {}) =>
    timeline(count(9, length, 0)).map((answer, at) => ({ ...answer, reset: 1, ...(at === 7 && change) }));
  const claimed = (answers: readonly Answer[]) => claimsOfLimits(sessionOf(handMade(answers), []).session).length;
  assert.equal([passed(20), passed(19), passed(20, { reset: 2 }), passed(20, { reset: 0 })].map(claimed), [1, 0, 0, 0]);
  assert.is(claimed(passed(20).map((answer) => ({ ...answer, at: 0.5 }))), 0);
  assert.is(claimed([]), 0);
  for (const [sight, reset] of Object.entries({ stands: 1, settled: 60 })) {
    const next = handMade([...passed(20), { ...passed(1)[0]!, at: 2, reset }]).slice(20);
    const { session } = sessionOf(handMade(passed(20)), next);
    const [claim] = claimsOfLimits(session);
    const look = await claim!.look(session, 'first');
    assert.is(look.sight, sight);
    assert.equal([claim!.cost, claim!.takesTime, claim!.failures(1)], [1, true, []]);
    assert.equal([claim!.requirement, claim!.key], ['rate-reset-header', 'reset']);
    if (look.sight === 'stands') assert.is(look.claim.key, claim!.key);
  }
});

test.run();
