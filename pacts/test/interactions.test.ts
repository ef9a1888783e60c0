/** The verdict of an interaction combines the verifier's result and the gateway's attempt. */

import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Attempt } from '../verify/attempts.ts';
import type { Gateway } from '../verify/gateway.ts';
import { judgeInteraction } from '../verify/interactions.ts';
import type { NativeOptions, NativeResult } from '../verify/verifier.ts';
import { verifyPact } from '../verify/verify-pact.ts';
import { version3 } from './handmade.ts';
import { pactFrom } from './in-process.ts';

const fails: NativeResult = {
  consumer: 'site',
  description: 'it',
  states: ['a state'],
  isPass: false,
  isPending: false,
  messages: ['$.id: expected a number'],
};
const passes = { ...fails, isPass: true, messages: [] };
const sent: Attempt = { exchanges: [3, 4], isSent: true };

test("an interaction has the verifier's verdict and the exchanges that show it", () => {
  const { isPass: _isPass, isPending: _isPending, ...shown } = { ...fails, exchanges: [3, 4] };
  assert.equal(judgeInteraction(passes, sent), { ...shown, verdict: 'pass', messages: [] });
  assert.equal(judgeInteraction(fails, sent), { ...shown, verdict: 'fail' });
  assert.is(judgeInteraction({ ...fails, isPending: true }, sent).verdict, 'pending');
});

test("an obstacle takes precedence over the verifier's result", () => {
  const blocked = judgeInteraction(passes, { ...sent, blockedBy: 'no such state', isUserChoice: false });
  assert.equal([blocked.verdict, blocked.messages], ['not-verifiable', ['no such state']]);
  assert.not.ok('isExcused' in blocked);
  assert.is(judgeInteraction(fails, { ...sent, blockedBy: 'no key', isUserChoice: true }).isExcused, true);
});

test('an interaction whose request did not reach the target does not pass', () => {
  for (const attempt of [undefined, { ...sent, isSent: false }]) {
    const { verdict, messages } = judgeInteraction(passes, attempt);
    assert.equal(
      [verdict, messages],
      ['not-verifiable', ['its request did not reach the target: its path leads elsewhere']],
    );
  }
  assert.match(judgeInteraction(fails, undefined).messages[0] ?? '', /did not reach the target: \$\.id/);
  assert.equal(judgeInteraction(fails, undefined).exchanges, []);
});

test('an excused answer does not fail, and a missing answer is named', () => {
  const excused = judgeInteraction(fails, { ...sent, excuse: 'the category' });
  assert.equal([excused.verdict, excused.messages], ['not-verifiable', ['the category']]);
  assert.is(judgeInteraction(passes, { ...sent, excuse: 'the category' }).verdict, 'pass');
  const unanswered = judgeInteraction(fails, { ...sent, failure: 'timeout' });
  assert.equal([unanswered.verdict, unanswered.messages], ['fail', ['the target gave no answer: timeout']]);
});

const gateway: Gateway = {
  url: 'http://127.0.0.1/a',
  statesUrl: 'http://127.0.0.1/b',
  expect: () => undefined,
  take: () => Array.from({ length: 20 }, () => sent),
  stopped: () => undefined,
  renew: () => Promise.resolve(),
  wait: () => Promise.resolve(),
  mayBeEarly: () => false,
  close: () => Promise.resolve(),
};

/** Verifies with a scripted verifier; resolves with the pact that it read, too. */
async function verifyWith(
  document: object,
  results: readonly NativeResult[] | undefined,
  errors: readonly string[] = [],
) {
  let read = '';
  const verifier = {
    verify(options: NativeOptions) {
      read = readFileSync(options.pactUrls?.[0] ?? '', 'utf8');
      return Promise.resolve(results === undefined ? undefined : { results, errors });
    },
    close: () => undefined,
  };
  const signal = AbortSignal.abort();
  return { interactions: await verifyPact(pactFrom(document), { gateway, verifier, signal }), read };
}

