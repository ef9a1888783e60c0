/** The curl line of an exchange sends what was sent, whatever stands in it. */

import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lowerCaseBearer, refusedCredentials } from '../../checks/refused-credentials.ts';
import { noKey, validKey } from '../../engine/credentials.ts';
import { curlOf, quoteForShell } from '../../engine/curl.ts';
import type { Exchange } from '../../engine/exchange.ts';
import { redactor } from '../../engine/redact.ts';

function inShell(words: string, env: Readonly<Record<string, string>> = {}): string {
  return execFileSync('bash', ['--norc', '-c', `printf '%s\\0' ${words}`], {
    env: { LC_ALL: 'C.UTF-8', ...env },
    encoding: 'utf8',
  });
}

test('any text comes through the shell as it is', () => {
  const texts = [
    'plain',
    "it's",
    '$HOME `id` !x "q" \\',
    ' a\n\tb ',
    '🦄 e\u0301 \u202e \u0085 \u2028',
    "\u0007'\\",
    '-n',
    '*',
  ];
  for (const text of texts) assert.is(inShell(quoteForShell(text)), `${text}\0`);
});

const exchange: Exchange = {
  number: 1,
  check: 'a-check',
  operation: 'createPet',
  credential: validKey('The-Real-Key-42').shown,
  request: {
    method: 'POST',
    target: '/pets',
    headers: { 'content-type': 'application/json', 'x-tenant': "o'brien" },
    body: '{"name":"it\'s\\n🦄"}',
  },
  startedAt: 0,
  endedAt: 1,
  sent: 1,
  answered: 2,
};

test('a curl line holds the variable, never the key', () => {
  const line = curlOf(exchange, 'http://host/v1');
  assert.not.match(line, 'The-Real-Key-42');
  const words = inShell(line, { PETSTORE_API_KEY: 'The-Real-Key-42' }).split('\0');
  assert.ok(words.includes('Authorization: Bearer The-Real-Key-42'));
  assert.ok(words.includes(exchange.request.body ?? ''));
  assert.ok(words.includes('http://host/v1/pets'));
  assert.ok(words.includes('content-type: application/json'));
  assert.ok(words.includes("x-tenant: o'brien"));
});

test('the curl line of each refused credential builds it from the key', () => {
  const key = 'The-Real-Key-42';
  for (const credential of [...refusedCredentials(key), lowerCaseBearer(key), noKey]) {
    const line = curlOf({ ...exchange, credential: credential.shown }, 'http://host/v1');
    assert.not.match(line, key);
    const sent = credential.headers['authorization'] ?? '';
    const words = inShell(line, { PETSTORE_API_KEY: key, PATH: process.env['PATH'] ?? '' }).split('\0');
    const isTold = !credential.shown.curl.words.includes('(') || credential.shown.curl.words.includes('$(');
    if (sent.startsWith('Bearer') && isTold) assert.ok(words.includes(`Authorization: ${sent}`), credential.shown.id);
    if (credential.query !== undefined) {
      assert.ok(
        words.some((word) => word.endsWith(`?${credential.query}`)),
        credential.shown.id,
      );
    }
  }
});

test('no refused credential is the real key, whatever the key looks like', () => {
  for (const key of ['a', 'ab', '0000', 'UPPER', 'lower', 'x'.repeat(200), 'a-b_c.d~e', '!!!']) {
    const credentials = refusedCredentials(key);
    assert.ok(credentials.length > 10);
    for (const { headers } of credentials) assert.is.not(headers['authorization'], `Bearer ${key}`);
  }
});

test('every form of a key is redacted, and a short key does not eat words', () => {
  const key = 'k3y+/with=signs';
  const redact = redactor([key]);
  const forms = [
    key,
    encodeURIComponent(key),
    Buffer.from(key).toString('base64'),
    key.toUpperCase(),
    key.slice(0, -1),
  ];
  for (const form of forms) assert.not.match(redact(`before ${form} after`).toLowerCase(), form.toLowerCase());
  assert.is(redactor(['pen'])('{"status":"pending","key":"pen"}'), '{"status":"pending","key":"[key]"}');
  assert.is(redactor([])('text'), 'text');
});

test.run();
