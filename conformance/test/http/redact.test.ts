/** No text that is shown holds a secret, in whichever form a target echoes it. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createMask } from '../../http/mask.ts';
import { redactBody, redactor } from '../../http/redact.ts';
import {
  hideInUrls,
  isSecretName,
  keysInEnvironment,
  secretsInEnvironment,
  secretsInHeaders,
  secretsInQuery,
} from '../../http/secret-names.ts';
import { encodings, escapesOfJson } from '../encodings.ts';
import { fc } from '../properties.ts';
import { exchangeOf } from '../run/hand-made.ts';

const key = 'Ab+c/D==x9-Z_4711q';

test('a key is hidden whole in texts and in JSON, however it is echoed', () => {
  for (const [encoding, encode] of Object.entries({ ...encodings, ...escapesOfJson })) {
    const echo = encode(key);
    const whole = redactor(['another-key-4711', key])(`<${echo}> ${echo}`);
    // Base64 of other text around the key discloses nothing of it.
    const mayLeave = /base64 (with|as a|within|and)/.test(encoding);
    if (encoding in encodings && !mayLeave) assert.match(whole, /^<(\[key\])+> (\[key\])+$/);
    const shown = redactBody(`{"${echo}":1,"list":[[{"deep":"is ${echo}."}]],"id":7.0}`, redactor([key]));
    assert.equal(Object.values(JSON.parse(shown)).length, 3);
    const pattern = mayLeave
      ? /^\{"[^"]*\[key\][^"]*":1,.*"id":7.0/
      : /^\{"(\[key\])+":1,"list":\[\[\{"deep":"is (\[key\])+\."\}\]\],"id":7.0/;
    assert.match(shown, pattern, encoding);
    assert.not.ok(shown.includes(echo), shown);
  }
});

test('what is left of base64 around a key does not depend on the key', () => {
  // As long as each other.
  const [one, other] = ['Some-Key-4711-abcde', '0ther/Key+zyxw_9876'] as const;
  for (let before = 0; before < 12; before += 1) {
    const shown = (secret: string): string =>
      redactor([secret])(Buffer.from(`${'u'.repeat(before)}${secret}:more text`).toString('base64'));
    assert.is(shown(one), shown(other));
    assert.match(shown(one), '[key]');
  }
});

test('keys of every length are found together, wherever they begin and whatever stands around them', () => {
  const keys = [key, 'Sh0rt-4711', 'naïve-clé-4711', 'Sh0rt-4711-and-more', '%41%42%43%44%45', '&amp;(.*)[x]|'];
  const redact = redactor(keys);
  const around = fc.string({ unit: fc.constantFrom(...'.é İ"{:\n'), maxLength: 60 });
  fc.assert(
    fc.property(fc.constantFrom(...keys), around, around, (one, before, behind) => {
      assert.is(redact(before + one + behind), `${before}[key]${behind}`);
    }),
    { seed: 20261122 },
  );
});

/** Key → text → what is shown of it. */
const texts: readonly (readonly [key: string, text: string, shown: string])[] = [
  // A short key is hidden where it stands alone, and replaces no part of a word.
  ['pen', '{"status":"pending","key":"pen"}', '{"status":"pending","key":"[key]"}'],
  ['Sh0rt-47', 'xSh0rt-47x', 'x[key]x'],
  ['pen', 'a-cGVu-b', 'a-cGVu-b'],
  ...['100% of &amp; \\u00e9 %zz; \\', '{"a":1.0e5}', '', '\ud800 \ud83d'].map((text) => [key, text, text] as const),
  // A key of digits changes no number of JSON.
  ['12345678', '{"id":12345678,"list":[12345678]}', '{"id":12345678,"list":[12345678]}'],
  ['12345678', '{"n":12345678, "t":["a\\"12345678"],"12345678":1.0}', '{"n":12345678, "t":["a\\"[key]"],"[key]":1.0}'],
  ['12345678', '{"id":12345678', '{"id":[key]'],
  ['', 'a, b', 'a, b'],
  // A body that was cut ends within a string, or within an escape of it.
  ['12345678', '{"a":"12345678', '{"a":"[key]'],
  ['12345678', '{"a":"12345678\\u00', '{"a":"[key]'],
  ['12345678', '{"a":"12345678\\', '{"a":"[key]'],
  // Other strings keep their escapes.
  ['12345678', '{"a":"\\u00e9","b":"12345678"}', '{"a":"\\u00e9","b":"[key]"}'],
  // A key of less than five letters is found by chance where a sentence cuts it.
  ['open', 'to o… and ope...', 'to o… and ope...'],
  // Both alphabets of base64, percent-encoded or not.
  ...['YX5+Pj4/P2I+enp+fg==', 'YX5-Pj4_P2I-enp-fg', 'YX5%2BPj4%2fP2I%2benp%2bfg%3D%3D'].map(
    (text) => ['a~~>>??b>zz~~', text, '[key]'] as const,
  ),
];

