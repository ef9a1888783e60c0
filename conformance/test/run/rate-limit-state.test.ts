/** What one answer teaches about the limit of a client, in whichever order answers come. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../http/exchange.ts';
import {
  createRateLimitState,
  nextWait,
  noteAnswer,
  noteRefusal,
  type RateLimitState,
} from '../../run/rate-limit-state.ts';
import { exchangeOf as handMade } from './hand-made.ts';

const minute = Date.UTC(2026, 10, 22, 12);

interface Answer {
  readonly status?: number;
  /** Undefined for an exchange without an answer. */
  readonly remaining: number | undefined;
  readonly sent: number;
  readonly answered?: number;
}

function exchangeOf({ status = 200, remaining, sent, answered = sent + 1 }: Answer): Exchange {
  const { response: _response, ...unanswered } = handMade(1, { sent, answered, endedAt: minute });
  const limits = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': String(remaining) };
  const headers = { ...limits, 'x-ratelimit-reset': String(minute / 1000 + 60), 'retry-after': '60' };
  return remaining === undefined ? unanswered : { ...unanswered, response: { status, headers, body: '[]' } };
}

function stateAfter(...answers: readonly Answer[]): RateLimitState {
  const state = createRateLimitState();
  for (const answer of answers) {
    if (answer.status === 429) noteRefusal(state, exchangeOf(answer));
    else noteAnswer(state, exchangeOf(answer));
  }
  return state;
}

const waitOf = (state: RateLimitState, now: number) => nextWait('key', state, now);

test('the headers of the request that was sent last count, whichever answer comes last', () => {
  const state = stateAfter({ sent: 5, remaining: 0 }, { sent: 3, remaining: 9 });
  assert.is(state.last?.sent, 5);
  assert.ok((waitOf(state, minute)?.ms ?? 0) > 0);
  assert.is(waitOf(stateAfter({ sent: 3, remaining: 0 }, { sent: 5, remaining: 9 }), minute), undefined);
});

test('a wait for a reset ends at the reset, however long ago its answer came', () => {
  const state = stateAfter({ sent: 1, remaining: 0 });
  assert.is(waitOf(state, minute + 20_000)!.ms, waitOf(state, minute)!.ms - 20_000);
  assert.is(waitOf(state, minute + 61_000), undefined);
});

test('only an answer to a request that was sent after a refusal ends the row of refusals', () => {
  const refused = { status: 429, sent: 1, answered: 10, remaining: 0 };
  assert.is(stateAfter(refused, { sent: 9, remaining: 5 }).refusalsInRow, 1);
  assert.is(stateAfter(refused, { sent: 11, remaining: undefined }).refusalsInRow, 1);
  assert.is(stateAfter(refused, { sent: 11, remaining: 5 }).refusalsInRow, 0);
});

test('refusals of requests that were under way together are one', () => {
  const refused = { status: 429, remaining: 0 };
  assert.is(stateAfter({ ...refused, sent: 1, answered: 10 }, { ...refused, sent: 9, answered: 11 }).refusalsInRow, 1);
  assert.is(stateAfter({ ...refused, sent: 1, answered: 10 }, { ...refused, sent: 12, answered: 13 }).refusalsInRow, 2);
});

test('headers that are empty right after a reset are not waited for again', () => {
  const state = stateAfter({ remaining: 0, sent: 1 });
  assert.ok(waitOf(state, minute) !== undefined);
  assert.is(waitOf(state, minute + 61_000), undefined);
  noteAnswer(state, exchangeOf({ remaining: 0, sent: 3 }));
  assert.is(waitOf(state, minute), undefined);
});

test.run();
