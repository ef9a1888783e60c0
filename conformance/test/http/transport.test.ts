/** Each error of a connection becomes one reason, in words that help. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { transportErrorOf } from '../../http/transport.ts';

/** The reason and the sentence of an error, without a proxy and with one. */
const sentencesOf = (error: object): readonly string[] =>
  [false, true].map((hasProxy) => {
    const { code, message } = transportErrorOf(error, 70, hasProxy);
    return `${code} ${message}`;
  });

const byProxy = ', by the proxy of the environment';
const authority = ', name the authority to trust by NODE_EXTRA_CA_CERTS=ca.pem';
const noTls = ', no TLS is spoken there: does the address begin with http://?';
const notHttp = ', the response is not well-formed HTTP';

/** Codes of errors → the reason, and what follows the code in its sentence. */
const rows: readonly (readonly [codes: string, reason: string, hint: string])[] = [
  [
    'CERT_HAS_EXPIRED UNABLE_TO_VERIFY_LEAF_SIGNATURE DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED',
    'unreachable',
    authority,
  ],
  ['EPROTO ERR_SSL_WRONG_VERSION_NUMBER', 'unreachable', noTls],
  ['HPE_INVALID_CONSTANT', 'malformed', ''],
  ['HPE_INVALID_CONSTANTS HPE_INVALID_HEADER_TOKEN HPE_INVALID_CHUNK_SIZE', 'broken', notHttp],
  ['ECONNRESET EPROTONOSUPPORT XEPROTO XERR_SSL_A XHPE_A XHPE_INVALID_CONSTANT XENOTFOUND ENOTFOUNDS', 'broken', ''],
];

test('a code of node, OpenSSL or llhttp says why there is no response', () => {
  for (const [codes, reason, hint] of rows) {
    for (const code of codes.split(' ')) {
      const sentence = `${reason} ${code}${hint}`;
      assert.equal(sentencesOf({ code }), [sentence, sentence]);
    }
  }
  assert.is(sentencesOf({})[0], 'broken unreadable response');
});

test('where the address cannot be reached, a proxy may be the reason', () => {
  const codes = 'ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ERR_PROXY_TUNNEL ERR_PROXY_INVALID_CONFIG';
  for (const code of codes.split(' ')) {
    assert.equal(sentencesOf({ code }), [`unreachable ${code}`, `unreachable ${code}${byProxy}`]);
  }
});

test('what takes too long, or is too much, is named with its bound', () => {
  assert.equal(sentencesOf({ name: 'AbortError' })[0], 'timeout no complete response within 70 ms');
  assert.equal(sentencesOf({ type: 'max-size' })[0], 'too-large a body of more than 8388608 bytes');
  assert.is(transportErrorOf({ type: 'max-size' }, 70, false, 5).message, 'a body of more than 5 bytes');
});

test.run();