test('a key is hidden in strings and texts, and in no number and no longer word', () => {
  for (const [secret, text, shown] of texts) assert.is(redactBody(text, redactor([secret])), shown);
});

test('secrets of headers are the value, what follows a scheme, and each cookie, if long enough', () => {
  const basic = Buffer.from('gateway-user:gateway-password').toString('base64');
  const secrets = secretsInHeaders({
    Authorization: `Basic ${basic}`,
    Cookie: 'theme=dark; session=0123456789abcdef',
    'X-Api-Key': 'Token of-a-gateway',
    'X-Tenant': 'some-tenant',
    'X-Passphrase': ' one two red ',
    'X-Request-Origin': 'abcdef0123456789abcdef',
    'X-Mark': '!bcdefg0123456789abcdef',
  });
  const parts = '0123456789abcdef of-a-gateway abcdef0123456789abcdef'.split(' ');
  for (const part of [basic, 'one two red', ...parts]) assert.ok(secrets.includes(part), part);
  for (const word of ['some-tenant', 'dark', '!bcdefg0123456789abcdef']) assert.not.ok(secrets.includes(word), word);
  assert.equal(secretsInHeaders({ 'x-api-key': '1234567', 'x-token': 'a2345678' }), ['a2345678']);
  // An id or a category may have the same digits.
  assert.equal(secretsInHeaders({ 'x-token': '9007199254740993', Cookie: 'a=-12345678' }), []);
  // What a header names its value by is no part of the secret, and neither are blanks.
  assert.equal(secretsInHeaders({ 'X-Auth': 'Scheme  key=of-a-gateway' }), [
    'Scheme  key=of-a-gateway',
    'key=of-a-gateway',
    'of-a-gateway',
  ]);
  assert.equal(secretsInHeaders({ cookie: 'theme=dark; session= a=0123456789 ; b=' }), ['a=0123456789']);
  // The boundary of a multipart body looks random.
  const boundary = 'Xk3v9Qz1pL7mN2bR8tY4wS6d';
  assert.equal(secretsInHeaders({ 'Content-Type': `multipart/form-data; boundary=${boundary}` }), []);
  assert.equal(secretsInHeaders({ 'Accept-Language': boundary, 'User-Agent': boundary }), []);
  for (const name of ['x-anything', 'X-Content-Type', 'User-Agent-Id'])
    assert.equal(secretsInHeaders({ [name]: boundary }), [boundary], name);
  assert.equal(secretsInQuery('/pets?token=12345678&limit=12345678&key=1234567'), ['12345678']);
  assert.equal(secretsInQuery('token=12345678'), []);
});

test('a value of any header is a secret if it is one long word of letters and digits', () => {
  const secretsIn = (value: string) => secretsInHeaders({ 'x-mark': value });
  for (const value of ['0123456789012345678a', 'a0123456789012345678', '~./0=+-_abcdefghijkl'])
    assert.equal(secretsIn(value), [value]);
  const others = ['a012345678901234567', 'abcdefghijklmnopqrst', '01234567890123456789', 'a0123456789012345678!'];
  for (const value of others) assert.equal(secretsIn(value), [], value);
});

test('a key that is a word of the interface is shown: reports hold it anyway', () => {
  const redact = redactor(['categoryId', 'available', 'Business', 'Sh0rt-4711']);
  assert.is(
    redact('categoryId of an available animal, business, Sh0rt-4711'),
    'categoryId of an available animal, business, [key]',
  );
  const words =
    'id name status code message limit pets /pets v1 /v1 bearer authorization application/json true false null retry-after x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset';
  assert.is(redactor(words.split(' '))(words), words);
});

