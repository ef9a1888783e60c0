/** Quotas that a run counts itself: of the plan for the key, of --rate and of refusals for every request. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noKey, rateLimitKey, validKey } from '../../http/credentials.ts';
import { trialSettings } from '../../proof/trial.ts';
import { createQuotas, type Quota } from '../../run/quotas.ts';
import type { Settings } from '../../world/settings.ts';

const key = validKey('Counted-Key-4711').shown;
const refused = 'more requests would be refused';
const ofUser = { why: 'more requests would exceed --rate', isOfUser: true };

/** The holds of the next request with the key, after requests at these seconds. */
function holdsAfter(seconds: readonly number[], settings: Partial<Settings>, learned?: Quota, credential = key) {
  const quotas = createQuotas(trialSettings(60, settings), () => learned);
  for (const second of seconds) quotas.noteSent(credential, 1_000 * second);
  return quotas.holds(key).map((hold) => ({ ...hold, until: hold.until / 1_000 }));
}

const never = Number.NEGATIVE_INFINITY;

test('without a known limit nothing is held back', () => {
  assert.equal(holdsAfter([1, 2, 3], {}), []);
});

test('a learned quota has room when as many requests as it allows are old enough', () => {
  const learned = { most: 2, ms: 5_000 };
  assert.equal(holdsAfter([7], {}, learned), [{ until: never, why: refused }]);
  assert.equal(holdsAfter([7, 8, 9], {}, learned), [{ until: 13, why: refused }]);
  assert.equal(holdsAfter([7, 8, 9], {}, learned, noKey.shown), [{ until: 13, why: refused }]);
});

test('the plan bounds the requests of a minute with the key', () => {
  const minute = Array.from({ length: 60 }, (_nothing, at) => 100 + at / 100);
  assert.equal(holdsAfter(minute.slice(1), { plan: 'free' }), [{ until: never, why: refused }]);
  assert.equal(holdsAfter(minute, { plan: 'free' }), [{ until: 160, why: refused }]);
  for (const { shown } of [noKey, rateLimitKey('Other-Key-4711')])
    assert.equal(holdsAfter(minute, { plan: 'free' }, undefined, shown), [{ until: never, why: refused }]);
  assert.equal(holdsAfter(minute, { plan: 'enterprise' }), []);
});

test('the plan holds back no request without its key', () => {
  const quotas = createQuotas(trialSettings(60, { plan: 'free' }), () => undefined);
  assert.equal(quotas.holds(noKey.shown), []);
});

test('--rate bounds the requests of a minute, and sends no more than a second of it at once', () => {
  assert.equal(holdsAfter([7], { ratePerMinute: 2 }), [
    { until: never, ...ofUser },
    { until: 8, ...ofUser },
  ]);
  assert.equal(holdsAfter([7, 8], { ratePerMinute: 2 }, undefined, noKey.shown), [
    { until: 67, ...ofUser },
    { until: 9, ...ofUser },
  ]);
  assert.equal(holdsAfter([7, 7, 7], { ratePerMinute: 121 })[1], { until: 8, ...ofUser });
});

test.run();
