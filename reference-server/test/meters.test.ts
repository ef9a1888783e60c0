/** Meters of many clients: each counts for itself, and those that remember nothing any more are given up. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { choices } from '../choices.ts';
import { createMeters, type Meters } from '../meters.ts';
import { createMeter, memoryOfMeter } from '../rate-limit.ts';

const test = suite('meters');

const minute = 60_000;
const day = 86_400_000;
const noon = Date.UTC(2026, 10, 21, 12);
const rules = choices['rate-limit-window'].tightest;
const limits = { perMinute: 60, perDay: 1_000 };

function open(most = Number.POSITIVE_INFINITY): Meters<string> & { readonly made: () => number } {
  let made = 0;
  const meters = createMeters<string>(
    () => {
      made += 1;
      return createMeter(limits, minute, 10, rules);
    },
    memoryOfMeter(minute),
    most,
  );
  return { ...meters, made: () => made };
}

test('a hundred thousand clients are counted apart', () => {
  const { count, size } = open();
  for (let at = 0; at < 100_000; at += 1) count(`client ${at}`, noon);
  assert.is(size(), 100_000);
  assert.is(count('client 0', noon).remaining, 58);
  assert.is(count('client 99999', noon + 1).remaining, 58);
});

test('clients that ask no more give their memory back, and the one that asks on stands where it stood', () => {
  const { count, size, made } = open();
  for (let at = 0; at < 1_000; at += 1) count(`idle ${at}`, noon);
  for (let hour = 0; hour < 48; hour += 1) count('busy', noon + (hour * day) / 24);
  assert.is(size(), 1);
  assert.is(made(), 1_001);
});

test('whoever comes back within a day is still counted, and has a new day after it', () => {
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

test('beyond the most of two periods, those who have been away for the longest start anew', () => {
  const { count, size } = open(100);
  count('old', noon);
  for (let at = 0; at < 99; at += 1) count(`client ${at}`, noon);
  count('next', noon);
  assert.is(count('client 98', noon).remaining, 58);
  assert.is(count('old', noon).remaining, 58);
  for (let at = 0; at < 200; at += 1) count(`other ${at}`, noon);
  assert.is(count('old', noon).remaining, 59);
  assert.ok(size() <= 200, `${size()} are held`);
});

test('a window longer than half a day is remembered as long as a ban of it may last', () => {
  assert.is(memoryOfMeter(minute), day);
  assert.is(memoryOfMeter(day), 2 * day);
});

test.run();
