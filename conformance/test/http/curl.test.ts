/** The curl line of an exchange sends the recorded request, whatever characters it contains. */

import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeBody, inUtf16, rawBytes } from '../../http/body-bytes.ts';
import { validKey } from '../../http/credentials.ts';
import { curlOf, isHarmlessCommand, quoteForShell } from '../../http/curl.ts';
import type { Exchange } from '../../http/exchange.ts';
import { credentialIds, findCredential, partsOf } from '../../sections/5-authentication/credentials.ts';

function inShell(words: string, env: Readonly<Record<string, string>> = {}): string {
  return execFileSync('bash', ['--norc', '-c', `printf '%s\\0' ${words}`], {
    env: { LC_ALL: 'C.UTF-8', ...env },
    encoding: 'utf8',
  });
}

test('a quoted text reaches the program unchanged, and a byte that is not UTF-8 as that byte', () => {
  const hard = ["it's", '$HOME `id` !x "q" \\', ' a\n\tb ', '🦄 e\u0301 \u202e \u0085 \u2028', "\u0007'\\", '-n', '*'];
  for (const text of ['plain', ...hard]) assert.is(inShell(quoteForShell(text)), `${text}\0`);
  const words = `printf %s ${quoteForShell(`caf${rawBytes(0xe9, 0x80)}9 \u{1f480}`)}`;
  const printed = execFileSync('bash', ['--norc', '-c', words], { env: { LC_ALL: 'C.UTF-8' } });
  assert.is(printed.toString('latin1'), 'caf\xe9\x809 \xf0\x9f\x92\x80');
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
  const headers = ['Authorization: Bearer The-Real-Key-42', 'content-type: application/json', "x-tenant: o'brien"];
  for (const word of [...headers, exchange.request.body!, 'http://host/v1/pets']) assert.ok(words.includes(word), word);
});

/** The words that a harmless curl gets when bash runs lines; nothing else on the path runs. */
function runInBash(lines: readonly string[]): readonly (readonly string[])[] {
  const curl = "curl() { printf '%s\\0' \"$@\"; printf '\\1'; }";
  const output = execFileSync('bash', ['--norc', '-c', ['PATH=/nowhere', curl, ...lines].join('\n')], {
    env: { LC_ALL: 'C.UTF-8', PATH: process.env['PATH'] ?? '', PETSTORE_API_KEY: 'The-Key' },
    encoding: 'utf8',
  });
  return output
    .split('\u0001')
    .slice(0, -1)
    .map((words) => words.split('\0').slice(0, -1));
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
];

test('each curl line sends the recorded request and runs nothing else, whatever a stranger wrote into the request', () => {
  const requests = hostileTexts.flatMap((text) => [
    { ...exchange.request, body: text },
    { ...exchange.request, target: `/pets?x=${text.replaceAll('\n', '%0A')}` },
    { ...exchange.request, target: `/pets/${text}` },
    { ...exchange.request, headers: { 'content-type': text.replaceAll('\n', ' '), 'x-empty': '' } },
    { ...exchange.request, method: text },
    { method: 'GET', target: '/pets', headers: { 'transfer-encoding': 'chunked' }, body: text },
  ]);
  const lines = requests.map((request) => curlOf({ ...exchange, request }, 'http://host/v1'));
  const results = runInBash(lines);
  assert.is(results.length, requests.length);
  for (const [at, { method, target, headers, body }] of requests.entries()) {
    const words = results[at]!;
    const after = (flag: string): string | undefined => words[words.indexOf(flag) + 1];
    const url = `http://host/v1${target}`;
    assert.ok(words.includes(url), lines[at]);
    assert.is(after('-X'), method);
    assert.is(after('--data-raw'), body);
    assert.not.ok(words.includes('--data-binary'));
    assert.is(words.includes('Content-Type:'), body !== undefined && !('content-type' in headers), lines[at]);
    assert.is(words.includes('-g'), /[[\]{}]/.test(url));
    for (const [name, value] of Object.entries(headers)) {
      assert.ok(words.includes(value === '' ? `${name};` : `${name}: ${value}`), lines[at]);
    }
  }
});

