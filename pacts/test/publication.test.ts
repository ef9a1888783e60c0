/** The published result of a pact: success, failure, and unknown interactions. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { kit } from '../../conformance/verdict/kit.ts';
import type { ReportedInteraction } from '../../conformance/verdict/report.ts';
import { readPact } from '../pact.ts';
import { resultOf } from '../verify/publication.ts';

const passed: ReportedInteraction = {
  consumer: 'site',
  description: 'it',
  states: [],
  exchanges: [],
  verdict: 'pass',
  messages: [],
};
const failed = { ...passed, verdict: 'fail', messages: ['expected 200, key-of-the-run'] } as const;
const open = { ...passed, verdict: 'not-verifiable', messages: ['no key-of-the-run'] } as const;
const left = { ...open, isExcused: true } as const;

const options = {
  version: '1.2.3',
  requiresAll: false,
  redact: (text: string) => text.replaceAll('key-of-the-run', '[key]'),
};
const pact = readPact(
  JSON.stringify({
    consumer: { name: 'site' },
    metadata: { pactSpecification: { version: '4.0' } },
    interactions: [{ _id: 'a' }, { _id: 'b', type: 'Asynchronous/Messages' }, { _id: 'c' }],
    messages: [{ _id: 'd' }],
  }),
  'a broker',
);

function success(reported: readonly ReportedInteraction[], requiresAll = false): unknown {
  return resultOf(pact, reported, { ...options, requiresAll })['success'];
}

test('a pact is a success if an interaction passes and none counts against it', () => {
  assert.is(success([passed, passed]), true);
  assert.is(success([passed, left]), true);
  assert.is(success([passed, left], true), false);
  assert.is(success([passed, open]), false);
  assert.is(success([passed, failed]), false);
  assert.is(success([passed, { ...failed, verdict: 'pending' }]), false);
  assert.is(success([left]), false);
  assert.is(success([]), false);
});

test("each interaction has the broker's id, requests before messages, and a test unless it is unknown", () => {
  const { testResults, ...rest } = resultOf(pact, [passed, failed, open, left], options);
  assert.equal(testResults, [
    { interactionId: 'a', success: true },
    { interactionId: 'c', success: false, mismatches: [{ description: 'expected 200, [key]' }] },
    { notVerifiable: { interactionId: 'b', description: 'it', reasons: ['no [key]'] } },
    { notVerifiable: { interactionId: 'd', description: 'it', reasons: ['no [key]'] } },
  ]);
  assert.equal(rest, {
    success: false,
    providerApplicationVersion: '1.2.3',
    verifiedBy: { implementation: 'petstore-conformance', version: kit.version },
  });
});

test.run();
