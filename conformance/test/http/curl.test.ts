/** The curl line of an exchange sends the recorded request, whatever characters it contains. */

import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeBody, rawBytes } from '../../http/body-bytes.ts';
import { curlOf, quoteWord } from '../../http/curl.ts';
import type { Exchange } from '../../http/exchange.ts';
import { credentialIds, findCredential } from '../../sections/5-authentication/credentials.ts';
import { exchangeOf } from '../run/hand-made.ts';

const exchange = exchangeOf(1, {
  request: { method: 'POST', target: '/pets', headers: { 'content-type': 'application/json' }, body: '{"name":"Rex"}' },
});

const path = process.env['PATH'] ?? '';
const lineOf = (request: Partial<Exchange['request']>, credential = exchange.credential): string =>
  curlOf({ request: { ...exchange.request, ...request }, credential }, 'http://host/v1');

type Shell = 'bash' | 'sh';

/** What a script prints. */
function outputOf(shell: Shell, script: string, variables: Readonly<Record<string, string>> = {}): Buffer {
  const words = [...(shell === 'bash' ? ['--norc'] : []), '-c', script];
  return execFileSync(shell, words, { env: { PATH: path, ...variables }, stdio: ['ignore', 'pipe', 'inherit'] });
}

/** The words that each line gives to curl. In bash nothing else on the path runs; the lines of some credentials need it. */
function wordsOf(shell: Shell, lines: readonly string[], key: string): readonly (readonly string[])[] {
  const limit = shell === 'bash' ? ['PATH=/nowhere'] : [];
  const script = [...limit, "curl() { printf '%s\\0' \"$@\"; printf '\\1'; }", ...lines].join('\n');
  const output = outputOf(shell, script, { LC_ALL: 'C.UTF-8', PETSTORE_API_KEY: key }).toString();
  const calls = output.split('\u0001').slice(0, -1);
  return calls.map((words) => words.split('\0').slice(0, -1));
}

const hostileTexts = [
  '@/etc/passwd',
  '$(touch /tmp/owned)',
  '`id`',
  "'; id; '",
  '"; id; "',
  '-o/tmp/owned',
  '--config=/etc/passwd',
  'a\nid\n',
  '{a,b}[1-9]',
  '../../admin',
  '\u202e\u2028 !! $HOME \\',
  '<&>|;*?~#',
  "🦄 e\u0301 it's \u0085\u0007",
];

test('each curl line sends the recorded request and runs nothing else, whatever a stranger wrote into the request', () => {
  const requests = hostileTexts.flatMap((text): readonly Exchange['request'][] => [
    { ...exchange.request, body: text },
    { ...exchange.request, target: `/pets?x=${text.replaceAll('\n', '%0A')}` },
    { ...exchange.request, target: `/pets/${text}` },
    { ...exchange.request, headers: { 'content-type': text.replaceAll('\n', ' '), 'x-empty': '' } },
    { ...exchange.request, method: text },
    { method: 'GET', target: '/pets', headers: { 'transfer-encoding': 'chunked' }, body: text },
  ]);
  const lines = requests.map((request) => lineOf({ body: undefined, ...request } as Exchange['request']));
  const results = wordsOf('bash', lines, 'The-Real-Key-42');
  assert.is(results.length, requests.length);
  for (const [at, { method, target, headers, body }] of requests.entries()) {
    const words = results[at]!;
    const after = (flag: string): string | undefined => words[words.indexOf(flag) + 1];
    const url = `http://host/v1${target.replace(/[^!-~]/gu, encodeURIComponent)}`;
    const sent = Object.entries(headers).map(([name, value]) => (value === '' ? `${name};` : `${name}: ${value}`));
    for (const word of [url, 'Authorization: Bearer The-Real-Key-42', ...sent])
      assert.ok(words.includes(word), lines[at]);
    assert.not.match(lines[at]!, /The-Real-Key-42/);
    assert.is(after('-X'), method);
    const isPrinted = /[^ -~]/.test(body?.replace('🦄 e\u0301', '') ?? '');
    assert.is(after(isPrinted ? '--data-binary' : '--data-raw'), isPrinted ? '@-' : body);
    assert.is(words.includes('Content-Type:'), body !== undefined && !('content-type' in headers), lines[at]);
    assert.is(words.includes('-g'), /[[\]{}]/.test(url));
  }
});

test('what a body repeats stands in the line once', () => {
  const brackets = lineOf({ body: `{"name":${'['.repeat(5_000)}${']'.repeat(5_000)}}` });
  assert.match(brackets, /\$\(seq 5000\).*\$\(seq 5000\)/);
  assert.ok(brackets.length < 400, String(brackets.length));
  // Less than a hundred characters are written out.
  assert.not.match(lineOf({ body: `"${'['.repeat(99)}"` }), /seq/);
});

test('curl does not ask whether it may send a long body, since a service may ignore the question', () => {
  assert.not.match(lineOf({ body: 'ab '.repeat(113) }), 'Expect');
  assert.match(lineOf({ body: 'abcd '.repeat(69) }), "-H 'Expect:'");
});