test('in bash and in sh, a curl line of a body with NUL sends the body, and a misplaced key stays a variable of it', () => {
  const bodies = [
    inUtf16('{"name":"it\'s %s \\n \\c é🦄\u202e"}', 'big-endian'),
    `\0-n \\0101 $(touch owned) \`id\` ${rawBytes(0xe9, 0x80)}\n\u00850`,
  ];
  const env = { PATH: process.env['PATH'] ?? '', PETSTORE_API_KEY: 'The-%s\\0-Key' };
  const printed = (shell: string, line: string): Buffer => {
    assert.ok(isHarmlessCommand(line), line);
    assert.not.match(line, /[\x00-\x1f\x7f-\x9f\u202e]/);
    return execFileSync(shell, ['-c', `curl() { cat; }\n${line}`], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  };
  const { shown } = findCredential('elsewhere', { api: 'The-Key' })!;
  const lineOf = (body: string) => curlOf({ ...exchange, request: { ...exchange.request, body } }, 'http://host/v1');
  for (const shell of ['bash', 'sh']) {
    for (const body of bodies) assert.equal(printed(shell, lineOf(body)), encodeBody(body));
    const request = { ...exchange.request, body: '{"a":"\0"}' };
    const withKey = String(printed(shell, curlOf({ ...exchange, credential: shown, request }, 'http://h')));
    assert.ok(withKey.startsWith('{"a":"\0"') && withKey.includes('The-%s\\0-Key'), withKey);
  }
});

test('dot segments and HEAD are sent as they were', () => {
  const lineOf = (request: Partial<Exchange['request']>): string =>
    curlOf({ ...exchange, request: { method: 'GET', target: '/pets', headers: {}, ...request } }, 'http://host/v1');
  assert.match(lineOf({ target: '/pets/../x' }), 'curl -i --path-as-is ');
  assert.not.match(lineOf({ target: '/pets/a..b' }), '--path-as-is');
  assert.match(lineOf({ method: 'HEAD' }), 'curl -i --head ');
});

/** The words of each line, by one shell. */
function inPlainShell(lines: readonly string[], env: Readonly<Record<string, string>>): readonly (readonly string[])[] {
  const script = lines.map((line) => `printf '%s\\0' ${line}; printf '\\1'`).join('\n');
  const options = { env: { PATH: process.env['PATH'] ?? '', ...env }, encoding: 'utf8' } as const;
  const output = execFileSync('sh', ['-c', script], options);
  return output.split('\u0001').map((words) => words.split('\0'));
}

/** A header as in a curl line: without the escapes of cookies. */
function shownHeader([name, value]: readonly [string, string]): string {
  // The bytes of a header value, read as curl's words are.
  const text = Buffer.from(value, 'latin1').toString();
  return `${name}: ${name === 'cookie' ? decodeURIComponent(text) : text}`;
}

/** The Authorization header that curl makes from -u. */
function basicOf(words: readonly string[]): string {
  return `authorization: Basic ${Buffer.from(words[words.indexOf('-u') + 1] ?? '').toString('base64')}`;
}

test('the curl line of each refused credential derives it from the key variable, in any shell', () => {
  for (const key of ['The-Real_Key.42', 'a7Fq/+b9c2d4e6w8==', '5f2c9d0e7a']) {
    const sent = credentialIds.flatMap((id) => findCredential(id, { api: key }) ?? []);
    const all = sent.flatMap((one) => [one, ...partsOf(one.shown.id, key), ...(one.madeUp ? [one.madeUp] : [])]);
    const lines = all.map(({ shown }) => curlOf({ ...exchange, credential: shown }, 'http://host/v1'));
    const outputs = inPlainShell(lines, { PETSTORE_API_KEY: key });
    for (const [at, { headers, query, fields, shown }] of all.entries()) {
      assert.not.ok(lines[at]!.includes(key), shown.id);
      const words = outputs[at]!;
      const written = words.map((word) => word.replace(/;$/, ': ').replace(/^[\w-]+:/, (name) => name.toLowerCase()));
      for (const header of Object.entries(headers).map(shownHeader)) {
        assert.ok([...written, basicOf(words)].includes(header), `${shown.id}: ${header}, sent ${written}`);
      }
      assert.ok(words.includes(`http://host/v1/pets${query === undefined ? '' : `?${decodeURIComponent(query)}`}`));
      const body = JSON.parse(words.at(-2)!);
      for (const [name, value] of Object.entries(JSON.parse(`{${fields ?? ''}}`))) assert.is(body[name], value);
    }
  }
});

test('a key is added to a body only if that is an object, after its other fields', () => {
  const { shown } = findCredential('elsewhere', { api: 'The-Key' })!;
  const bodies = ['{}', '{"name":"it\'s"}', '[]', '{"name":7', 'text'];
  const lines = bodies.map((body) =>
    curlOf({ ...exchange, request: { ...exchange.request, body }, credential: shown }, ''),
  );
  const sent = inPlainShell(lines, { PETSTORE_API_KEY: 'The-Key' }).map((words) => words.at(-2));
  assert.equal(JSON.parse(sent[0]!).token, 'The-Key');
  assert.equal(JSON.parse(sent[1]!).name, "it's");
  assert.equal(sent.slice(2, 5), bodies.slice(2));
});

test.run();