const descriptions = version3.interactions.map(({ description }) => description);

test('results belong to interactions by position and description, for the consumer of the pact', async () => {
  const results = descriptions.map((description, at) => ({
    ...passes,
    description: at === 1 ? 'another' : description,
  }));
  const { interactions } = await verifyWith(version3, results, ['the verifier broke']);
  assert.equal(
    interactions.map(({ verdict }) => verdict),
    ['pass', 'not-verifiable', 'pass', 'pass'],
  );
  assert.equal(interactions[1]?.messages, ['the verifier broke']);
  assert.ok(interactions.every(({ consumer }) => consumer === 'vet-app'));
});

test('an interaction without a description matches the one that the verifier makes up', async () => {
  const { interactions } = await verifyWith({ ...version3, interactions: [{}] }, [passes]);
  assert.equal([interactions[0]?.verdict, interactions[0]?.description], ['pass', 'it']);
});

test('an aborted verification gives each interaction the reason', async () => {
  const { interactions } = await verifyWith(version3, undefined);
  assert.equal(
    interactions.map(({ messages }) => messages[0]),
    descriptions.map(() => 'The run was interrupted.'),
  );
});

test('the verifier reads the original text of a pact, without its messages', async () => {
  const { read: whole } = await verifyWith(version3, []);
  assert.equal(JSON.parse(whole), version3);
  const event = { type: 'Asynchronous/Messages', description: 'an event' };
  const [first] = version3.interactions;
  const mixed = { ...version3, interactions: [event, first], messages: [{ description: 'an older event' }] };
  const { interactions, read } = await verifyWith(mixed, [{ ...passes, description: first?.description ?? '' }]);
  assert.equal(JSON.parse(read), { ...version3, interactions: [first] });
  assert.equal(
    interactions.map(({ description, verdict }) => [description, verdict]),
    [
      [first?.description, 'pass'],
      ['an event', 'not-verifiable'],
      ['an older event', 'not-verifiable'],
    ],
  );
});

test('a large pact is verified in parts, and failures in a state with animals are verified again', async () => {
  const [first] = version3.interactions;
  const all = Array.from({ length: 41 }, (_nothing, at) => ({
    ...first,
    description: `it ${at}`,
    providerStates: at === 3 ? [] : first!.providerStates,
  }));
  const differing = ['it 3', 'it 39', 'it 40'];
  const parts: (readonly string[])[] = [];
  const verifier = {
    verify({ pactUrls: [file = ''] = [] }: NativeOptions) {
      const { interactions } = JSON.parse(readFileSync(file, 'utf8')) as { interactions: { description: string }[] };
      parts.push(interactions.map(({ description }) => description));
      const results = interactions.map(({ description }) => ({
        ...(differing.includes(description) ? fails : passes),
        isPending: description === 'it 39',
        description,
      }));
      return Promise.resolve({ results, errors: [] });
    },
    close: () => undefined,
  };
  const { signal } = new AbortController();
  const judged = await verifyPact(pactFrom({ ...version3, interactions: all }), { gateway, verifier, signal });
  assert.equal(
    parts.map(({ length }) => length),
    [20, 20, 1, 2],
  );
  assert.equal(parts[3], ['it 39', 'it 40']);
  assert.equal(
    judged.map(({ description }) => description),
    all.map(({ description }) => description),
  );
  const others = judged.filter(({ verdict }) => verdict !== 'pass');
  assert.equal(
    others.map(({ description, verdict }) => [description, verdict]),
    [
      ['it 3', 'fail'],
      ['it 39', 'pending'],
      ['it 40', 'fail'],
    ],
  );
});

test('a pact with only messages does not reach the verifier', async () => {
  const { interactions, read } = await verifyWith({ ...version3, interactions: [], messages: [{}] }, undefined);
  assert.is(read, '');
  assert.match(interactions[0]?.messages[0] ?? '', /it is a message/);
});

test.run();
