/** Archives of browsers and proxies may be incomplete: nothing is concluded from what they lack. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findBaseUrl, readArchives } from '../../cli/archive.ts';
import { UsageError } from '../../run/usage-error.ts';
import { harOf } from '../har-of-report.ts';
import { sampleReport } from '../reporters/sample-report.ts';
import { temporaryFolder } from './command.ts';

const folder = temporaryFolder();
const baseUrl = 'https://host/v1';
let files = 0;

function archive(...entries: readonly unknown[]): string {
  files += 1;
  const file = join(folder, `${files}.har`);
  writeFileSync(file, `\ufeff${JSON.stringify({ log: { entries } })}`);
  return file;
}

const host = [{ name: 'Host', value: 'host' }];
const request = { method: 'GET', url: 'https://host/v1/pets?limit=1', headers: host, bodySize: 0 };
const response = { status: 200, headers: [{ name: 'Date', value: 'x' }], content: { size: 2, text: '[]' } };
const entry = { startedDateTime: '2026-11-21T12:00:00.000Z', time: 12.5, request, response };

function read(...entries: readonly unknown[]) {
  return readArchives([archive(...entries)], baseUrl);
}

/** The body of the answer of one entry with this content. */
async function bodyOf(content: object, headers: readonly object[] = response.headers): Promise<string | undefined> {
  const body = (await read({ ...entry, response: { ...response, content, headers } })).seen[0]?.response?.body;
  return body && Buffer.from(body).toString();
}

