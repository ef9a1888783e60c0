/** The native verifier's output is read into results with readable messages. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { environmentOf, readOutcome } from '../verify/verifier.ts';

const result = { description: 'it', result: 'error', pending: true };

function messagesOf(mismatch: unknown): readonly string[] | undefined {
  return readOutcome(JSON.stringify({ interactionResults: [{ ...result, mismatch }] })).results[0]?.messages;
}

test('a result has the description of the pact, and whether it passes or is pending', () => {
  const { results, errors } = readOutcome(JSON.stringify({ interactionResults: [result, { result: 'OK' }, 5] }));
  assert.equal(results, [
    { description: 'it', isPass: false, isPending: true, messages: [] },
    { description: '', isPass: true, isPending: false, messages: [] },
  ]);
  assert.equal(errors, []);
});

test('a difference names its place once, without colours', () => {
  const mismatches = [
    { mismatch: 'Expected \x1b[1m\x1b[31m7\x1b[0m but got 8', path: '$.id' },
    { mismatch: 'Expected header Retry-After', key: 'Retry-After' },
    { mismatch: 'Expected 200', path: '' },
  ];
  assert.equal(messagesOf({ mismatches }), [
    '$.id: Expected 7 but got 8',
    'Expected header Retry-After',
    'Expected 200',
  ]);
});

test('at most twenty differences are shown', () => {
  const many = (count: number) => Array.from({ length: count }, (_one, at) => ({ mismatch: `difference ${at}` }));
  assert.is(messagesOf({ mismatches: many(20) })?.length, 20);
  assert.equal(messagesOf({ mismatches: many(23) })?.slice(19), ['difference 19', 'and 3 more']);
});

test('a mismatch without differences gives its message, or says that there is none', () => {
  assert.equal(messagesOf({ message: 'no connection' }), ['no connection']);
  assert.equal(messagesOf({}), ['the verifier gives no reason']);
});

test('errors without an interaction are reported, and text that is not JSON is an error', () => {
  const errors = [
    { mismatch: { message: 'the pact cannot be read' } },
    { mismatch: { mismatches: [{ mismatch: 'of an interaction' }] } },
  ];
  assert.equal(readOutcome(JSON.stringify({ errors })).errors, ['the pact cannot be read']);
  assert.equal(readOutcome('panicked'), { results: [], errors: ['panicked'] });
  assert.equal(readOutcome('[]'), { results: [], errors: [] });
});

test("the verifier's process gets only needed variables, one certificate, and none of our keys", () => {
  const ours = { PATH: '/bin', PETSTORE_API_KEY: 'secret', HTTPS_PROXY: 'http://p:s@x', SSL_CERT_FILE: '/etc/all.pem' };
  assert.equal(environmentOf(ours, '/tmp/x/one.pem'), {
    PATH: '/bin',
    SSL_CERT_FILE: '/tmp/x/one.pem',
    SSL_CERT_DIR: '/tmp/x',
    NO_PROXY: '127.0.0.1',
    PACT_DO_NOT_TRACK: 'true',
  });
});

test.run();
