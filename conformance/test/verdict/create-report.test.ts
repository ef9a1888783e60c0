/** The report holds what a run found, and of its exchanges those that show why. */

import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { defined } from '../../../spec/defined.ts';
import type { FailureCode } from '../../../spec/failure-codes.ts';
import { gaps } from '../../../spec/gaps.ts';
import type { Exchange } from '../../http/exchange.ts';
import { createMask } from '../../http/mask.ts';
import { trialSettings } from '../../proof/trial.ts';
import { animalsLeftBehind, createReport, type ReportInput, reportSettings } from '../../verdict/create-report.ts';
import { type Counterexample, type Failing, fails, holds } from '../../verdict/finding.ts';
import { reason } from '../../verdict/reasons.ts';
import {
  type Report,
  type ReportedInteraction,
  type ReportedRequirement,
  settingsShown,
} from '../../verdict/report.ts';
import { exchangeOf, requirementOf, verdictOf } from '../run/hand-made.ts';

const startedAt = Date.UTC(2026, 10, 21, 12);
const exchanges = Array.from({ length: 9 }, (_nothing, at) => exchangeOf(at + 1));
const exchange = (number: number): Exchange => exchanges.find((one) => one.number === number)!;
const answerWith = (status: number, body: string, headers = {}) => ({ response: { status, headers, body } });

/** What is reported of a run of two seconds with these exchanges. */
function report(part: Partial<ReportInput> = {}): Report {
  return createReport({
    mask: createMask(() => []),
    settings: trialSettings(60, { seed: 42 }),
    verdicts: [],
    exchanges,
    observed: new Map(),
    startedAt,
    endedAt: startedAt + 2_000,
    creates: 0,
    unanswered: 1,
    verdictOptions: { requiresAll: false },
    ...part,
  });
}

const failing = (code: FailureCode, ...numbers: readonly number[]): Failing =>
  fails('pet-id', code, { expected: code, received: 'none' }, ...numbers.map(exchange)) as Failing;

const counterexample = (finding: Failing, part: Partial<Counterexample> = {}): Counterexample => ({
  finding,
  exchanges: [exchange(1), ...finding.exchanges],
  recheck: 'fails-again',
  ...part,
});

/** What is reported of a requirement that fails in these ways. */
function reported(failures: readonly Failing[], noted?: Counterexample): ReportedRequirement {
  const counterexamples = new Map(noted === undefined ? [] : [['pet-id', noted] as const]);
  return report({ verdicts: [verdictOf('pet-id', 'fail', { failures })], counterexamples }).requirements[0]!;
}

const numbersOf = (numbered: readonly { readonly number: number }[]): readonly number[] =>
  numbered.map(({ number }) => number);
const citedBy = ({ failures }: ReportedRequirement) => failures.map(({ exchanges: cited }) => cited);

test('a run that found nothing says what ran, for how long, and how it ended', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  const said = report({ ended: reason('interrupted', {}) });
  assert.ok(Object.isFrozen(said));
  assert.equal(
    [said.kit.version, said.startedAt, said.durationMs, said.seed, said.requests, said.creates, said.exitCode],
    [version, '2026-11-21T12:00:00.000Z', 2_000, 42, 9, 0, 3],
  );
  assert.equal([said.reason, said.exchanges, said.created, said.waits], [reason('interrupted', {}), [], [], []]);
  const waits = [{ startedAt: said.startedAt, durationMs: 7, why: 'it had to' }];
  assert.equal([said.format, report({ waits }).waits], ['petstore-conformance-report', waits]);
  assert.equal(said.interface, { name: 'Pet Store Service Interface', version: '1.0.0' });
  const verdicts = (['pass', 'fail', 'warn', 'error'] as const).map((one) => verdictOf('pet-id', one));
  const { counts } = report({ verdicts });
  assert.equal([counts.total, counts.judged], [4, 3]);
  const observed = new Map([['list-order', { answers: ['shuffled'], exchange: exchange(4) }]] as const);
  const expected = gaps.map(({ id, section, question }) => {
    const shown = id === 'list-order' ? { observed: ['shuffled'], example: 4 } : { observed: [] };
    return { id, section, question, ...shown };
  });
  assert.equal(report({ observed }).gaps, expected);
  const waivers = new Map([['pet-id', { reason: 'known', owner: 'us', expires: '2027-01-01' }]] as const);
  const waived = report({ verdicts: [verdictOf('pet-id', 'pass')], verdictOptions: { requiresAll: false, waivers } });
  assert.equal(waived.notes, ['pet-id holds in this run, so its waiver may be removed.']);
});

