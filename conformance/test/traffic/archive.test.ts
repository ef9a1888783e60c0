/** Archives of browsers and proxies may be incomplete: nothing is concluded from what they lack. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findBaseUrl, parseArchive, readArchives } from '../../traffic/archive.ts';
import { longestCaptured, mostExchanges } from '../../traffic/captured-exchange.ts';

const baseUrl = 'https://host/v1';
const host = [{ name: 'Host', value: 'host' }];
const request = { method: 'GET', url: 'https://host/v1/pets?limit=1', headers: host, bodySize: 0 };
const response = { status: 200, headers: [{ name: 'Date', value: 'x' }], content: { size: 2, text: '[]' } };
const entry = { startedDateTime: '2026-11-21T12:00:00.000Z', time: 12.5, request, response };
const asking = (changes: object) => ({ ...entry, request: { ...request, ...changes } });
const answering = (changes: object) => ({ ...entry, response: { ...response, ...changes } });
const holding = (content: object) => answering({ content });

function read(...entries: readonly unknown[]) {
  return readArchives([entries], baseUrl).map(({ response: answer, ...rest }) => {
    return { ...rest, ...(answer && { response: { ...answer, body: answer.body && String(answer.body) } }) };
  });
}

const whole = {
  method: 'GET',
  target: '/pets?limit=1',
  headers: { host: 'host' },
  response: { status: 200, headers: { date: 'x' }, body: '[]' as string | undefined },
  isCleaned: true,
  startedAt: Date.UTC(2026, 10, 21, 12),
  endedAt: Date.UTC(2026, 10, 21, 12) + 13,
};
const withBody = (body?: string) => ({ ...whole, response: { ...whole.response, body } });
const { response: _none, ...unanswered } = whole;
const atOnce = { ...whole, endedAt: whole.startedAt };
const post = { method: 'POST' };
const elsewhere = ['http://host/v1/pets', 'https://host:81/v1/pets', 'https://other/v1', 'https://host/v10/pets', 'x'];
const pairs = [':status 200', 'X-A 1', 'x-a 2'].map((line) => {
  const [name, value] = line.split(' ');
  return { name, value };
});

/** An entry, and what is read of it; nothing where it is no evidence. */
const entries: readonly (readonly [entry: unknown, read?: object])[] = [
  [entry, whole],
  [{ ...entry, time: -1 }, atOnce],
  [asking({ bodySize: -1 }), whole],
  // It went elsewhere, or never reached the target.
  ...[...elsewhere.map((url) => asking({ url })), null, 7, { request: null }].map((one) => [one] as const),
  [asking({ method: '' })],
  [{ ...entry, _fromCache: 'disk' }],
  [answering({ _fetchedViaServiceWorker: true })],
  [answering({ status: 0, _error: 'net::ERR_ABORTED' })],
  // It was not recorded whole.
  [answering({ headers: [] })],
  [{ ...entry, startedDateTime: 'soon' }],
  [asking({ headers: [] })],
  [asking({ headers: null })],
  [asking({ ...post, bodySize: 7 })],
  [asking({ ...post, bodySize: -1, postData: { mimeType: 'application/json', params: [] } })],
  [answering({ status: 0, headers: [], content: {} }), unanswered],
  [asking(post), { ...whole, method: 'POST' }],
  [
    asking({ ...post, bodySize: 2, postData: { mimeType: 'text/plain', text: '{}' } }),
    { ...whole, method: 'POST', body: '{}', headers: { 'content-type': 'text/plain', host: 'host' } },
  ],
  [answering({ headers: [...pairs, 7] }), { ...whole, response: { ...whole.response, headers: { 'x-a': '1, 2' } } }],
  // The body is missing, cut, or written as base64.
  [holding({ size: 2 }), withBody()],
  [holding({ size: 2, text: '' }), withBody()],
  [holding({ size: 400, text: '[]' }), withBody()],
  [holding({ size: -1, text: '' }), withBody()],
  [holding({ size: longestCaptured + 1, text: ' '.repeat(longestCaptured + 1) }), withBody()],
  [holding({ size: longestCaptured, text: ' '.repeat(longestCaptured) }), withBody(' '.repeat(longestCaptured))],
  [holding({ size: 0, text: '' }), withBody('')],
  [holding({ size: 2, text: 'W10=', encoding: 'base64' }), whole],
];

test('an entry is read as it was sent, or left out where a part is missing', () => {
  for (const [one, expected] of entries)
    assert.equal(read(one), expected === undefined ? [] : [expected], JSON.stringify(one)?.slice(0, 300));
});

test('an archive from which keys were removed is known beside one that shows them', () => {
  const withKey = asking({ headers: [{ name: 'authorization', value: 'Bearer k' }] });
  const cleaned = readArchives([[entry], [withKey, entry]], baseUrl).map(({ isCleaned }) => isCleaned);
  assert.equal(cleaned, [true, undefined, undefined]);
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
  const methods = read(...many).map(({ method }) => method);
  assert.equal(methods, Array(mostExchanges).fill('GET'));
  assert.equal(parseArchive('\ufeff{"log":{"entries":[7]}}', 'a.har'), [7]);
});

test('the base address of an archive is the part of its addresses before /pets', () => {
  const urls = ['https://other/x', 'https://host/v1/pets?limit=1', 'https://host/v1/pets/7', 'file:///v1/pets'];
  assert.is(findBaseUrl([urls.map((url) => asking({ url }))]), 'https://host/v1');
});

test.run();
