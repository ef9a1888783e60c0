/** Which names the target accepts, and which lengths would settle the maximum. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { trialSettings } from '../../../proof/trial.ts';
import { lengthsToAsk } from '../../../sections/2-resources/name-observers.ts';
import { creationsOf } from '../../../sections/4.2-create-pet/observers.ts';
import { readHistory } from '../../../verdict/history.ts';
import { exchangeOf } from '../../run/hand-made.ts';
import { accepted, answer, creation, observe, type PartialExchange } from '../observer-evidence.ts';

const refused = (name: string, status = 400, body?: string): PartialExchange =>
  creation(JSON.stringify({ name, categoryId: 1 }), answer(status, body));
const takes = (name: string, id = 2): PartialExchange => accepted(id, name);

/** The first creation of every run here. */
const tag = accepted(1, 'cf-abcdef-1');
const plain = (length: number): string => 'x'.repeat(length);
const odd = (length: number): string => 'ü'.repeat(length);

const names = (...asked: readonly PartialExchange[]) => observe('name-limits', [tag, ...asked]);

test('any name is accepted where a very long, a special and an empty one are', () => {
  assert.is(names(takes(odd(4_000)), takes('')), 'any #2');
  assert.is(names(takes(odd(4_000)), takes(' \u0000\u200b')), 'any #2');
  assert.is(names(takes(odd(4_000))), undefined);
  assert.is(names(takes(odd(3_999)), takes('')), undefined);
  assert.is(names(takes(plain(4_000))), undefined);
  assert.is(names(), undefined);
});

test('only names without a visible character are refused', () => {
  assert.is(names(takes(odd(4_000)), refused(''), refused('  ')), 'not-empty #3');
  assert.is(names(takes(odd(3_999)), refused('')), undefined);
  assert.is(names(takes(plain(4_000)), refused('')), undefined);
});

test('a maximum is observed where names on both sides of it were tried', () => {
  const bounded = (longest: number, shortest = longest + 1) =>
    names(takes(odd(1)), takes(plain(longest)), refused(plain(shortest)));
  assert.is(bounded(100), 'at-most-100 #4');
  assert.is(bounded(255), 'at-most-255 #4');
  assert.is(bounded(254, 256), undefined);
  assert.is(bounded(255, 257), undefined);
  assert.is(bounded(99, 101), undefined);
  assert.is(bounded(100, 102), undefined);
  assert.is(bounded(60, 70), 'other-length #4');
  assert.is(bounded(101), 'other-length #4');
  assert.is(bounded(99), 'other-length #4');
  assert.is(bounded(256), 'other-length #4');
});

test('length is counted in code points', () => {
  const dog = '\u{1F415}'.repeat(100);
  assert.is(names(takes(dog), refused(plain(101))), 'at-most-100 #3');
});

test('a refused name that is shorter than an accepted one is refused for its characters', () => {
  assert.is(names(takes(odd(50)), refused('\u0000x')), 'some-characters #3');
  assert.is(names(takes(odd(2)), refused('\u0000x')), 'some-characters #3');
  assert.is(names(takes(odd(11)), takes(plain(12)), refused(`\u0000${plain(13)}`)), undefined);
});

test('plain names of up to thirty characters are observed apart from other characters', () => {
  assert.is(names(takes(plain(30)), refused(plain(31)), refused(odd(5))), 'plain-only #3');
  assert.is(names(takes('A-b 9'.padEnd(30, 'x')), refused(plain(31)), refused('a.b')), 'plain-only #3');
  assert.is(names(takes(plain(30)), refused(plain(32)), refused(odd(5))), undefined);
  assert.is(names(takes(plain(40)), refused(plain(41)), refused(odd(5))), 'some-characters #3');
  assert.is(names(takes(plain(4_000)), refused(odd(5))), 'some-characters #3');
  assert.is(names(takes(plain(3_999)), refused(odd(5))), undefined);
});

test('another status of the refusal is the answer', () => {
  assert.is(names(refused('a.b'), refused('c.d', 409)), 'refused-409 #3');
  assert.is(names(refused('a.b', 422)), 'refused-422 #2');
  assert.is(names(refused('a.b', 404)), 'refused-otherwise #2');
  assert.is(names(refused('a.b', 400, '"No."')), 'refused-otherwise #2');
});

test('a refusal counts only where the name is its only possible reason', () => {
  for (const status of [401, 413, 500, 302]) {
    assert.is(names(takes(odd(4_000)), takes(''), refused('a.b', status)), 'any #2', String(status));
  }
  const more = creation('{"name":"a.b","categoryId":1,"age":3}', answer(400));
  const namesake = refused('cf-abcdef-1');
  const category = creation('{"name":"cf-abcdef-4","categoryId":88}', answer(400));
  assert.is(names(takes(odd(4_000)), takes(''), more, namesake, category), 'any #2');
});

test('the example is a refused name with visible characters, else any refused one, else the longest', () => {
  assert.is(names(refused(''), takes(plain(60)), takes(odd(1)), refused(plain(70))), 'other-length #5');
  assert.is(names(takes(''), takes(odd(4_000), 3), takes(odd(5_000), 4)), 'any #3');
});

function lengths(...asked: readonly PartialExchange[]): readonly number[] {
  const exchanges = [tag, ...asked].map((part, at) => exchangeOf(at + 1, part));
  return lengthsToAsk(creationsOf(readHistory(exchanges, trialSettings(60))));
}

test('lengths are asked for where a plain name was refused, and only unsettled ones', () => {
  assert.equal(lengths(refused(plain(4_000))), [30, 100, 255]);
  assert.equal(lengths(takes(plain(30)), refused(plain(4_000))), [30, 100, 255]);
  assert.equal(lengths(takes(plain(31)), refused(plain(4_000))), [100, 255]);
  assert.equal(lengths(takes(plain(100)), refused(plain(255))), [100]);
  assert.equal(lengths(takes(plain(100)), refused(plain(101))), []);
  assert.equal(lengths(takes(plain(99)), refused(plain(101))), [100]);
  assert.equal(lengths(takes(plain(255)), refused(plain(257))), [255]);
  assert.equal(lengths(takes(plain(60)), refused(plain(70))), []);
  assert.equal(lengths(refused(odd(4_000))), []);
  assert.equal(lengths(refused(odd(40)), refused(plain(4_000))), [30, 100, 255]);
  assert.equal(lengths(takes(plain(4_000))), []);
});

test.run();
