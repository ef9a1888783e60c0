/** Archives of browsers and proxies may be incomplete: nothing is concluded from what they lack. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findBaseUrl, type LeftOut, parseArchive, readArchives } from '../../traffic/archive.ts';
import { longestCaptured, mostExchanges } from '../../traffic/captured-exchange.ts';

const baseUrl = 'https://host/v1';
const host = [{ name: 'Host', value: 'host' }];
const request = { method: 'GET', url: 'https://host/v1/pets?limit=1', headers: host, bodySize: 0 };
const response = { status: 200, headers: [{ name: 'Date', value: 'x' }], content: { size: 2, text: '[]' } };
const entry = { startedDateTime: '2026-11-21T12:00:00.000Z', time: 12.5, request, response };
const asking = (changes: object) => ({ ...entry, request: { ...request, ...changes } });
const answering = (changes: object) => ({ ...entry, response: { ...response, ...changes } });
const holding = (content: object) => answering({ content });

/** The exchanges of entries, each with its body as text, and the reasons of the others. */
function read(...entries: readonly unknown[]) {
  const { exchanges, leftOut } = readArchives([entries], baseUrl);
  const shown = exchanges.map(({ response: answer, ...rest }) => {
    return { ...rest, ...(answer && { response: { ...answer, body: String(answer.body) } }) };
  });
  return [...shown, ...leftOut];
}

const whole = {
  method: 'GET',
  target: '/pets?limit=1',
  headers: { host: 'host' },
  response: { status: 200, headers: { date: 'x' } as Record<string, string>, body: '[]' },
  isCleaned: true,
  startedAt: Date.UTC(2026, 10, 21, 12),
  endedAt: Date.UTC(2026, 10, 21, 12) + 13,
};
const withBody = (body: string) => ({ ...whole, response: { ...whole.response, body } });
const { response: _none, ...unanswered } = whole;
const atOnce = { ...whole, endedAt: whole.startedAt };
const post = { method: 'POST' };
const elsewhere = ['http://host/v1/pets', 'https://host:81/v1/pets', 'https://other/v1', 'https://host/v10/pets', 'x'];
const pairs = [':status 200', 'X-A 1', 'x-a 2'].map((line) => {
  const [name, value] = line.split(' ');
  return { name, value };
});
const compressed = [{ name: 'Content-Encoding', value: 'gzip' }];
const compressedWhole = { ...whole.response, headers: { 'content-encoding': 'gzip' } };
const cutJson = '{"id":1,"name":"Re';