test('settings stand as the user gave them, integers as text, headers by their names only', () => {
  const given = { plan: 'free', categoryIds: [2n ** 63n - 1n], headers: { 'x-secret': 'open sesame' } } as const;
  const waivers = new Map([['list-limit', { reason: 'known', owner: 'us', expires: '2027-01-01' }]] as const);
  const only = new Set(['list-answer', 'rate-limit-header'] as const);
  const settings = trialSettings(90, given);
  const shown = reportSettings(settings, { requiresAll: true, isLastFailed: true, only, waivers });
  assert.equal(shown, {
    ...defined(Object.fromEntries(settingsShown.map((name) => [name, settings[name]] as const))),
    only: ['list-answer', 'rate-limit-header'],
    isLastFailed: true,
    requiresAll: true,
    waivers: ['list-limit'],
    categoryIds: ['9223372036854775807'],
    gatewayHeaders: ['x-secret'],
    today: new Date(settings.today).toISOString(),
  } as never);
  const { only: all, isLastFailed, waivers: none } = reportSettings(settings, { requiresAll: false, only: 'shown' });
  assert.equal([all, isLastFailed, none], [undefined, undefined, []]);
});

test('a requirement is reported with its failures, each with the requests that show it and a curl line for the last', () => {
  const curl = 'curl -i \'http://in-process/v1/pets?limit=3\' -H "Authorization: Bearer $PETSTORE_API_KEY"';
  const failure = { code: 'id-missing', expected: 'id-missing', received: 'none', exchanges: [2, 4, 3], curl };
  const expected = { ...requirementOf('pet-id'), verdict: 'fail', evidence: 2, failures: [failure] } as const;
  assert.equal(reported([failing('id-missing', 2, 4, 3)]), expected);
});

test('of failures with one code those that differ in their input are shown, up to nine', () => {
  const withInput = (value: string): Failing => {
    const one = failing('id-missing', 1);
    return { ...one, failure: { ...one.failure, input: { name: 'query', value } } };
  };
  const inputsOf = (values: string) => {
    return reported([...values].map(withInput)).failures.map(({ input }) => input?.value);
  };
  assert.equal(inputsOf('aaabbbbc'), ['a', 'b', 'c']);
  assert.equal(inputsOf('abcdefghij'), [...'abcdefghi']);
  assert.is(reported([failing('id-missing', 1), failing('id-not-int64', 1)]).failures.length, 2);
});

test('the failure with the shortest sequence comes first, with the result of its recheck; then the smallest of each code', () => {
  const failures = [failing('id-not-int64', 1, 2), failing('id-not-int64', 1), failing('id-missing', 3, 4)];
  const one = reported(failures, counterexample(failing('id-missing', 3, 4)));
  assert.equal(citedBy(one), [[3, 4], [1]]);
  const sequences = one.failures.map(({ sequence }) => sequence);
  assert.equal(sequences, [[1, 3, 4], undefined]);
  assert.is(one.recheck, 'fails-again');
  const two = [failing('id-missing', 1), failing('id-missing', 2)];
  const others = reported(two, counterexample(failing('id-missing', 8, 9)));
  assert.equal(citedBy(others), [[8, 9]]);
  // What only a part of the exchanges shows is not reported.
  const [alone] = reported([failing('id-missing', 2)], counterexample(failing('id-not-int64', 2))).failures;
  assert.equal([alone?.code, alone?.sequence], ['id-missing', undefined]);
});

test('a cause names the failures of its requirements by their places, and where they show', () => {
  const failures = [failing('id-not-int64', 1), failing('animal-missing', 2), failing('id-missing', 3, 4)];
  const [failed, passed] = [verdictOf('pet-id', 'fail', { failures }), verdictOf('pet-name', 'pass')];
  assert.equal(report({ verdicts: [failed, passed] }).causes, [
    {
      requirements: [
        { id: 'pet-id', failures: [0] },
        { id: 'pet-id', failures: [1] },
        { id: 'pet-id', failures: [2] },
      ],
    },
  ]);
  const holding = [holds('pet-id', exchange(5)), holds('pet-id', exchange(6)), holds('pet-id', exchange(1))];
  const [cause] = report({ verdicts: [{ ...failed, holding }] }).causes;
  assert.equal(cause?.where, { failing: 3, holding: 2 });
});

