/** The meters of many clients: each counts on its own, and a meter goes when it can remember nothing any more. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { choices } from '../choices.ts';
import { createMeter, createMeters, type RateLimitReading } from '../rate-limit.ts';

const test = suite('rate-limit');

const minute = 60_000;
const day = 86_400_000;
const noon = Date.UTC(2026, 10, 21, 12);
const rules = choices['rate-limit-window'].tightest;
const limits = { perMinute: 60, perDay: 1_000 };

/** Meters of clients, and how many of them were created so far. */
function open(most = Number.POSITIVE_INFINITY, windowMs = minute) {
  let made = 0;
  const count: (client: string, now: number) => RateLimitReading = createMeters(
    () => {
      made += 1;
      return createMeter(limits, windowMs, 10, rules);
    },
    windowMs,
    most,
  );
  return { count, made: () => made };
}

test('a hundred thousand clients are counted separately', () => {
  const { count } = open();
  for (let at = 0; at < 100_000; at += 1) count(`client ${at}`, noon);
  assert.is(count('client 0', noon).remaining, 58);
  assert.is(count('client 99999', noon + 1).remaining, 58);
});

test('a client that keeps asking keeps its meter', () => {
  const { count, made } = open();
  for (let hour = 0; hour < 48; hour += 1) count('busy', noon + (hour * day) / 24);
  assert.is(made(), 1);
});

test('a client that comes back within a day is still counted, and starts anew after it', () => {
  const { count, made } = open();
  const evening = noon + 11 * 60 * minute;
  for (let sent = 0; sent < 60; sent += 1) count('client', evening);
  assert.is(count('client', evening).until, evening + minute);
  assert.is(count('client', evening + 90 * minute).remaining, 59);
  assert.is(made(), 1);
  assert.is(count('client', noon + 3 * day).remaining, 59);
  assert.is(made(), 2);
});

test('a ban outlasts the period in which it began', () => {
  const { count } = open();
  const midnight = Date.UTC(2026, 10, 22);
  const before = midnight - 1;
  for (let sent = 0; sent < 70; sent += 1) count('client', before);
  assert.is(count('client', midnight).until, midnight + minute);
  assert.is(count('client', midnight + minute).until, undefined);
});

test('beyond twice the greatest number the clients that have been away longest start anew', () => {
  const { count, made } = open(100);
  count('old', noon);
  for (let at = 0; at < 99; at += 1) count(`client ${at}`, noon);
  count('next', noon);
  assert.is(count('client 98', noon).remaining, 58);
  assert.is(count('old', noon).remaining, 58);
  for (let at = 0; at < 200; at += 1) count(`other ${at}`, noon);
  assert.is(made(), 301);
  assert.is(count('old', noon).remaining, 59);
  assert.is(made(), 302);
});

test('a meter with a window longer than half a day is kept as long as a ban can last', () => {
  const { count, made } = open(Number.POSITIVE_INFINITY, day);
  count('client', noon);
  count('client', noon + 2 * day);
  assert.is(made(), 1);
});

test.run();