test('a method is named unless curl would choose it, and no flag stands without its value', () => {
  const bare = { method: 'GET', target: '/pets', headers: {} };
  const lineOfBare = (more: object): string =>
    curlOf(
      { ...exchange, request: { ...bare, ...more }, credential: findCredential('none', { api: 'k' })!.shown },
      'http://h',
    );
  assert.is(lineOfBare({}), "curl -i 'http://h/pets'");
  assert.is(lineOfBare({ method: 'DELETE' }), "curl -i -X DELETE 'http://h/pets'");
  assert.is(lineOfBare({ headers: { 'x-a': '1' } }), "curl -i 'http://h/pets' -H 'x-a: 1'");
  assert.is(lineOfBare({ headers: { 'x-a b': '1' } }), "curl -i 'http://h/pets'");
  assert.is(lineOfBare({ method: "O'K" }), "curl -i -X 'O'\\''K' 'http://h/pets'");
  assert.is(lineOfBare({ target: '/pets/..' }), "curl -i --path-as-is 'http://h/pets/..'");
});

/** The line of a request without a key. */
const lineWithoutKey = (request: Partial<Exchange['request']>): string => {
  const { shown } = findCredential('none', { api: 'k' })!;
  return curlOf(
    { request: { method: 'GET', target: '/pets', headers: {}, ...request }, credential: shown },
    'http://h',
  );
};

test('curl expands no brackets and removes no dots of an address, and gets no flag where there are none', () => {
  for (const bracket of '[]{}')
    assert.is(lineWithoutKey({ target: `/${bracket}` }), `curl -i -g 'http://h/${bracket}'`);
  for (const target of ['/pets/..', '/pets/.', '/pets/./x', '/pets/../x', '/pets/..?a'])
    assert.is(lineWithoutKey({ target }), `curl -i --path-as-is 'http://h${target}'`);
  for (const target of ['/pets/...', '/pets/.a', '/pets/a.', '/pets/(1)', '/pets?a=.'])
    assert.is(lineWithoutKey({ target }), `curl -i 'http://h${target}'`);
  assert.is(lineWithoutKey({ target: '/pets/é \u0007' }), "curl -i 'http://h/pets/%C3%A9%20%07'");
});

test('a method, a media type and a body are written as curl needs them', () => {
  const body = '{}';
  const json = { 'content-type': 'application/json' };
  for (const [request, words] of [
    [{ method: 'POST' }, "-X POST 'http://h/pets'"],
    [{ method: 'HEAD' }, "--head 'http://h/pets'"],
    [{ body: '' }, "-X GET 'http://h/pets' -H 'Content-Type:' --data-raw ''"],
    [
      { method: 'POST', body, headers: json },
      "-X POST 'http://h/pets' -H 'content-type: application/json' --data-raw '{}'",
    ],
    [{ headers: { 'x-a': '', 'x-b': 'a  b' } }, `'http://h/pets' -H 'x-a;' -H "$(printf %b 'x-b: a\\0040\\0040b')"`],
  ] as const) {
    assert.is(lineWithoutKey(request), `curl -i ${words}`);
  }
  const words = ['a', 'a b', '', 'a/b.c:d-e_1', "a'b", 'é'];
  assert.equal(words.map(quoteWord), ['a', "'a b'", "''", 'a/b.c:d-e_1', "'a'\\''b'", "'é'"]);
});

/** Body → the command that prints it; undefined where it stands in the line as it is. */
const bodies: readonly (readonly [body: string, command: string | undefined])[] = [
  ['\u0007', "printf %b '\\0007'"],
  ['\u200b', "printf %b '\\0342\\0200\\0213'"],
  ['\u2028', "printf %b '\\0342\\0200\\0250'"],
  ['\u2029', "printf %b '\\0342\\0200\\0251'"],
  ['\ud83d', "printf %b '\\0357\\0277\\0275'"],
  ['\ufffe', "printf %b '\\0357\\0277\\0276'"],
  ['\uffff', "printf %b '\\0357\\0277\\0277'"],
  ['\u00a0', "printf %b '\\0302\\0240'"],
  ['\u3000', "printf %b '\\0343\\0200\\0200'"],
  ['a b  c', "printf %b 'a b\\0040\\0040c'"],
  ['##', "printf %b '#\\0043'"],
  ["it's \\ \u0007", "printf %b 'it\\0047s \\0134 \\0007'"],
  ...['a b', '#a#', '🦄', 'x:#', 'a'.repeat(99)].map((body) => [body, undefined] as const),
  // What is repeated has twelve characters at most, and stands there twenty times at least.
  ['a'.repeat(100), "printf 'a%.0s' $(seq 100)"],
  ['abcdefghijkl'.repeat(20), "printf 'abcdefghijkl%.0s' $(seq 20)"],
  ['abcdefghijklm'.repeat(20), undefined],
  ['abcdefghijkl'.repeat(19), undefined],
  ['%'.repeat(100), "printf '\\045%.0s' $(seq 100)"],
  ['-'.repeat(100), "printf '\\055%.0s' $(seq 100)"],
  ["'".repeat(100), "printf '\\047%.0s' $(seq 100)"],
  ['\u0007'.repeat(100), "printf '\\007%.0s' $(seq 100)"],
  [
    `x${'ab'.repeat(50)}y${'c'.repeat(120)}`,
    "{ printf %b 'x'; printf 'ab%.0s' $(seq 50); printf %b 'y'; printf 'c%.0s' $(seq 120); }",
  ],
  [`${'c'.repeat(120)}z`, "{ printf 'c%.0s' $(seq 120); printf %b 'z'; }"],
];