/** An entry, and what is read of it, or why it is left out. */
const entries: readonly (readonly [entry: unknown, read: object | LeftOut])[] = [
  [entry, whole],
  [{ ...entry, time: -1 }, atOnce],
  [asking({ bodySize: -1 }), whole],
  // It went elsewhere.
  ...elsewhere.map((url) => [asking({ url }), 'elsewhere'] as const),
  ...[null, 7, { request: null }, asking({ method: '' }), asking({ url: '' })].map(
    (one) => [one, 'no-request'] as const,
  ),
  // The service did not answer it.
  [{ ...entry, _fromCache: 'disk' }, 'cache'],
  [{ ...entry, _fetchType: 'Memory Cache' }, 'cache'],
  [{ ...entry, _fetchType: 'Network Load' }, whole],
  [{ ...entry, _fetchType: 'Service Worker' }, 'service-worker'],
  [answering({ _fetchedViaServiceWorker: true }), 'service-worker'],
  [answering({ status: 0, _error: 'net::ERR_ABORTED' }), 'cancelled'],
  [answering({ status: 100 }), 'upgrade'],
  [answering({ status: 101 }), 'upgrade'],
  // It was not recorded whole.
  [answering({ headers: [] }), 'no-response-headers'],
  [{ ...entry, startedDateTime: 'soon' }, 'no-time'],
  [asking({ headers: [] }), 'no-request-headers'],
  [asking({ headers: null }), 'no-request-headers'],
  [asking({ ...post, bodySize: 7 }), 'no-request-body'],
  [asking({ ...post, bodySize: -1, postData: { mimeType: 'application/json', params: [] } }), 'no-request-body'],
  [answering({ status: 0, headers: [], content: {} }), unanswered],
  [asking(post), { ...whole, method: 'POST' }],
  [asking({ ...post, bodySize: '0' }), { ...whole, method: 'POST' }],
  [
    asking({ ...post, bodySize: 2, postData: { mimeType: 'text/plain', text: '{}' } }),
    { ...whole, method: 'POST', body: '{}', headers: { 'content-type': 'text/plain', host: 'host' } },
  ],
  [answering({ headers: [...pairs, 7] }), { ...whole, response: { ...whole.response, headers: { 'x-a': '1, 2' } } }],
  // Numbers stand where texts belong, and texts where numbers belong.
  [
    answering({ status: '200', headers: [{ name: 'X-A', value: 60 }] }),
    { ...whole, response: { ...whole.response, headers: { 'x-a': '60' } } },
  ],
  [holding({ size: '2', text: '[]' }), whole],
  // The body is missing, cut, or written as base64.
  [holding({ size: 2 }), withBody('not-recorded')],
  [holding({ size: 2, text: '' }), withBody('not-recorded')],
  [holding({ size: 400, text: cutJson }), withBody('cut')],
  [answering({ bodySize: 24, content: { size: 24, text: 'none' } }), withBody('cut')],
  [holding({ size: -1, text: '' }), withBody('not-recorded')],
  [holding({ size: longestCaptured + 1, text: ' '.repeat(longestCaptured + 1) }), withBody('too-long')],
  [holding({ size: longestCaptured, text: ' '.repeat(longestCaptured) }), withBody(' '.repeat(longestCaptured))],
  [holding({ size: 0, text: '' }), withBody('')],
  [holding({ size: 2, text: 'W10=', encoding: 'base64' }), whole],
  [holding({ text: 'none' }), withBody('none')],
  // The size is that of the compressed body.
  [holding({ size: 22, text: '[]' }), whole],
  [
    answering({ headers: compressed, bodySize: 24, content: { size: 24, text: 'none' } }),
    { ...whole, response: { ...compressedWhole, body: 'none' } },
  ],
  [
    answering({ headers: compressed, bodySize: 24, content: { size: 400, text: cutJson } }),
    { ...whole, response: { ...compressedWhole, body: 'cut' } },
  ],
];

test('an entry is read as it was sent, or left out for a reason where a part is missing', () => {
  for (const [one, expected] of entries) {
    assert.equal(read(one), [expected], JSON.stringify(one)?.slice(0, 300));
  }
});

test('an archive from which keys were removed is known beside one that shows them', () => {
  const withKey = asking({ headers: [{ name: 'authorization', value: 'Bearer k' }] });
  const { exchanges } = readArchives([[entry], [withKey, entry]], baseUrl);
  assert.equal(
    exchanges.map(({ isCleaned }) => isCleaned),
    [true, undefined, undefined],
  );
});

test('a file that is no archive is refused with one sentence, and of too many exchanges the first are read', () => {
  const many = [...Array.from({ length: mostExchanges }, () => entry), asking(post)];
  const at = (url: string) => asking({ url });
  const five = [2, 3, 4, 5, 6].map((version) => at(`https://a:b@o/v${version}/pets/7`));
  for (const [act, sentence] of [
    [() => parseArchive('{"log":', 'a.har'), /^a\.har is no HTTP archive: it is no JSON\.$/],
    [() => parseArchive('{"log":{}}', 'a.har'), /^a\.har is no HTTP archive: it has no log with entries\.$/],
    [() => findBaseUrl([[at('https://other/x')]]), /hold no address that ends in \/pets/],
    [() => findBaseUrl([[entry, ...five]]), /several: https:\/\/host\/v1, https:\/\/o\/v2, \S+v3, \S+v4, \S+v5\.$/],
  ] as const)
    assert.throws(act, sentence);
  const { exchanges, leftOut } = readArchives([many], baseUrl);
  assert.equal([exchanges.length, exchanges.every(({ method }) => method === 'GET')], [mostExchanges, true]);
  assert.equal(leftOut, ['too-many']);
  assert.equal(parseArchive('{"log":{"entries":[7]}}', 'a.har'), [7]);
});

test('the base address of an archive is the part of its addresses before /pets', () => {
  const urls = ['https://other/x', 'https://host/v1/pets?limit=1', 'https://host/v1/pets/7', 'file:///v1/pets'];
  assert.is(findBaseUrl([urls.map((url) => asking({ url }))]), 'https://host/v1');
});

test.run();
