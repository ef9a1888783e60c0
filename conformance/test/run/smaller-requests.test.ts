/** Smaller requests in place of one that fails: a plain animal, the part of a name that changed, one value at a time. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { trialSettings } from '../../proof/trial.ts';
import { isSmall, smallerSteps } from '../../run/smaller-requests.ts';
import { stepOf } from '../../verdict/counterexample.ts';
import type { Settings } from '../../world/settings.ts';
import { exchangeOf } from './hand-made.ts';

function stepWith(body: string | undefined, target = '/pets') {
  const step = stepOf(exchangeOf(1));
  const request = { method: 'POST', target, headers: {} };
  return { ...step, request: body === undefined ? request : { ...request, body } };
}

/** The bodies of the smaller requests, where animals came back with these names. */
function smaller(body: string | undefined, received: readonly string[] = [], changes: Partial<Settings> = {}) {
  return smallerSteps(trialSettings(60, changes), stepWith(body), received).map(({ request }) => request.body);
}

test('a target and a body of ninety characters together are small', () => {
  for (const [target, body, expected] of [
    ['/pets', undefined, true],
    ['/pets', 'x'.repeat(85), true],
    ['/pets', 'x'.repeat(86), false],
    [`/pets/${'7'.repeat(84)}`, undefined, true],
    [`/pets/${'7'.repeat(85)}`, undefined, false],
  ] as const)
    assert.is(isSmall(stepWith(body, target)), expected, `${target} ${body}`);
});

test('a plain animal keeps the types of its required fields, and each value is kept on its own', () => {
  assert.equal(smaller('{"name":"Long name","categoryId":47,"status":"sold"}'), [
    '{"name":"a","categoryId":1}',
    '{"name":"Long name","categoryId":1}',
    '{"name":"a","categoryId":47}',
    '{"name":"a","categoryId":1,"status":"sold"}',
  ]);
  assert.equal(smaller('{"name":7,"categoryId":"x"}'), ['{"name":7,"categoryId":"x"}']);
  assert.equal(smaller('{"name":null,"categoryId":2}'), [
    '{"name":null,"categoryId":1}',
    '{"name":null,"categoryId":2}',
  ]);
  assert.equal(smaller('{"status":"lost"}'), ['{}', '{"status":"lost"}']);
});

test('the step is the same but for its body', () => {
  const step = stepWith('{"name":"Long"}');
  assert.equal(smallerSteps(trialSettings(60), step, [])[0], {
    ...step,
    request: { ...step.request, body: '{"name":"a"}' },
  });
});

test('a body that is no object has none that is smaller', () => {
  for (const body of [undefined, '', '[1]', '"x"', '{"name":']) assert.equal(smaller(body), [], body);
});

test('the part of the name that came back different is tried, and all characters up to it', () => {
  const name = '0123456789abcdefghij';
  const bodies = (received: readonly string[]) => smaller(`{"name":"${name}"}`, received).slice(1, -1);
  assert.equal(bodies([name]), []);
  assert.equal(bodies(['01234567']), ['{"name":"6789abcdef"}', '{"name":"012345678"}']);
  assert.equal(bodies(['x']), ['{"name":"01234567"}', '{"name":"0"}']);
  assert.equal(bodies(['0x']), ['{"name":"012345678"}', '{"name":"01"}']);
  assert.equal(bodies([name, '']), ['{"name":"01234567"}', '{"name":"0"}']);
  // Characters beyond the BMP are kept whole.
  assert.equal(smaller('{"name":"ab😀c"}', ['ab']).slice(1), ['{"name":"ab😀c"}', '{"name":"ab😀"}']);
  assert.equal(smaller('{"name":7}', ['7']), ['{"name":7}']);
});

test('on a shared target the name keeps the tag of the run, and no part of it is sent', () => {
  const shared = { isDisposable: false };
  const own = 'CFklmbcdaab';
  const body = (name: string): string => `{"name":"${name}","categoryId":47}`;
  assert.equal(smaller(body(`x ${own} y`), [own], shared), [
    `{"name":"${own}","categoryId":1}`,
    `{"name":"x ${own} y","categoryId":1}`,
    `{"name":"${own}","categoryId":47}`,
  ]);
  assert.equal(smaller(body('no tag'), ['no'], shared), ['{"name":"no tag","categoryId":1}', body('no tag')]);
});

test.run();