test('a body that a viewer may change, or that repeats something, is printed by a command', () => {
  const headers = { 'content-type': 'x' };
  for (const [body, command] of bodies) {
    const line = lineWithoutKey({ body, headers }).replace(" -H 'Expect:'", '');
    const words = "curl -i -X GET 'http://h/pets' -H 'content-type: x'";
    const expected = command === undefined ? `${words} --data-raw '${body}'` : `${command} | ${words} --data-binary @-`;
    assert.is(line, expected);
  }
});

test('a body that is too long for an argument is printed', () => {
  const digits = Array.from({ length: 25_000 }, (_nothing, at) => String(at).padStart(5, '0')).join('');
  const startOf = (length: number): string => lineWithoutKey({ body: digits.slice(0, length) }).slice(0, 12);
  assert.equal([startOf(100_000), startOf(100_001)], ['curl -i -X G', "printf %b '0"]);
});

test('a key in the query stands behind the parameters, or begins them', () => {
  const { shown } = findCredential('elsewhere', { api: 'Some-Key-1' })!;
  assert.match(lineOf({ target: '/pets?limit=1' }, shown), "'http://host/v1/pets?limit=1'\"&");
  assert.match(lineOf({ target: '/pets' }, shown), "'http://host/v1/pets'\"?");
});

test('dot segments and HEAD are sent as they were', () => {
  const bare = { method: 'GET', target: '/pets', headers: {} };
  const line = (more: object): string => curlOf({ ...exchange, request: { ...bare, ...more } }, 'http://h');
  for (const target of ['/pets/../x', '/pets/.'])
    assert.match(line({ target }), "curl -i --path-as-is 'http://h/pets/.");
  assert.not.match(line({ target: '/pets/a..b' }), '--path-as-is');
  assert.match(line({ method: 'HEAD' }), 'curl -i --head ');
  assert.not.match(line({ headers: { '@/etc/passwd': 'x' } }), 'passwd');
});

test('in bash and in sh, a body with NUL or bytes that are no UTF-8 is sent', () => {
  const bodies = [
    '\0{"name":"it\'s %s \\n \\c é🦄\u202e"}',
    ...["'%", '-', '\\0', 'é🦄'].flatMap((text) => [text.repeat(120), `a${text.repeat(120)}z`]),
    `\0-n \\0101 $(touch owned) \`id\` ${rawBytes(0xe9, 0x80)}\n\u00850`,
  ];
  for (const body of bodies) {
    const line = lineOf({ body });
    assert.not.match(line, /[\x00-\x1f\x7f-\x9f\u202e]/);
    for (const shell of ['bash', 'sh'] as const) {
      assert.equal(outputOf(shell, `curl() { cat; }\n${line}`), encodeBody(body));
    }
  }
});

test('the curl line of each refused credential derives it from the key variable, in any shell', () => {
  for (const key of ['The-Real_Key.42', 'a7Fq/+b9c2d4e6w8==', '5f2c9d0e7a']) {
    const all = credentialIds.flatMap((id) => findCredential(id, { api: key }) ?? []);
    const lines = all.map(({ shown }) => lineOf({}, shown));
    const outputs = wordsOf('sh', lines, key);
    for (const [at, { headers, query, shown }] of all.entries()) {
      assert.not.ok(lines[at]!.includes(key), shown.id);
      assert.is(lines[at]!.includes('"Authorization;"'), headers['authorization'] === '', shown.id);
      const words = outputs[at]!;
      const written = words.map((word) => word.replace(/;$/, ': ').replace(/^[\w-]+:/, (name) => name.toLowerCase()));
      for (const [name, value] of Object.entries(headers)) {
        // The bytes of the value, read as curl's words are, and without the escapes of cookies.
        const text = Buffer.from(value, 'latin1').toString();
        const header = `${name}: ${name === 'cookie' ? decodeURIComponent(text) : text}`;
        assert.ok(written.includes(header), `${shown.id}: ${header}, sent ${written}`);
      }
      assert.ok(words.includes(`http://host/v1/pets${query === undefined ? '' : `?${decodeURIComponent(query)}`}`));
    }
  }
});

test.run();
