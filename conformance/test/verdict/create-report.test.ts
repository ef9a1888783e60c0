/** The report holds what a run found, and of its exchanges those that show why. */

import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FailureCode } from '../../../spec/failure-codes.ts';
import { gaps } from '../../../spec/gaps.ts';
import type { Exchange } from '../../http/exchange.ts';
import { trialSettings } from '../../proof/trial.ts';
import { countVerdicts } from '../../verdict/counts.ts';
import { createReport, leftoversOf, type ReportInput, reportSettings } from '../../verdict/create-report.ts';
import { type Counterexample, type Failing, fails } from '../../verdict/finding.ts';
import { reason } from '../../verdict/reasons.ts';
import type { Report, ReportedInteraction, ReportedRequirement } from '../../verdict/report.ts';
import { timelineRow } from '../../verdict/report-exchange.ts';
import { exchangeOf, requirementOf, verdictOf } from '../run/hand-made.ts';

const startedAt = Date.UTC(2026, 10, 21, 12);
const exchanges = Array.from({ length: 9 }, (_nothing, at) => exchangeOf(at + 1));
const exchange = (number: number): Exchange => exchanges.find((one) => one.number === number)!;

const verdictOptions = { requiresAll: false };

/** A run of two seconds with these exchanges. */
function inputOf(part: Partial<ReportInput> = {}): ReportInput {
  return {
    settings: trialSettings(60, { seed: 42 }),
    verdicts: [],
    exchanges,
    observed: new Map(),
    startedAt,
    endedAt: startedAt + 2_000,
    requests: 9,
    creates: 0,
    unanswered: 0,
    verdictOptions,
    scope: 'failures',
    ...part,
  };
}

const report = (part: Partial<ReportInput> = {}): Report => createReport(inputOf(part));

const failing = (code: FailureCode, ...numbers: readonly number[]): Failing =>
  fails('pet-id', code, { expected: code, received: 'none' }, ...numbers.map(exchange)) as Failing;

/** What is reported of a requirement that fails in these ways. */
function reported(failures: readonly Failing[], counterexample?: Counterexample): ReportedRequirement {
  const counterexamples = new Map(counterexample === undefined ? [] : [['pet-id', counterexample] as const]);
  return report({ verdicts: [verdictOf('pet-id', 'fail', { failures })], counterexamples }).requirements[0]!;
}

const numbersOf = (numbered: readonly { readonly number: number }[]): readonly number[] =>
  numbered.map(({ number }) => number);
const citedBy = ({ failures }: ReportedRequirement) => failures.map(({ exchanges: cited }) => cited);

test('a run that found nothing says what ran, against what, and for how long', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  const { gaps: asked, settings, counts, ...said } = report({ ended: reason('interrupted', {}) });
  assert.equal(said, {
    format: 'petstore-conformance-report',
    formatVersion: 1,
    kit: { name: 'petstore-conformance', version },
    node: process.version,
    interface: { name: 'Pet Store Service Interface', version: '1.0.0' },
    target: { baseUrl: 'http://in-process/v1' },
    startedAt: '2026-11-21T12:00:00.000Z',
    durationMs: 2_000,
    seed: 42,
    verdict: 'inconclusive',
    exitCode: 3,
    reason: reason('interrupted', {}),
    requests: 9,
    creates: 0,
    unanswered: 0,
    requirements: [],
    created: [],
    waits: [],
    timeline: exchanges.map(timelineRow),
    exchanges: [],
  });
  assert.equal(settings, reportSettings(trialSettings(60, { seed: 42 }), verdictOptions));
  assert.equal(counts, countVerdicts([]));
  assert.equal(
    asked,
    gaps.map(({ id, section, question }) => ({ id, section, question, observed: [] })),
  );
  assert.ok(Object.isFrozen(report()));
});

test('a requirement is reported with its failures, each with the requests that show it and a curl line for the last', () => {
  const failure = failing('id-missing', 2, 3);
  const { section, level, text } = requirementOf('pet-id');
  assert.equal(reported([failure]), {
    id: 'pet-id',
    section,
    level,
    text,
    verdict: 'fail',
    evidence: 2,
    failures: [
      {
        code: 'id-missing',
        expected: 'id-missing',
        received: 'none',
        exchanges: [2, 3],
        curl: 'curl -i \'http://in-process/v1/pets?limit=3\' -H "Authorization: Bearer $PETSTORE_API_KEY"',
      },
    ],
  });
});

test('a requirement that passes carries example exchanges', () => {
  const [described] = report({ verdicts: [verdictOf('pet-id', 'pass', { examples: [1, 3] })] }).requirements;
  assert.equal(described!.examples, [1, 3]);
  assert.not.ok('examples' in report({ verdicts: [verdictOf('pet-id', 'inconclusive')] }).requirements[0]!);
});