test('an entry below the base address is read with target, times and body', async () => {
  const [one] = (await read(entry)).seen;
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

test('other hosts, ports, schemes and paths are left out and counted', async () => {
  const urls = [
    'http://host/v1/pets',
    'https://host:81/v1/pets',
    'https://other/v1/pets',
    'https://host/v10/pets',
    'x',
  ];
  const elsewhere = urls.map((url) => ({ ...entry, request: { ...request, url } }));
  const { seen, leftOut } = await read(...elsewhere, null, 7, { request: null }, entry);
  assert.is(seen.length, 1);
  assert.equal([...leftOut], [['elsewhere', 8]]);
});

test('several files are read as one, in the order of time', async () => {
  const later = {
    ...entry,
    startedDateTime: '2026-11-21T12:00:01Z',
    request: { ...request, url: 'https://host:443/v1' },
  };
  const { seen } = await readArchives([archive(later), archive(entry)], baseUrl);
  assert.equal(
    seen.map(({ target }) => target),
    ['/pets?limit=1', ''],
  );
});

test('responses from a cache and requests that the browser cancelled are left out', async () => {
  const { seen, leftOut } = await read(
    { ...entry, _fromCache: 'disk' },
    { ...entry, response: { ...response, _fetchedViaServiceWorker: true } },
    { ...entry, response: { ...response, status: 0, _error: 'net::ERR_ABORTED' } },
  );
  assert.is(seen.length, 0);
  assert.equal([...leftOut], [['not sent', 3]]);
});

test('an entry without a response is read as unanswered', async () => {
  const [one] = (await read({ ...entry, response: { status: 0, headers: [], content: {} } })).seen;
  assert.is(one?.response, undefined);
});

const sent = (length: number) => [{ name: 'Content-Length', value: String(length) }];
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
  [{ size: 2, text: '[]' }, undefined, sent(400)],
  [{ size: 2, text: '[]' }, '[]', sent(2)],
  // The length of a compressed body.
  [{ size: 2, text: '[]' }, '[]', [...sent(22), ...coded('gzip')]],
  // A body may be recorded as it travelled, or decoded.
  [packed(gzipSync('["Ż"]')), '["Ż"]', coded('gzip')],
  [packed(deflateSync('["Ż"]')), '["Ż"]', coded('deflate')],
  [packed(brotliCompressSync('["Ż"]')), '["Ż"]', coded('br')],
  [{ size: 2, text: 'W10=', encoding: 'base64' }, '[]', coded('br')],
];

for (const [content, expected, headers] of contents) {
  test(`of ${JSON.stringify([content, headers]).slice(0, 90)} the body ${JSON.stringify(expected)} is read`, async () => {
    assert.is(await bodyOf(content, headers), expected);
  });
}

test('a request whose body was not recorded is left out', async () => {
  const create = { ...request, method: 'POST' };
  const lost = [{ bodySize: 7 }, { bodySize: -1 }, { postData: { mimeType: 'application/json', params: [] } }];
  const { seen, leftOut } = await read(
    ...lost.map((rest) => ({ ...entry, request: { ...create, ...rest } })),
    { ...entry, request: create },
    { ...entry, request: { ...create, postData: { mimeType: 'text/plain', text: '{}' } } },
  );
  assert.equal([...leftOut], [['not recorded whole', 3]]);
  assert.equal(
    seen.map(({ body, headers }) => [body, headers]),
    [
      [undefined, { host: 'host' }],
      ['{}', { 'content-type': 'text/plain', host: 'host' }],
    ],
  );
});

test('requests and responses without headers or time are left out', async () => {
  const { leftOut } = await read(
    { ...entry, response: { ...response, headers: [] } },
    { ...entry, startedDateTime: 'soon' },
    { ...entry, request: { ...request, headers: [] } },
    { ...entry, request: { ...request, headers: null } },
  );
  assert.equal([...leftOut], [['not recorded whole', 4]]);
  const ours = { ...entry, request: { ...request, headers: [] }, _credentialId: 'no-key' };
  assert.is((await read(ours)).seen.length, 1);
});

test('an archive from which keys were removed is known beside one that shows them', async () => {
  const key = { name: 'authorization', value: 'Bearer k' };
  const whole = archive({ ...entry, request: { ...request, headers: [key] } }, entry);
  const { seen } = await readArchives([archive(entry), whole], baseUrl);
  assert.equal(
    seen.map(({ isCleaned }) => isCleaned),
    [true, undefined, undefined],
  );
});

test('headers are read by lower-case name, repeated ones joined, pseudo-headers of HTTP/2 left out', async () => {
  const headers = [
    { name: ':status', value: '200' },
    { name: 'X-A', value: '1' },
    { name: 'x-a', value: '2' },
    { name: 'x-b' },
    7,
  ];
  assert.equal((await read({ ...entry, response: { ...response, headers } })).seen[0]?.response?.headers, {
    'x-a': '1, 2',
  });
});

test('only the start of a huge body is read', async () => {
  const text = ' '.repeat(3 * 1024 * 1024);
  const [one] = (await read({ ...entry, response: { ...response, content: { size: text.length, text } } })).seen;
  assert.is(one?.response?.body?.length, 2 * 1024 * 1024);
  assert.is(one?.response?.isCut, true);
});

test('a body that our own archive holds in part is not taken as whole, whatever its characters are', async () => {
  const [exchange] = sampleReport.exchanges;
  for (const [body, bodyLength] of [
    ['[1,', 4],
    ['"ä€ä€ä€ä€ä€"', 14],
    ['[]', 70_000],
  ] as const) {
    const cut = { ...exchange!, response: { ...exchange!.response!, body, bodyLength } };
    const [entry] = JSON.parse(harOf({ ...sampleReport, exchanges: [cut] })).log.entries;
    const [one] = (await readArchives([archive(entry)], sampleReport.target.baseUrl)).seen;
    assert.is(one?.response?.body, undefined, body);
  }
});

/** The message of the UsageError that a call throws. */
async function refusal(act: () => Promise<unknown>): Promise<string> {
  try {
    await act();
  } catch (thrown) {
    assert.instance(thrown, UsageError);
    return (thrown as Error).message;
  }
  return '';
}

test('a file that is no archive is refused with one sentence', async () => {
  const file = join(folder, 'none.har');
  writeFileSync(file, '{"log":');
  assert.match(await refusal(() => readArchives([file], baseUrl)), /none\.har is no HTTP archive: it is no JSON\.$/);
  writeFileSync(file, '{"log":{}}');
  assert.match(await refusal(() => readArchives([file], baseUrl)), /it has no log with entries\.$/);
  writeFileSync(file, `{"log":{"entries":[${'0,'.repeat(100_000)}0]}}`);
  assert.match(await refusal(() => readArchives([file], baseUrl)), /has 100001 entries; no more than 100000/);
  assert.match(
    await refusal(() => readArchives([`${file}x`], baseUrl)),
    /The archive .* cannot be read: no such file or directory \(ENOENT\)/,
  );
});

test('the base address of an archive is the part of its addresses before /pets', async () => {
  const at = (url: string) => ({ ...entry, request: { ...request, url } });
  assert.is(
    await findBaseUrl([archive(at('https://other/x'), entry, at('https://host/v1/pets/7'))]),
    'https://host/v1',
  );
  assert.match(
    await refusal(() => findBaseUrl([archive(at('https://other/x'))])),
    /hold no address that ends in \/pets/,
  );
  const two = [archive(entry), archive(at('https://a:b@other/v2/pets/7'))];
  assert.match(await refusal(() => findBaseUrl(two)), /several: https:\/\/host\/v1, https:\/\/other\/v2\.$/);
});

test.run();
