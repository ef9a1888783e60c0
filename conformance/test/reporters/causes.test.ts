/** One defect is one cause, however many requirements it breaks; two defects are two. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import { defined } from '../../../spec/defined.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { causesOf } from '../../reporters/causes.ts';
import { faults } from '../../sections/faults.ts';
import type { ReportedFailure, ReportedRequirement } from '../../verdict/report.ts';
import { sampleReport } from './sample-report.ts';

const [pass] = sampleReport.requirements;

function failure(code: string, message: string, ...exchanges: readonly number[]): ReportedFailure {
  const [, expected = '', received = ''] = /^expected (.*?), received (.*)$/s.exec(message) ?? ['', message];
  const status = /^[2-5]\d\d\b/.exec(received)?.[0] ?? (code === 'another-animal' ? '200' : undefined);
  const name = /^400 to the (categoryId|status) /.exec(expected)?.[1];
  return defined({
    code,
    expected,
    received,
    status: status === undefined ? undefined : Number(status),
    input: name === undefined ? undefined : { name, value: '' },
    exchanges,
    curl: 'curl',
  });
}

function requirement(id: string, ...failures: readonly ReportedFailure[]): ReportedRequirement {
  return { ...pass!, id, verdict: 'fail', failures } as ReportedRequirement;
}

function groups(...requirements: readonly ReportedRequirement[]): readonly string[] {
  return causesOf({ requirements }).map(({ requirements }) =>
    requirements.map(({ requirement, failures }) => `${requirement.id} ${failures.length}`).join(', '),
  );
}

test('failures of one requirement with one code have one cause, whatever their values are', () => {
  const many = [25, 26].map((count) => failure('too-many', `expected at most 20 animals, received ${count}`, count));
  assert.equal(groups(requirement('list-limit', ...many, failure('null', 'expected one, received null', 9))), [
    'list-limit 2',
    'list-limit 1',
  ]);
});

test('the same message with other values is the same cause in another requirement', () => {
  assert.equal(
    groups(
      requirement('pet-name', failure('wrong', 'expected "a\\"b" in 3 pages, received 1.5', 1)),
      requirement('pet-status', failure('wrong', 'expected "c" in 400 pages, received -7', 2)),
    ),
    ['pet-name 1', 'pet-status 1'],
  );
  assert.equal(
    groups(
      requirement('pet-name', failure('wrong', 'expected "a\\"b" in 3 pages, received 1.5', 1)),
      requirement('pet-status', failure('wrong', 'expected "c" in 4000 pages, received -7', 2)),
    ),
    ['pet-name 1, pet-status 1'],
  );
});

test('failures whose messages differ only at the end are the same cause', () => {
  const start = `expected ${'a'.repeat(500)}`;
  assert.is(
    groups(
      requirement('pet-name', failure('wrong', `${start} b, received c`, 1)),
      requirement('pet-status', failure('wrong', `${start} d, received e`, 2)),
    ).length,
    1,
  );
});

test('another status is another cause', () => {
  assert.is(
    groups(
      requirement('get-answer', failure('status', 'expected 200, received 404', 1)),
      requirement('list-answer', failure('status', 'expected 200, received 500', 2)),
    ).length,
    2,
  );
});

test('failures that the same answer shows have one cause', () => {
  assert.equal(
    groups(
      requirement('pet-id', failure('id-missing', 'expected an id, received nothing', 3)),
      requirement('list-answer', failure('not-json', 'expected JSON, received none', 5)),
      requirement('service-json', failure('not-json', 'expected JSON, received none', 3)),
    ),
    ['pet-id 1, list-answer 1, service-json 1'],
  );
});

test('wrong headers of limits are a cause of their own, whatever else is wrong in the same answer', () => {
  const limits = requirement('rate-limit-header', failure('missing', 'expected X-RateLimit-Limit, received none', 3));
  assert.equal(
    groups(
      requirement('pet-name-kept', failure('name-changed', 'expected name "a", received "A"', 3)),
      { ...limits, section: '8' },
      { ...limits, id: 'rate-reset-header', section: '8' },
    ),
    ['pet-name-kept 1', 'rate-limit-header 1, rate-reset-header 1'],
  );
});

test('failures of one requirement that cite the same exchange have one cause', () => {
  const differs = failure('default-differs', 'expected 20, received 25', 6, 7, 8);
  assert.equal(
    groups(
      requirement('list-limit-default', failure('too-many', 'expected at most 20, received 25', 7), differs),
      requirement('list-limit', failure('other', 'expected another thing, received none', 6)),
    ),
    ['list-limit-default 2', 'list-limit 1'],
  );
});

test('a wrong status that the interface lists is one cause within an area, another one everywhere', () => {
  const refused = (id: string, received: number, number: number) =>
    requirement(id, failure('unexpected-status', `expected 200 (${id}), received ${received}`, number));
  assert.equal(
    groups(refused('get-answer', 404, 1), refused('get-until-removal', 404, 2), refused('list-answer', 404, 3)),
    ['get-answer 1, get-until-removal 1', 'list-answer 1'],
  );
  assert.equal(groups(refused('create-answer', 422, 1), refused('get-answer', 422, 2)), [
    'create-answer 1, get-answer 1',
  ]);
  assert.equal(groups(refused('create-answer', 500, 1), refused('get-answer', 500, 2)), [
    'create-answer 1',
    'get-answer 1',
  ]);
  assert.is(groups(refused('create-required-fields', 201, 1), refused('create-malformed-body', 201, 2)).length, 2);
  assert.is(groups(refused('create-required-fields', 200, 1), refused('create-malformed-body', 200, 2)).length, 1);
  assert.is(groups(refused('get-not-found', 200, 1), refused('get-id-not-int64', 200, 2)).length, 1);
});

test('a wrong status in every area has one cause, and in three areas one in each', () => {
  const failing = ['list-answer', 'create-answer', 'get-answer', 'auth-missing-key'].map((id, at) =>
    requirement(id, failure('unexpected-status', `expected another (${id}), received 500`, at + 1)),
  );
  assert.is(groups(...failing).length, 1);
  assert.is(groups(...failing.slice(1)).length, 3);
});

test('headers that are missing together have one cause', () => {
  const missing = (name: string, number: number) => ({
    ...requirement(`rate-${name}-header`, failure('missing', `expected X-RateLimit-${name} on 4 answers`, number)),
    section: '8' as const,
  });
  assert.is(groups(missing('Limit', 1), missing('Reset', 2)).length, 1);
});

test('what is wrong with one field of animals is one cause', () => {
  assert.equal(
    groups(
      requirement('pet-status', failure('status-wrong', 'expected status, received null', 1)),
      requirement('pet-name-kept', failure('name-changed', 'expected name, received none', 2)),
      requirement('pet-status-kept', failure('status-changed', 'expected "sold", received null', 3)),
      requirement('list-status-filter', failure('other-status', 'expected sold, received one without', 4)),
      requirement('error-status', failure('status-missing', 'expected status, received nothing', 5)),
      requirement('create-invalid-values', failure('accepted', 'expected 400 to the status 0, received 201', 6)),
    ),
    [
      'pet-status 1, pet-status-kept 1, list-status-filter 1, create-invalid-values 1',
      'pet-name-kept 1',
      'error-status 1',
    ],
  );
});

test('an answer that repeats the request has no id, or that of the client', () => {
  assert.is(
    groups(
      requirement('pet-id', failure('id-missing', 'expected id in the 201, received nothing', 1)),
      requirement('pet-id-assigned', failure('id-of-the-client', 'expected an id of the service, received 5', 2)),
      requirement('list-complete', failure('id-differs', 'expected 6 in pages, received 7', 3)),
    ).length,
    1,
  );
});

test('failures of one page have causes of their own', () => {
  assert.equal(
    groups(
      requirement('pet-id-unique', failure('id-twice-in-page', 'expected each once, received 2 twice', 7)),
      requirement('list-limit', failure('too-many', 'expected 1, received 2 animals', 7)),
      requirement('list-complete', failure('animal-missing', 'expected 3, received 2 animals', 7)),
    ),
    ['pet-id-unique 1', 'list-limit 1', 'list-complete 1'],
  );
});

test('a server error stands with the first failure that it explains', () => {
  const crash = (number: number) => failure('server-error', 'expected no server error, received 500', number);
  assert.equal(
    groups(
      requirement('list-answer', failure('unexpected-status', 'expected 200, received 500', 4)),
      requirement('create-answer', failure('unexpected-status', 'expected 201, received 500', 9)),
      requirement('errors-listed', crash(3), crash(4), crash(9)),
    ),
    ['create-answer 1', 'list-answer 1, errors-listed 3'].toReversed(),
  );
});

test('a server error that no other failure cites stands with the first one of its status', () => {
  const crash = (id: string, status: number, number: number) =>
    requirement(id, failure('unexpected-status', `expected 200, received ${status}`, number));
  const echo = requirement('errors-listed', failure('server-error', 'expected no server error, received 501', 9));
  assert.equal(groups(crash('list-answer', 500, 1), crash('get-answer', 501, 2), echo), [
    'list-answer 1',
    'get-answer 1, errors-listed 1',
  ]);
});

test('failures of credentials and of limits with several codes have one cause for each requirement', () => {
  const accepted = failure('accepted', 'expected 401 for one, received 200', 1);
  const refused = failure('unexpected-status', 'expected 401 for another, received 400', 2);
  assert.equal(groups({ ...requirement('auth-invalid-key', accepted, refused), section: '5' }), ['auth-invalid-key 2']);
});

test('keys that are accepted have the cause of a missing one that is', () => {
  const accepted = (id: string, number: number) => ({
    ...requirement(id, failure('accepted', `expected 401 (${id}), received 200`, number)),
    section: '5' as const,
  });
  const others = [accepted('auth-invalid-key', 2), accepted('auth-bearer-header', 3)];
  assert.is(groups(...others).length, 2);
  assert.is(groups(accepted('auth-missing-key', 1), ...others).length, 1);
});

test('an Error that is no JSON has the cause of what is no JSON', () => {
  assert.equal(
    groups(
      requirement('service-json', failure('not-json', 'expected a JSON body, received none', 1)),
      requirement('error-shape', failure('not-an-object', 'expected an Error, received no JSON (service-json)', 2)),
    ),
    ['service-json 1, error-shape 1'],
  );
});

test('the worst comes first, and stands for its cause', () => {
  const waiver = { reason: '', owner: '', expires: '2030-01-01', state: 'waived' } as const;
  const one = failure('limit', 'expected at most 100, received 101', 4);
  const causes = causesOf({
    requirements: [
      { ...requirement('service-json', failure('x', 'expected y, received z', 8)), waiver },
      { ...requirement('list-limit-refused', one), level: 'advised', verdict: 'warn' },
      requirement('list-limit', { ...one, curl: 'curl 2' }),
      { ...requirement('auth-missing-key', failure('a', 'expected b, received c', 9)), verdict: 'warn' },
    ],
  });
  assert.equal(
    causes.map(({ mark, requirements }) => [mark, ...requirements.map(({ requirement }) => requirement.id)]),
    [
      ['fail', 'list-limit', 'list-limit-refused'],
      ['warn', 'auth-missing-key'],
      ['waived', 'service-json'],
    ],
  );
  assert.is(causes[0]?.failure.curl, 'curl 2');
});

for (const [id, count] of [
  ['creation-answers-500', 1],
  ['body-html-with-404', 1],
  ['body-empty-answers-500', 1],
  ['every-answer-500', 1],
  ['category-stored-cut-to-53-bits', 1],
  ['read-finds-the-first-animal-always', 1],
] as const) {
  test(`the fault ${id} has ${count} cause`, async () => {
    const { handle } = createPetStore({ keys: trialKeys });
    const fault = faults.find((one) => one.id === id)!;
    const report = await runInProcess(fault.wrap(handle), trialSettings(60));
    assert.is(causesOf(report).length, count);
    assert.ok(report.counts.fail > 1);
  });
}

test.run();
