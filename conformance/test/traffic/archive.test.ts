/** Archives of browsers and proxies may be incomplete: nothing is concluded from what they lack. */

import { readFileSync } from 'node:fs';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UsageError } from '../../run/usage-error.ts';
import { findBaseUrl, parseArchive, readArchives } from '../../traffic/archive.ts';
import { mostExchanges } from '../../traffic/captured-exchange.ts';
import { recordTraffic } from '../../traffic/record.ts';

const baseUrl = 'https://host/v1';
const host = [{ name: 'Host', value: 'host' }];
const request = { method: 'GET', url: 'https://host/v1/pets?limit=1', headers: host, bodySize: 0 };
const response = { status: 200, headers: [{ name: 'Date', value: 'x' }], content: { size: 2, text: '[]' } };
const entry = { startedDateTime: '2026-11-21T12:00:00.000Z', time: 12.5, request, response };
const asking = (changes: object) => ({ ...entry, request: { ...request, ...changes } });
const answering = (changes: object) => ({ ...entry, response: { ...response, ...changes } });

function read(...entries: readonly unknown[]) {
  return readArchives([entries], baseUrl);
}

/** The body that is read of the only entry. */
function bodyOf(one: unknown): string | undefined {
  const body = read(one).seen[0]?.response?.body;
  return body && Buffer.from(body).toString();
}

test('an entry below the base address is read with target, times and body', () => {
  const [one] = read(entry).seen;
  assert.equal(
    { ...one, response: { ...one?.response, body: String(one?.response?.body) } },
    {
      method: 'GET',
      target: '/pets?limit=1',
      headers: { host: 'host' },
      response: { status: 200, headers: { date: 'x' }, body: '[]' },
      isCleaned: true,
      startedAt: Date.UTC(2026, 10, 21, 12),
      endedAt: Date.UTC(2026, 10, 21, 12) + 13,
    },
  );
});

const post = { method: 'POST' };
const elsewhere = ['http://host/v1/pets', 'https://host:81/v1/pets', 'https://other/v1', 'https://host/v10/pets', 'x'];
const leftOut: Readonly<Record<string, readonly unknown[]>> = {
  elsewhere: [...elsewhere.map((url) => asking({ url })), null, 7, { request: null }],
  'not sent': [
    { ...entry, _fromCache: 'disk' },
    answering({ _fetchedViaServiceWorker: true }),
    answering({ status: 0, _error: 'net::ERR_ABORTED' }),
  ],
  'not recorded whole': [
    answering({ headers: [] }),
    { ...entry, startedDateTime: 'soon' },
    asking({ headers: [] }),
    asking({ headers: null }),
    asking({ ...post, bodySize: 7 }),
    asking({ ...post, bodySize: -1 }),
    asking({ ...post, postData: { mimeType: 'application/json', params: [] } }),
  ],
};

test('entries that are no evidence are left out and counted', () => {
  for (const [why, entries] of Object.entries(leftOut)) {
    const { seen, leftOut: counted } = read(...entries, entry);
    assert.is(seen.length, 1, why);
    assert.equal(
      [...counted].map(([one, all]) => [one, all.length]),
      [[why, entries.length]],
    );
  }
});

test('an entry without a response is read as unanswered, and one of a POST with the body that it has', () => {
  assert.is(read(answering({ status: 0, headers: [], content: {} })).seen[0]?.response, undefined);
  const sent = [
    post,
    { ...post, postData: { mimeType: 'text/plain', text: '{}' } },
    { ...post, postData: { text: 'e30=', encoding: 'base64' } },
  ];
  assert.equal(
    read(...sent.map(asking)).seen.map(({ body, headers }) => [body, headers]),
    [
      [undefined, { host: 'host' }],
      ['{}', { 'content-type': 'text/plain', host: 'host' }],
      ['{}', { host: 'host' }],
    ],
  );
});

const length = (bytes: number) => [{ name: 'Content-Length', value: String(bytes) }];
const coded = (coding: string) => [{ name: 'Content-Encoding', value: coding }];
const packed = (bytes: Buffer) => ({ size: bytes.length, text: bytes.toString('base64'), encoding: 'base64' });

