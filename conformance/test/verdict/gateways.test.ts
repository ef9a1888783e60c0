/** Answers of a gateway are recognised by their kind, and those of a service are not taken for them. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../http/exchange.ts';
import { trialSettings } from '../../proof/trial.ts';
import {
  describeGatewayAnswers,
  gatewayRemark,
  isGatewayRefusal,
  isInsteadOfService,
  readBans,
  readGatewayAnswers,
} from '../../verdict/gateways.ts';
import { readHistory } from '../../verdict/history.ts';
import { mayBeBanned } from '../../verdict/outages.ts';
import { exchangeOf } from '../run/hand-made.ts';

type Headers = Readonly<Record<string, string>>;

const limits = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '9', 'x-ratelimit-reset': '1' };
const json = { 'content-type': 'application/json' };

function answer(number: number, status: number, headers: Headers, body = '{}'): Exchange {
  return { ...exchangeOf(number), response: { status, headers, body } };
}

const service = (number: number, more: Headers = {}): Exchange => answer(number, 200, { ...json, ...limits, ...more });
const page = '<!DOCTYPE html><title>Bad</title>';

test('HTML without limits and another server are counted, by what they have in common', () => {
  const own = Array.from({ length: 10 }, (_nothing, at) => service(at, { server: 'Kestrel' }));
  const nginx = [11, 12].map((at) => answer(at, 502, { 'content-type': 'text/html', server: 'nginx/1.27' }, page));
  const cache = answer(13, 503, { ...json, via: '1.1 varnish' });
  const gateways = readGatewayAnswers([...own, ...nginx, cache]);
  assert.equal(
    [...gateways.traitsOf.keys()].map(({ number }) => number),
    [11, 12, 13],
  );
  const nginxTraits = 'server: nginx/1.27, HTML, no X-RateLimit headers';
  assert.is(
    describeGatewayAnswers(gateways),
    `3 of 13 answers look like a gateway's (2 with ${nginxTraits}; 1 with via: 1.1 varnish, no X-RateLimit headers).`,
  );
  assert.is(
    describeGatewayAnswers(readGatewayAnswers([...own, nginx[0]!])),
    `1 of 11 answers look like a gateway's (${nginxTraits}).`,
  );
  assert.is(gatewayRemark(gateways, [nginx[0]!]), ` (the answer looks like a gateway's: ${nginxTraits})`);
  assert.is(gatewayRemark(gateways, [own[0]!, nginx[0]!]), ` (the answer looks like a gateway's: ${nginxTraits})`);
  assert.is(gatewayRemark(gateways, [answer(14, 400, { ...json, ...limits }), nginx[0]!]), '');
  assert.is(gatewayRemark(gateways, [own[0]!]), '');
});

test('an error by the software that also answers as the service may come from its framework', () => {
  const own = Array.from({ length: 3 }, (_nothing, at) => service(at, { server: 'uvicorn' }));
  const crash = answer(4, 500, { 'content-type': 'text/plain', server: 'uvicorn' }, 'Internal Server Error');
  const gateways = readGatewayAnswers([...own, crash]);
  const inWords = "a gateway's or a framework's";
  assert.is(describeGatewayAnswers(gateways), `1 of 4 answers look like ${inWords} (no JSON, no X-RateLimit headers).`);
  assert.is(gatewayRemark(gateways, [crash]), ` (the answer looks like ${inWords}: no JSON, no X-RateLimit headers)`);
});

test('only refusals with a status that the interface lists nowhere are left to a gateway', () => {
  const own = Array.from({ length: 30 }, (_nothing, at) => service(at));
  const { request } = service(5);
  const answers = [
    ...[400, 401, 403, 404, 405, 406, 413, 414, 431].map((status) => ({
      ...answer(status, status, {}, page),
      request,
    })),
    answer(1403, 403, json, '{"code":"forbidden","message":"No.","status":403}'),
    answer(2403, 403, limits, page),
    answer(3403, 403, json, '{"message":"Forbidden"}'),
  ];
  const exchanges = [...own, ...answers];
  const history = readHistory(exchanges, trialSettings(60));
  assert.equal(
    exchanges.filter((exchange) => isGatewayRefusal(history, exchange)).map(({ number }) => number),
    [403, 406, 413, 414, 431, 3403],
  );
});

test('a bare 400 is left to a gateway where the request has parts that the interface does not show', () => {
  const own = Array.from({ length: 30 }, (_nothing, at) => service(at));
  const asked = (number: number, target: string, headers: Headers = {}): Exchange => {
    const { request, ...rest } = answer(number, 400, {}, 'Bad Request');
    return { ...rest, request: { ...request, target, headers } };
  };
  const asWithCookie = { ...asked(103, '/pets').credential, curl: { words: '-H "Cookie: token=$PETSTORE_API_KEY"' } };
  const exchanges = [
    ...own,
    asked(100, '/pets?limit=5', { accept: 'application/json', 'user-agent': 'any' }),
    asked(101, '/pets?sort=name'),
    asked(102, '/pets', { cookie: 'theme=dark' }),
    { ...asked(103, '/pets'), credential: asWithCookie },
    asked(104, '/pets', { accept: 'text/html' }),
    asked(105, '/pets?limit=0'),
    { ...asked(106, '/pets?sort=name'), response: { status: 400, headers: { ...json, ...limits }, body: '{}' } },
  ];
  assert.equal(
    numbersOf(exchanges, (one) => isGatewayRefusal({ exchanges }, one)),
    [101, 102, 103, 104, 105],
  );
});

const html = { 'content-type': 'text/html' };
const numbersOf = (exchanges: readonly Exchange[], isIt: (exchange: Exchange) => boolean): readonly number[] =>
  exchanges.filter(isIt).map(({ number }) => number);

test('other software may refuse by any 4xx but 401 and by 501, and so may a proxy whose page names it', () => {
  const own = Array.from({ length: 5 }, (_nothing, at) => service(at, { server: 'nginx' }));
  const statuses = [400, 401, 404, 405, 429, 500, 501];
  const others = statuses.map((status) => answer(status, status, { ...html, server: 'haproxy' }, page));
  const naming = statuses.map((status) =>
    answer(status + 1_000, status, { ...html, server: 'nginx' }, `${page}<hr><center>nginx/1.27</center>`),
  );
  const plain = statuses.map((status) => answer(status + 2_000, status, { ...html, server: 'nginx' }, page));
  const exchanges = [...own, ...others, ...naming, ...plain];
  const refused = numbersOf(exchanges, (exchange) => isGatewayRefusal({ exchanges }, exchange));
  assert.equal(refused, [400, 404, 405, 429, 501, 1400, 1404, 1405, 1429, 1501]);
});

test('a bare 429 is of a gateway where the request had no key, or requests were left', () => {
  const kinds = ['valid', 'rate-limit', 'missing', 'invalid'] as const;
  const refusedAfter = (remaining: string): readonly number[] => {
    const own = Array.from({ length: 9 }, (_nothing, at) => service(at, { 'x-ratelimit-remaining': remaining }));
    const bare = kinds.map((_kind, at) => answer(10 + at, 429, {}, ''));
    const exchanges = [...own, ...bare].map((exchange, at) => {
      const kind = kinds[at < own.length ? at % 2 : at - own.length]!;
      return { ...exchange, credential: { ...exchange.credential, kind } };
    });
    return numbersOf(exchanges, (exchange) => isGatewayRefusal({ exchanges }, exchange));
  };
  assert.equal(refusedAfter('9'), [10, 12, 13]);
  assert.equal(refusedAfter('1'), [12, 13]);
});

test('a gateway stands in for a service only where the service itself gives this status, too', () => {
  const own = Array.from({ length: 5 }, (_nothing, at) => service(at));
  const refusal = answer(6, 400, { ...html, server: 'nginx' }, page);
  const without = { exchanges: [...own, refusal] };
  assert.not(isInsteadOfService(without, refusal));
  const ofService = answer(7, 400, { ...json, ...limits });
  assert.ok(isInsteadOfService({ exchanges: [...own, refusal, ofService] }, refusal));
  assert.not(isInsteadOfService({ exchanges: [...own, refusal, ofService] }, ofService));
});

test('a ban is a row of refusals with a request that the service answers at another time', () => {
  const to = (exchange: Exchange, target: string): Exchange => ({
    ...exchange,
    request: { ...exchange.request, target },
  });
  const own = Array.from({ length: 5 }, (_nothing, at) => to(service(at), `/pets?limit=${at + 1}`));
  const refuse = (number: number, target: string): Exchange =>
    to(answer(number, 403, { ...html, server: 'nginx' }, page), target);
  const attacks = ['/pets?a', '/pets?b', '/pets?c'].map((target, at) => refuse(6 + at, target));
  const banned = (...exchanges: readonly Exchange[]): readonly number[] =>
    [...readBans([...own, ...exchanges])].map(({ number }) => number);
  assert.equal(banned(...attacks), []);
  assert.ok(mayBeBanned([...own, ...attacks]));
  assert.not.ok(mayBeBanned([...own, ...attacks.slice(1)]));
  const listing = refuse(9, '/pets?limit=2');
  assert.equal(banned(...attacks, listing), [6, 7, 8, 9]);
  for (const status of [429, 504])
    assert.equal(banned(...attacks, answer(10, status, {}, ''), listing), [6, 7, 8, 9], String(status));
  assert.equal(banned(...attacks, to(service(10), '/pets'), listing), [9]);
  const { outages } = readHistory([...own, ...attacks, listing], trialSettings(60));
  assert.equal(
    outages.lost.map(({ number }) => number),
    [6, 7, 8, 9],
  );
});

test('an outage of most requests hides no other gateway', () => {
  const own = [1, 2, 3].map((at) => service(at));
  const lost = Array.from({ length: 12 }, (_nothing, at) => answer(10 + at, 503, {}, ''));
  const refused = answer(30, 403, { 'content-type': 'text/html' }, page);
  assert.ok(isGatewayRefusal({ exchanges: [...own, ...lost, refused] }, refused));
});

test('a service that errs in one way is no gateway, and a gateway that is always there shows nothing', () => {
  const own = Array.from({ length: 10 }, (_nothing, at) => service(at, { server: 'nginx' }));
  const errors = [
    answer(11, 401, { ...json, server: 'nginx' }),
    answer(12, 404, { ...limits, server: 'nginx', 'content-type': 'text/html' }, page),
    answer(13, 500, { ...json, ...limits, server: 'nginx' }),
    answer(14, 400, { ...json, ...limits }),
    answer(15, 200, { 'content-type': 'text/html' }, page),
  ];
  assert.is(describeGatewayAnswers(readGatewayAnswers([...own, ...errors])), undefined);
});

test("no gateway is named where most answers look like a gateway's", () => {
  const broken = Array.from({ length: 10 }, (_nothing, at) =>
    answer(at, 500, { 'content-type': 'text/html', server: 'x' }, page),
  );
  assert.is(describeGatewayAnswers(readGatewayAnswers([...broken, service(11)])), undefined);
  assert.is(describeGatewayAnswers(readGatewayAnswers([])), undefined);
});

test("the name of a server is a stranger's text: only plain characters of it are repeated", () => {
  const own = Array.from({ length: 3 }, (_nothing, at) => service(at));
  const hostile = answer(4, 502, { server: `<b>\u001b[31m::error::\n${'x'.repeat(99)}` }, page);
  const text = describeGatewayAnswers(readGatewayAnswers([...own, hostile])) ?? '';
  assert.match(text, /server: b31merrorx{1,40}, HTML/);
});

test.run();
