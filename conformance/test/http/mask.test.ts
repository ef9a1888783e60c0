/** What leaves the process shows no secret of the sender that it is about, and hides nothing else. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createMask } from '../../http/mask.ts';
import { exchangeOf } from '../run/hand-made.ts';

const ofRun = 'Key-of-the-run';
const ofSender = 'Key-of-the-sender';
/** Texts that are about no exchange may show secrets of the run, and those about an exchange secrets of its sender. */
const mask = createMask((shownBy) => (shownBy.length === 0 ? [ofRun] : shownBy.map(() => ofSender)));

const exchange = exchangeOf(1, {
  request: { method: 'POST', target: `/pets?a=${ofSender}`, headers: {}, body: `{"${ofSender}":"${ofRun}"}` },
  failure: { code: 'broken', message: `${ofSender} and ${ofRun}` },
});

test('a text hides the secrets of the run, or those of the senders of the exchanges that it is about', () => {
  const text = `${ofRun}, ${ofSender}`;
  assert.is(mask.text(text), `[key], ${ofSender}`);
  assert.is(mask.text(text, [exchange]), `${ofRun}, [key]`);
  // Only a text that people read hides the secrets of others in addresses: a body stays as another program needs it.
  assert.is(mask.text('/cb?code=1'), '/cb?code=[secret]');
  assert.is(mask.body(`{"a":"${text} /cb?code=1"}`), `{"a":"[key], ${ofSender} /cb?code=1"}`);
});

test('an exchange hides the secrets of its sender in each of its parts', () => {
  const { request, failure } = mask.exchange(exchange);
  assert.equal(request, { method: 'POST', target: '/pets?a=[key]', headers: {}, body: `{"[key]":"${ofRun}"}` });
  assert.equal(failure, { code: 'broken', message: `[key] and ${ofRun}` });
});

test('of a body that was cut, the end is left out: it may be the beginning of a secret, of which JSON may escape each character', () => {
  const received = { status: 200, headers: {}, body: 'x'.repeat(500) };
  const masking = createMask(() => ['12345678', '123456789012']);
  const shown = (bodyLength?: number): string | undefined => {
    const response = bodyLength === undefined ? received : { ...received, bodyLength };
    return masking.exchange({ ...exchangeOf(1), response }).response?.body;
  };
  assert.is(shown(), 'x'.repeat(500));
  assert.is(shown(700), 'x'.repeat(500 - 6 * 12));
});

test('a header that asks for a credential is shown, unlike one that holds any', () => {
  const shown = ['www-authenticate', 'proxy-authenticate', 'access-control-allow-credentials'];
  const hidden = ['x-www-authenticate', 'www-authenticate-token', 'x-access-control-allow-credentials'];
  const headers = Object.fromEntries([...shown, ...hidden].map((name) => [name, 'a value']));
  const response = { status: 401, headers, body: '' };
  const { headers: masked } = mask.exchange({ ...exchangeOf(1), response }).response!;
  for (const name of shown) assert.is(masked[name], 'a value', name);
  for (const name of hidden) assert.is(masked[name], '[secret]', name);
});

test.run();
