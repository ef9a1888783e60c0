/** What a session records of each request, and what it hides, counts and names. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { type Transport, TransportError } from '../../http/transport.ts';
import { trialSettings } from '../../proof/trial.ts';
import { plainListing, unknownAnimal } from '../../run/planned-request.ts';
import { createSession, type SessionOptions } from '../../run/session.ts';
import { createClock } from '../../services/in-process.ts';
import { creation, list } from './bench.ts';

function answers(status: number, body = '[]'): Transport {
  return async () => ({
    status,
    headers: { 'Content-Type': 'application/json' },
    body: new TextEncoder().encode(body),
  });
}

const fails = (error: Error): Transport => {
  return () => Promise.reject(error);
};

/** A session on a target that always answers alike; each answer takes a second. */
function sessionOn(transport: Transport, options: Partial<SessionOptions> = {}) {
  const clock = createClock();
  return createSession({
    settings: trialSettings(60),
    keys: { api: 'Session-Key-4711' },
    clock,
    transport: (outgoing) => {
      clock.advance(1_000);
      return transport(outgoing);
    },
    runTag: 'abc123',
    ...options,
  });
}

test('an exchange has the check, the order of events, and what was sent and answered', async () => {
  const seen: Exchange[] = [];
  const session = sessionOn(answers(200), { onExchange: (exchange) => seen.push(exchange) });
  await session.forCheck('first').send(list);
  const exchange = await session.forCheck('second').sendOnce({ ...list, credential: noKey });
  const startedAt = createClock().now() + 1_000;
  assert.equal(exchange, {
    number: 2,
    check: 'second',
    operation: 'listPets',
    credential: noKey.shown,
    sent: 3,
    request: { method: 'GET', target: '/pets', headers: { accept: 'application/json' } },
    response: { status: 200, headers: { 'content-type': 'application/json' }, body: '[]' },
    startedAt,
    endedAt: startedAt + 1_000,
    answered: 4,
  });
  assert.ok(Object.isFrozen(exchange));
  assert.equal([session.exchanges, seen[1], session.exchanges[0]?.check], [seen, exchange, 'first']);
});

test('a request without an answer has the code of its failure, and any other error is our own', async () => {
  const broken = await sessionOn(fails(new TransportError('broken', 'ECONNRESET'))).sendOnce(list);
  assert.equal([broken.failure, broken.response], [{ code: 'broken', message: 'ECONNRESET' }, undefined]);
  assert.is(broken.check, '');
  const thrown = await sessionOn(fails(new Error('ours')))
    .sendOnce(list)
    .catch(String);
  assert.is(thrown, 'Error: ours');
});

test('a request that the end of the run breaks off says so', async () => {
  const stop = new AbortController();
  const transport: Transport = () => {
    stop.abort();
    return Promise.reject(new TransportError('broken', 'closed'));
  };
  const { failure } = await sessionOn(transport, { signal: stop.signal }).sendOnce(list);
  assert.equal(failure, { code: 'timeout', message: 'there was no answer yet when the run was stopped' });
});

test('a creation is given back where the answer shows that nothing was created', async () => {
  for (const [transport, creations] of [
    [answers(201), 1],
    [answers(299), 1],
    [answers(300), 0],
    [answers(400), 0],
    [answers(499), 0],
    [answers(500), 1],
    [fails(new TransportError('broken', 'ECONNRESET')), 1],
  ] as const) {
    const session = sessionOn(transport);
    await session.sendOnce(creation);
    assert.is(session.budget.creations(), creations);
    await session.sendOnce(list);
    assert.is(session.budget.creations(), creations);
  }
});

test('a longer body is cut where the caller says so', async () => {
  const exchange = await sessionOn(answers(200, '[1,2,3]'), { longestBody: 2 }).sendOnce(list);
  assert.equal([exchange.response?.body, exchange.response?.bodyLength], ['[1', 7]);
});

test('each animal has a name of its own, in the form that the user wants', () => {
  const session = sessionOn(answers(200));
  assert.equal([session.newName(), session.newName()], ['CFklmbcdaab', 'CFklmbcdaac']);
  const settings = trialSettings(60, { nameTemplate: 'Rex {n}' });
  assert.is(sessionOn(answers(200), { settings }).forCheck('one').newName(), 'Rex klmbcdaab');
});

test('in an outage of one operation another one is asked whether the target serves it', async () => {
  for (const [failing, control] of [
    [list, unknownAnimal],
    [unknownAnimal, plainListing],
  ] as const) {
    const session = sessionOn(async ({ url }) => {
      const status = url.endsWith(failing.target) ? 503 : 200;
      return { status, headers: {}, body: new TextEncoder().encode('<html>') };
    });
    await session.send(control);
    assert.is((await session.send(failing)).response?.status, 503);
    const targets = session.exchanges.slice(1).map(({ request }) => request.target);
    assert.equal([...new Set(targets)], [failing.target, control.target]);
  }
});

test('numbers are drawn by the seed', () => {
  const drawn = (seed: number): number => sessionOn(answers(200), { settings: trialSettings(60, { seed }) }).random();
  assert.is(drawn(7), drawn(7));
  assert.is.not(drawn(7), drawn(8));
});

test('keys, other secrets and credentials of headers are hidden', () => {
  const keys = { api: 'First-Key-4711', rateLimit: 'Second-Key-4711', others: ['Third-Secret-4711'] };
  const settings = trialSettings(60, { headers: { 'x-api-key': 'Fourth-Secret-4711' } });
  const { mask } = sessionOn(answers(200), { keys, settings });
  const said = mask.text('First-Key-4711 Second-Key-4711 Third-Secret-4711 Fourth-Secret-4711 shown');
  assert.match(said, /shown$/);
  assert.not.match(said, '4711');
  const withOneKey = sessionOn(answers(200)).mask.text('Session-Key-4711 shown');
  assert.match(withOneKey, /^[^4]+ shown$/);
});

test.run();
