/** Answers of a gateway are recognised by their kind, and those of a service are not taken for them. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../http/exchange.ts';
import { trialSettings } from '../../proof/trial.ts';
import { describeGatewayAnswers, gatewayRemark, isGatewayRefusal, readGatewayAnswers } from '../../verdict/gateways.ts';
import { readHistory } from '../../verdict/history.ts';
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
  const answers = [
    ...[400, 401, 403, 404, 405, 406, 413, 414, 431].map((status) => answer(status, status, {}, page)),
    answer(1403, 403, json),
    answer(2403, 403, limits, page),
  ];
  const exchanges = [...own, ...answers];
  const history = readHistory(exchanges, trialSettings(60));
  assert.equal(
    exchanges.filter((exchange) => isGatewayRefusal(history, exchange)).map(({ number }) => number),
    [403, 406, 413, 414, 431],
  );
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