/** The content of a response, what is read of it, and its headers. */
const contents: readonly (readonly [content: object, read: string | undefined, headers?: readonly object[]])[] = [
  [{ size: 2 }, undefined],
  [{ size: 2, text: '' }, undefined],
  [{ size: 400, text: '[]' }, undefined],
  [{ size: 0, text: '' }, ''],
  [{ size: 5, text: '[]' }, '[]'],
  [{ size: 2, text: 'W10=', encoding: 'base64' }, '[]'],
  // A tool that cuts a body may cut its size, too.
  [{ size: 2, text: '[]' }, undefined, length(400)],
  [{ size: 2, text: '[]' }, '[]', length(2)],
  // Content-Length counts the bytes of the compressed body.
  [{ size: 2, text: '[]' }, '[]', [...length(22), ...coded('gzip')]],
  // A body may be recorded as it travelled, or decoded.
  [packed(gzipSync('["Ż"]')), '["Ż"]', coded(' GZIP ')],
  [packed(zstdCompressSync('["Ż"]')), '["Ż"]', coded('zstd')],
  [{ size: 2, text: '[]' }, '[]', coded('toString')],
  [packed(deflateSync('["Ż"]')), '["Ż"]', coded('deflate')],
  [packed(brotliCompressSync('["Ż"]')), '["Ż"]', coded('br')],
  [{ size: 2, text: 'W10=', encoding: 'base64' }, '[]', coded('br')],
];

test('a body is read as it was sent, and not at all where the archive lacks a part', () => {
  for (const [content, expected, headers = response.headers] of contents)
    assert.is(bodyOf(answering({ content, headers })), expected, JSON.stringify([content, headers]));
  const huge = ' '.repeat(3 * 1024 * 1024);
  const [one] = read(answering({ content: { size: huge.length, text: huge } })).seen;
  assert.equal([one?.response?.body?.length, one?.response?.isCut], [2 * 1024 * 1024, true]);
});

test('an archive from which keys were removed is known beside one that shows them', () => {
  const withKey = asking({ headers: [{ name: 'authorization', value: 'Bearer k' }] });
  const { seen } = readArchives([[entry], [withKey, entry]], baseUrl);
  assert.equal(
    seen.map(({ isCleaned }) => isCleaned),
    [true, undefined, undefined],
  );
});

test('headers are read by lower-case name, repeated ones joined, pseudo-headers of HTTP/2 left out', () => {
  const pairs = [
    [':status', '200'],
    ['X-A', '1'],
    ['x-a', '2'],
  ];
  const headers = [...pairs.map(([name, value]) => ({ name, value })), 7];
  assert.equal(read(answering({ headers })).seen[0]?.response?.headers, { 'x-a': '1, 2' });
});

/** The message of the UsageError that a call throws. */
function refusal(act: () => unknown): string {
  try {
    act();
  } catch (thrown) {
    assert.instance(thrown, UsageError);
    return (thrown as Error).message;
  }
  return '';
}

test('a file that is no archive or holds too much is refused with one sentence', () => {
  const many = Array.from({ length: mostExchanges + 1 }, () => entry);
  const at = (url: string) => asking({ url });
  for (const [act, sentence] of [
    [() => parseArchive('{"log":', 'a.har'), /^a\.har is no HTTP archive: it is no JSON\.$/],
    [() => parseArchive('{"log":{}}', 'a.har'), /^a\.har is no HTTP archive: it has no log with entries\.$/],
    [() => read(...many), /^The archives hold 10001 exchanges; no more than 10000 are judged at a time\.$/],
    [() => findBaseUrl([[at('https://other/x')]]), /hold no address that ends in \/pets/],
    [
      () => findBaseUrl([[entry], [at('https://a:b@other/v2/pets/7')]]),
      /several: https:\/\/host\/v1, https:\/\/other\/v2\.$/,
    ],
  ] as const)
    assert.match(refusal(act), sentence);
});

test('the base address of an archive is the part of its addresses before /pets', () => {
  const urls = ['https://other/x', 'https://host/v1/pets?limit=1', 'https://host/v1/pets/7'];
  assert.is(findBaseUrl([urls.map((url) => asking({ url }))]), 'https://host/v1');
});

test('whatever an archive holds in place of a part, its other entries are read and every entry is counted', () => {
  const { entries } = JSON.parse(readFileSync(new URL('../cli/commands/chromium.har', import.meta.url), 'utf8')).log;
  const address = findBaseUrl([entries]);
  const paths = `request response startedDateTime time request.method request.url request.headers request.postData
    request.headers.0 response.status response.headers response.content response.content.text response.content.size`;
  const property = fc.property(
    fc.nat(entries.length - 1),
    fc.constantFrom(...paths.split(/\s+/).map((path) => path.split('.'))),
    fc.jsonValue(),
    (at, path, by) => {
      const changed = structuredClone(entries);
      const last = path.slice(0, -1).reduce((value, name) => value?.[name] ?? {}, changed[at]);
      last[path.at(-1)!] = by;
      const { seen, leftOut: rest } = readArchives(
        [parseArchive(`\ufeff${JSON.stringify({ log: { entries: changed } })}`, 'a.har')],
        address,
      );
      assert.is(seen.length + [...rest.values()].flat().length, entries.length);
      assert.ok(seen.length >= 11, String(seen.length));
      assert.is(recordTraffic(seen).length, seen.length);
    },
  );
  fc.assert(property, { numRuns: 300, seed: 20261127 });
});

test.run();
