/** No text that is shown holds a secret, in whichever form a target echoes it. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRecorder } from '../../http/record.ts';
import { redactor } from '../../http/redact.ts';
import { hideSecretFields, redactBody } from '../../http/redact-json.ts';
import { hideInUrls, isSecretName, secretsInHeaders, secretsInQuery } from '../../http/secret-names.ts';
import { unescapeOnce } from '../../http/unescape.ts';
import { encodings } from '../encodings.ts';

const key = 'Ab+c/D==x9-Z_4711q';

/** The rest of a text without marks, and without characters that belong to an encoding. */
function rest(text: string): string {
  return text.replaceAll('[key]', '').replace(/\\u0000|[\s"\\]|%2522|%22|\0|\u200b/g, '');
}

/** Base64 of other text around the key stays: it discloses nothing of the key. */
const mayLeave = /^in base64 (twice )?(with|as a|within|and)/;

for (const [encoding, encode] of Object.entries(encodings)) {
  test(`a key that is echoed ${encoding} is hidden whole, in texts and in JSON`, () => {
    const redact = redactor([key]);
    const echo = encode(key);
    const left = rest(redact(`<${echo}>`));
    const isOfBase64 = mayLeave.test(encoding) && left.length < 40;
    if (!isOfBase64) assert.is(left, '<>');
    const body = JSON.stringify({ [echo]: 1, list: [[{ deep: echo }]], id: 7 });
    const shown = redactBody(body, redact);
    assert.is(JSON.parse(shown).id, 7);
    assert.not.ok(shown.includes(JSON.stringify(echo).slice(1, -1)), shown);
    if (!isOfBase64) assert.is(rest(shown).replace(/[{}[\]:,]/g, ''), '1listdeepid7');
  });
}

test('the encodings are at least thirty', () => {
  assert.ok(Object.keys(encodings).length >= 30);
});

test('base64 of a key is found in another case, as a whole and within a longer text', () => {
  const redact = redactor(['Some-Key-4711']);
  for (const text of ['Some-Key-4711', 'user:Some-Key-4711:more']) {
    const encoded = Buffer.from(text).toString('base64');
    for (const written of [encoded, encoded.toLowerCase(), encoded.toUpperCase()]) {
      assert.match(redact(written), '[key]');
      assert.not.match(
        redact(written).toLowerCase(),
        Buffer.from('me-Key-47').toString('base64').slice(1).toLowerCase(),
      );
    }
  }
});

test('what is left of base64 around a key does not depend on the key, encoded once or twice', () => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const [one, other] = ['Some-Key-4711-abcde', '0ther/Key+zyxw_9876'] as const;
  for (const encode of [
    base64,
    (text: string) => base64(base64(text)),
    (text: string) => base64(`Basic ${base64(text)}`),
  ]) {
    for (let before = 0; before < 12; before += 1) {
      const shown = (secret: string): string => redactor([secret])(encode(`${'u'.repeat(before)}${secret}:more text`));
      assert.is(shown(one), shown(other));
    }
  }
});

test('a key that is an escape sequence itself is found as it is', () => {
  for (const text of ['%41%42%43%44%45', '&amp;&lt;&gt;', '\\u0041\\u0042'])
    assert.is(redactor([text])(`=${text}=`), '=[key]=');
});

test('a short key is hidden where it stands alone, and replaces no part of a word', () => {
  assert.is(redactor(['pen'])('{"status":"pending","key":"pen"}'), '{"status":"pending","key":"[key]"}');
  // Without its last character the key would be the word that the interface gives a status.
  assert.is(redactor(['availables'])('available, availables'), 'available, [key]');
  // The hexadecimal digits of three characters may be any number.
  assert.is(redactor(['abcd'])('61626364'), '[key]');
  assert.is(redactor(['abc'])('616263'), '616263');
});

test('a key of few digits changes no limit and no id that was asked for', () => {
  for (const key of ['100', '7', 'a']) {
    const { recordRequest } = createRecorder({ redact: redactor([key]) });
    for (const target of ['/pets?limit=100', '/pets?status=sold&limit=100&x=2', '/pets/100', '/pets?limit=61']) {
      assert.is(recordRequest({ method: 'GET', target, headers: {} }).target, target, key);
    }
  }
  const { recordRequest } = createRecorder({ redact: redactor(['12345678']) });
  const request = { method: 'GET', target: '/pets?limit=1&q=12345678', headers: {} };
  assert.is(recordRequest(request).target, '/pets?limit=1&q=[key]');
});

test('a key of digits changes no number that is judged, and is hidden in every other place of JSON', () => {
  const redact = redactor(['12345678']);
  const rows = [
    [
      '{"id":12345678,"categoryId":12345678,"status":12345678}',
      '{"id":12345678,"categoryId":12345678,"status":12345678}',
    ],
    ['{"id":[12345678,12345678],"n":-12345678}', '{"id":["[key]","[key]"],"n":"-[key]"}'],
    ['[{"id":1},12345678]', '[{"id":1},"[key]"]'],
    ['{"id":"x","list":[12345678]}', '{"id":"x","list":["[key]"]}'],
    ['\ufeff{"id":12345678}', '\ufeff{"id":12345678}'],
    ['{"id":12345678', '{"id":[key]'],
  ] as const;
  for (const [body, shown] of rows) assert.is(redactBody(body, redact), shown);
});

test('a key is found behind characters that grow in lower case, and with an escaped ampersand', () => {
  assert.is(redactor(['Key-0123456789'])('İİİ kEY-0123456789!'), 'İİİ [key]!');
  assert.is(redactor(['one&two&three'])('<one&amp;two&#38;three>'), '<[key]>');
});

test('secrets of a query are the values with a secret name that are long enough', () => {
  assert.equal(secretsInQuery('/pets?token=12345678&limit=12345678&key=1234567'), ['12345678']);
  assert.equal(secretsInQuery('token=12345678'), []);
  assert.equal(secretsInHeaders({ 'x-api-key': '12345678' }), ['12345678']);
  assert.equal(secretsInHeaders({ 'x-api-key': '1234567' }), []);
});

test('keys of every length are found together, wherever they begin and whatever stands around them', () => {
  const keys = [key, 'Sh0rt-4711', 'naïve-clé-4711', 'a-much-longer-key-than-all-the-others-0815-4711'];
  for (const some of [keys, ...keys.map((one) => [one])]) {
    const redact = redactor(some);
    for (const one of some) {
      for (let before = 0; before < 60; before += 1) {
        assert.is(redact(`${'.'.repeat(before)}${one}`), `${'.'.repeat(before)}[key]`);
        assert.is(
          redact(`${'é'.repeat(before)} ${one} ${one.slice(0, 4)}`),
          `${'é'.repeat(before)} [key] ${one.slice(0, 4)}`,
        );
      }
    }
  }
});

test('a text without a secret stays as it is, whatever escapes it has', () => {
  for (const text of ['100% of &amp; \\u00e9 %zz &#99999999; \\', '{"a":1.0e5}', '', '\ud800 \ud83d\ude00']) {
    assert.is(redactor([key])(text), text);
    assert.is(redactBody(text, redactor([key])), text);
  }
});

test('positions are mapped back to the escaped text', () => {
  const { text, toEscaped } = unescapeOnce('a%42c&#68;\\u0045f')!;
  assert.is(text, 'aBcDEf');
  assert.equal(
    [toEscaped(0, 2), toEscaped(2, 3), toEscaped(3, 6)],
    [
      [0, 4],
      [4, 5],
      [5, 17],
    ],
  );
  assert.is(unescapeOnce('plain'), undefined);
  assert.is(unescapeOnce('100%'), undefined);
});

test('secrets of headers are the value, what follows a scheme, each cookie, and the parts of Basic', () => {
  const basic = Buffer.from('gateway-user:gateway-password').toString('base64');
  const secrets = secretsInHeaders({
    Authorization: `Basic ${basic}`,
    Cookie: 'theme=dark; session=0123456789abcdef',
    'X-Api-Key': 'Token of-a-gateway',
    'X-Tenant': 'some-tenant',
    'X-Request-Origin': 'abcdef0123456789abcdef',
  });
  for (const part of [
    basic,
    'gateway-user',
    'gateway-password',
    '0123456789abcdef',
    'of-a-gateway',
    'abcdef0123456789abcdef',
  ])
    assert.ok(secrets.includes(part), part);
  for (const word of ['some-tenant', 'dark']) assert.not.ok(secrets.includes(word), word);
});

test('names of headers, parameters and fields are recognised as secret', () => {
  const secret =
    'sig signature X-Signature jwt accessJwt credential session sessionId pwd password apiKey api_key X-Auth-Token Set-Cookie client_secret';
  for (const name of secret.split(' ')) assert.ok(isSecretName(name), name);
  for (const name of 'design signal name code status id categoryId limit message spin'.split(' '))
    assert.not.ok(isSecretName(name), name);
});

test('fields with such names are hidden in JSON, forms, XML and URLs, and nothing else changes', () => {
  const json =
    '{ "user":"rex", "password" : {"a":[1,"}"]}, "n":1.0, "apiKey":null, "sig":-1.5e3, "next":"https://u:p@h/x?a=1&code=z#token=t" }';
  const shown =
    '{ "user":"rex", "password" : "[secret]", "n":1.0, "apiKey":"[secret]", "sig":"[secret]", "next":"https://[secret]@h/x?a=1&code=[secret]#token=[secret]" }';
  assert.is(hideSecretFields(json), shown);
  assert.is(
    hideSecretFields('{"code":"not_found","message":"m","status":404}'),
    '{"code":"not_found","message":"m","status":404}',
  );
  assert.is(hideSecretFields('user=rex&password=hunter2&x=1'), 'user=rex&password=[secret]&x=1');
  assert.is(
    hideSecretFields('<a><Password t="x">hunter2</Password><b>1</b></a>'),
    '<a><Password t="x">[secret]</Password><b>1</b></a>',
  );
  const part = 'Content-Disposition: form-data; name="password"\r\n\r\n';
  assert.is(hideSecretFields(`${part}hunter2\r\n--`), `${part}[secret]\r\n--`);
  assert.is(hideInUrls('/back?x=1;access_token=abc'), '/back?x=1;access_token=[secret]');
});

test('headers with such names and secrets in a Location are hidden, and numbers of the interface stay', () => {
  const { recordResponse } = createRecorder({ redact: redactor(['12345678']) });
  const headers = {
    'set-cookie': 'a=b',
    'x-auth-token': 'abc',
    location: 'https://host/cb?code=abc&id=7',
    'www-authenticate': 'Bearer realm="pets"',
    'x-ratelimit-limit': '12345678',
    'x-echo': '12345678',
    'x-12345678': 'x',
  };
  assert.equal(recordResponse({ status: 302, headers, body: Buffer.from('') }).headers, {
    'set-cookie': '[secret]',
    'x-auth-token': '[secret]',
    location: 'https://host/cb?code=[secret]&id=7',
    'www-authenticate': 'Bearer realm="pets"',
    'x-ratelimit-limit': '12345678',
    'x-echo': '[key]',
    'x-[key]': 'x',
  });
});

test.run();