function interaction(verdict: ReportedInteraction['verdict'], ...numbers: readonly number[]): ReportedInteraction {
  const described = { description: 'animals', consumer: 'shop', states: ['there are animals'], messages: [] };
  return { ...described, verdict, exchanges: numbers };
}

function creation(number: number, sent: string, returned: string): Exchange {
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', target: '/pets', headers, body: sent };
  return exchangeOf(number, { operation: 'createPet', request, ...answerWith(201, returned, headers) });
}

const creations = [
  creation(1, '{"name":"Rex","categoryId":1}', '{"id":9007199254740993,"name":"rex","categoryId":1}'),
  creation(2, '{}', '{"id":-2,"name":"Mia"}'),
  creation(3, 'no JSON', '{"id":3}'),
  creation(4, '{"name":"Tom","categoryId":1}', '{"id":"4"}'),
];

test('the exchanges that failures and interactions cite are carried, with sequences and creations', () => {
  const verdicts = [
    verdictOf('pet-id', 'fail', { failures: [failing('id-missing', 4)] }),
    verdictOf('pet-status', 'fail', { failures: [{ ...failing('status-missing', 7), requirement: 'pet-status' }] }),
  ];
  const counterexamples = new Map([['pet-id', counterexample(failing('id-missing', 4))]] as const);
  assert.equal(numbersOf(report({ verdicts, counterexamples }).exchanges), [1, 4, 7]);
  const interactions = [interaction('pass', 1), interaction('fail', 2), interaction('pending', 3)];
  const verified = report({ interactions: [...interactions, interaction('not-verifiable', 5)] });
  assert.equal(numbersOf(verified.exchanges), [2, 3, 5]);
  assert.equal(verified.interactions?.slice(0, 3), interactions);
  const request = { method: 'GET', target: '/pets/-2', headers: {} };
  const read = exchangeOf(5, { operation: 'getPet', request, ...answerWith(404, '') });
  const failures = [fails('pet-id', 'id-missing', { expected: 'an id', received: 'none' }, read)];
  const rested = report({ exchanges: [...creations, read], verdicts: [verdictOf('pet-id', 'fail', { failures })] });
  assert.equal(numbersOf(rested.exchanges), [2, 5]);
});

test('the timeline says what answers leave of a limit, as far as they hold whole numbers', () => {
  const answered = (remaining: string, limit = '60') =>
    exchangeOf(1, answerWith(200, '[]', { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining }));
  const { response: _response, ...silent } = exchangeOf(2);
  const row = { answeredAt: '2026-11-21T12:00:01.007Z', credential: 'valid' };
  assert.equal(report({ exchanges: [answered('7'), answered('many'), answered('0', 'x'), silent] }).timeline, [
    { ...row, limit: 60, remaining: 7 },
    { ...row, remaining: 0 },
  ]);
});

test('animals that are left behind have their id as a text, and the name that was sent', () => {
  const refused = exchangeOf(6, { operation: 'createPet', ...answerWith(400, '{}') });
  const odd = exchangeOf(7, answerWith(201, '{}'));
  assert.equal(animalsLeftBehind([...creations, exchange(5), refused, odd]), [
    { id: '9007199254740993', name: 'Rex' },
    { id: '-2', name: '' },
    { id: '3', name: '' },
    { name: 'Tom' },
  ]);
});

test("a failure whose answer looks like a gateway's says so", () => {
  const received = (status: number, body: string, headers = {}): string | undefined => {
    const answered = exchangeOf(4, answerWith(status, body, headers));
    const facts = { expected: '201', received: '400' };
    const failures = [fails('create-answer', 'unexpected-status', facts, answered)] as Failing[];
    const verdicts = [verdictOf('create-answer', 'fail', { failures })];
    return report({ exchanges: [answered], verdicts }).requirements[0]?.failures[0]?.received;
  };
  assert.is(received(400, '<html>'), "400 (the answer looks like a gateway's or a framework's)");
  assert.is(received(400, '{}'), '400');
  assert.equal([received(200, '<html>'), received(400, '<html>', { 'x-ratelimit-limit': '9' })], ['400', '400']);
});

test.run();