test('where a sentence cuts a value, no part of a key is left', () => {
  const redact = redactor([key]);
  for (let length = 4; length < key.length; length += 1) {
    assert.is(redact(`received "x${key.slice(0, length)}"…`), 'received "x[key]"…');
    assert.is(redact(`received "x${key.slice(0, length)}...`), 'received "x[key]...');
    assert.is(redact(`received …"${key.slice(-length)} y"`), 'received …"[key] y"');
    const lower = key.slice(0, length).toLowerCase();
    assert.is(redact(`"${lower}…, then "${lower}…`), '"[key]…, then "[key]…');
  }
  assert.is(redact(`a name… ${key.slice(0, 6)}, and more`), `a name… ${key.slice(0, 6)}, and more`);
});

test('the kit takes for keys only the variables that it reads itself', () => {
  const own = { PETSTORE_API_KEY: 'a', PETSTORE_RATE_LIMIT_KEY: 'b', PACT_BROKER_TOKEN: '', PACT_BROKER_PASSWORD: 'd' };
  assert.equal(keysInEnvironment({ ...own, PARTITION_KEY: 'categoryId', API_KEY: 'another-key' }), ['a', 'b', 'd']);
  assert.equal(keysInEnvironment({ PACT_BROKER_TOKEN: 'c' }), ['c']);
});

test('secrets of an environment are in variables whose last word says so, if long enough', () => {
  const secret = 'KEY APIKEY BROKER_TOKEN client_secret DB_PASSWORD PASSWD A_CREDENTIAL CREDENTIALS NPM_AUTH JWT';
  const variables = `${secret} TOKENS KEY_ID AUTHOR`.split(' ').map((name) => [name, `value-of-${name}`]);
  const found = secretsInEnvironment({ ...Object.fromEntries(variables), API_KEY: '1234567' });
  assert.is(found.join(' ').replaceAll('value-of-', ''), secret);
  assert.equal(secretsInEnvironment({ API_KEY: '12345678', TOKEN: '12345678', SECRET: undefined }), ['12345678']);
});

test('names of headers, parameters and fields are recognised as secret', () => {
  const secrets =
    'sig signature X-Signature jwt accessJwt credential session sessionId pwd password apiKey api_key X-Auth-Token Set-Cookie client_secret X-Gateway-Key Proxy-Authorization';
  const others =
    'design signal name code status id categoryId limit message spin X-Request-Id X-Tenant Idempotency-Key idempotencyKey';
  for (const name of secrets.split(' ')) assert.ok(isSecretName(name), name);
  for (const name of others.split(' ')) assert.not.ok(isSecretName(name), name);
});

test('headers with such names and secrets in a Location are hidden', () => {
  const mask = createMask(() => ['12345678']);
  const headers = {
    'set-cookie': 'a=b',
    location: 'https://host/cb?code=abc&id=7',
    'www-authenticate': 'Bearer realm="pets"',
    'proxy-authenticate': 'Basic',
    'x-echo': '12345678',
    'x-12345678': 'x',
  };
  const exchange = { ...exchangeOf(1), response: { status: 302, headers, body: '' } };
  assert.equal(mask.exchange(exchange).response?.headers, {
    'set-cookie': '[secret]',
    location: 'https://host/cb?code=[secret]&id=7',
    'www-authenticate': 'Bearer realm="pets"',
    'proxy-authenticate': 'Basic',
    'x-echo': '[key]',
    'x-[key]': 'x',
  });
});

/** Texts with URLs → what is shown of them. */
const urls: readonly (readonly [text: string, shown: string])[] = [
  ['/back?x=1;access_token=abc', '/back?x=1;access_token=[secret]'],
  ['say key=abc', 'say key=[secret]'],
  ['token=abc&limit=1', 'token=[secret]&limit=1'],
  ['https://user@host/x', 'https://[secret]@host/x'],
  ['see https://user:pass-word@host/x', 'see https://[secret]@host/x'],
  ['git+ssh.2-x://me@host', 'git+ssh.2-x://[secret]@host'],
  ['https://host/a@b', 'https://host/a@b'],
  ['/cb?code=1&state=2', '/cb?code=[secret]&state=[secret]'],
  ['/cb?codes=1&mycode=2&states=3&estate=4', '/cb?codes=1&mycode=2&states=3&estate=4'],
];

test('user information and secret parameters of URLs are hidden, and nothing else', () => {
  for (const [text, shown] of urls) assert.is(hideInUrls(text), shown);
});

test.run();