test('a requirement that does not fail carries its reason and its waiver', () => {
  const waiver = { reason: 'known', owner: 'pets team', expires: '2027-01-31' };
  const waivers = new Map([['pet-id', [waiver]]] as const);
  const verdicts = [verdictOf('pet-id', 'inconclusive', { reason: 'nothing was listed' })];
  const { section, level, text } = requirementOf('pet-id');
  assert.equal(report({ verdicts, verdictOptions: { requiresAll: false, waivers } }).requirements, [
    {
      id: 'pet-id',
      section,
      level,
      text,
      verdict: 'inconclusive',
      evidence: 0,
      reason: 'nothing was listed',
      failures: [],
      waiver: { ...waiver, state: 'unused' },
    },
  ]);
});

test('of failures with one code those that differ in their input are shown, up to nine, and how many more there are', () => {
  const withInput = (value: string): Failing => {
    const one = failing('id-missing', 1);
    return { ...one, failure: { ...one.failure, input: { name: 'query', value } } };
  };
  const inputsOf = (values: string) => {
    const { failures, reason: why } = reported([...values].map(withInput));
    return [failures.map(({ input }) => input?.value).join(''), why];
  };
  assert.equal(inputsOf('aaabbbbc'), ['abc', '5 more failures of the same kinds, left out of the report']);
  assert.equal(inputsOf('abcdefghij'), ['abcdefghi', '1 more failure of the same kinds, left out of the report']);
  const two = reported([failing('id-missing', 1), failing('id-not-int64', 1)]);
  assert.equal([two.failures.length, two.reason], [2, undefined]);
});

test('a failure without an exchange is reported with a curl line for a listing', () => {
  const [failure] = reported([failing('id-missing')]).failures;
  assert.equal(failure?.exchanges, []);
  assert.is(failure?.curl, "curl -i 'http://in-process/v1/pets'");
});

const counterexample = (finding: Failing, part: Partial<Counterexample> = {}): Counterexample => ({
  finding,
  exchanges: [exchange(1), ...finding.exchanges],
  recheck: 'fails-again',
  ...part,
});

test('the failure with the shortest sequence comes first, with the result of its recheck; then the smallest of each code', () => {
  const failures = [failing('id-not-int64', 1, 2), failing('id-not-int64', 1), failing('id-missing', 3, 4)];
  const one = reported(failures, counterexample(failing('id-missing', 3, 4), { shrinking: 'stopped' }));
  assert.equal(citedBy(one), [[3, 4], [1]]);
  assert.equal(
    one.failures.map(({ sequence }) => sequence),
    [[1, 3, 4], undefined],
  );
  assert.not.ok('sequence' in one.failures[1]!);
  assert.equal([one.recheck, one.shrinking], ['fails-again', 'stopped']);
});

test('the failure of a sequence stands for its kind', () => {
  const failures = [1, 2].map((number) => failing('id-missing', number));
  const one = reported(failures, counterexample(failing('id-missing', 8, 9)));
  assert.equal(citedBy(one), [[8, 9]]);
  assert.is(one.reason, '2 more failures of the same kinds, left out of the report');
});

test('a failure that only a part of the exchanges shows is not reported', () => {
  const one = reported([failing('id-missing', 2)], counterexample(failing('id-not-int64', 2)));
  assert.equal(
    one.failures.map(({ code, sequence }) => [code, sequence]),
    [['id-missing', undefined]],
  );
  assert.not.ok('recheck' in one || 'shrinking' in one);
});

test('the exchanges that failures cite are carried, and those of their sequences', () => {
  const verdicts = [
    verdictOf('pet-id', 'fail', { failures: [failing('id-missing', 4)] }),
    verdictOf('pet-name', 'pass'),
    verdictOf('pet-status', 'fail', { failures: [{ ...failing('status-missing', 7), requirement: 'pet-status' }] }),
  ];
  const counterexamples = new Map([['pet-id', counterexample(failing('id-missing', 4))]] as const);
  assert.equal(numbersOf(report({ verdicts, counterexamples }).exchanges), [1, 4, 7]);
  assert.equal(numbersOf(report({ verdicts, scope: 'all' }).exchanges), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

function interaction(verdict: ReportedInteraction['verdict'], ...numbers: readonly number[]): ReportedInteraction {
  const described = { description: 'animals', consumer: 'shop', states: ['there are animals'], messages: [] };
  return { ...described, verdict, exchanges: numbers };
}

test('interactions are reported where pacts are verified, and carry their exchanges unless they pass', () => {
  const interactions = [interaction('pass', 1), interaction('fail', 2), interaction('pending', 3)];
  const verified = report({ interactions: [...interactions, interaction('not-verifiable', 5)] });
  assert.equal(verified.interactions?.slice(0, 3), interactions);
  assert.equal(numbersOf(verified.exchanges), [2, 3, 5]);
  assert.not.ok('interactions' in report());
});

test('an exchange has its answer or the reason that there is none, and its credential by id and in words', () => {
  const { response, ...silent } = exchangeOf(2);
  const failure = { code: 'ECONNRESET', message: 'socket hang up' };
  const [answered, lost] = report({ exchanges: [exchange(1), { ...silent, failure }], scope: 'all' }).exchanges;
  const described = {
    check: 'some-check',
    operation: 'listPets',
    credential: 'the API key',
    credentialId: 'api-key',
    durationMs: 7,
  };
  const request = { method: 'GET', target: '/pets?limit=1', headers: {} };
  assert.equal(answered, { ...described, number: 1, request, response, startedAt: '2026-11-21T12:00:01.000Z' });
  assert.equal(lost, {
    ...described,
    number: 2,
    request: { ...request, target: '/pets?limit=2' },
    failure,
    startedAt: '2026-11-21T12:00:02.000Z',
  });
});

test('an observation is the ids of its answers, and an exchange that shows the first', () => {
  const observed = new Map([
    ['list-order', { answers: ['oldest-first', 'newest-first'], exchange: exchange(6) }],
  ] as const) as NonNullable<ReportInput['observed']>;
  const gap = report({ observed }).gaps.find(({ id }) => id === 'list-order')!;
  assert.equal(gap.observed, ['oldest-first', 'newest-first']);
  assert.is(gap.example, 6);
});

function creation(number: number, sent: string, returned: string): Exchange {
  return exchangeOf(number, {
    operation: 'createPet',
    request: { method: 'POST', target: '/pets', headers: { 'content-type': 'application/json' }, body: sent },
    response: { status: 201, headers: { 'content-type': 'application/json' }, body: returned },
  });
}

const creations = [
  creation(1, '{"name":"Rex","categoryId":1}', '{"id":9007199254740993,"name":"rex","categoryId":1}'),
  creation(2, '{}', '{"id":-2,"name":"Mia"}'),
  creation(3, 'no JSON', '{"id":3}'),
  creation(4, '{"name":"Tom","categoryId":1}', '{"id":"4"}'),
];

test('animals that are left behind have their id as a text, and the name that was sent or else returned', () => {
  const created = leftoversOf(creations);
  assert.equal(report({ created }).created, [
    { id: '9007199254740993', name: 'Rex' },
    { id: '-2', name: 'Mia' },
    { id: '3', name: '' },
    { name: 'Tom' },
  ]);
});

test('creations that a cited request rests on are carried with it', () => {
  const read = exchangeOf(5, {
    operation: 'getPet',
    request: { method: 'GET', target: '/pets/-2', headers: {} },
    response: { status: 404, headers: {}, body: '' },
  });
  const failures = [fails('pet-id', 'id-missing', { expected: 'an id', received: 'none' }, read)];
  const verdicts = [verdictOf('pet-id', 'fail', { failures })];
  assert.equal(numbersOf(report({ exchanges: [...creations, read], verdicts }).exchanges), [2, 5]);
});

test('only the requirements that the user asked for are reported', () => {
  const verdicts = [verdictOf('pet-id', 'pass'), verdictOf('pet-name', 'pass')];
  const { requirements: shown } = report({
    verdicts,
    verdictOptions: { requiresAll: false, only: new Set(['pet-name']) },
  });
  assert.equal(
    shown.map(({ id }) => id),
    ['pet-name'],
  );
});

test('a stale waiver is a note', () => {
  const waivers = new Map([['pet-id', [{ reason: 'known', owner: 'pets team', expires: '2027-01-31' }]]] as const);
  const noted = report({ verdicts: [verdictOf('pet-id', 'pass')], verdictOptions: { requiresAll: false, waivers } });
  assert.is(noted.requirements[0]?.waiver?.state, 'stale');
  assert.equal(noted.notes, ['pet-id holds in this run, so its waiver may be removed.']);
});

test("a failure whose answer looks like a gateway's says so", () => {
  const received = (body: string): string | undefined => {
    const exchange = exchangeOf(4, { response: { status: 400, headers: {}, body } });
    const failures = [
      fails('create-answer', 'unexpected-status', { expected: '201', received: '400' }, exchange),
    ] as Failing[];
    const part = { exchanges: [exchange], verdicts: [verdictOf('create-answer', 'fail', { failures })] };
    return report(part).requirements[0]?.failures[0]?.received;
  };
  assert.is(received('<html>'), "400 (the answer looks like a gateway's or a framework's)");
  assert.is(received('{}'), '400');
});

test('a report without observations carries no gap', () => {
  const { observed: _observed, ...unobserved } = inputOf();
  assert.equal(createReport(unobserved).gaps, []);
});

test.run();
