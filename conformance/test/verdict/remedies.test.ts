/** A failure names the mistake behind it, and each mistake says what to change, in few lines and for known ids. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failureCodes } from '../../../spec/failure-codes.ts';
import { isRequirementId } from '../../../spec/requirements.ts';
import { type FailureToRemedy, mistakesBehind, remediesByStack, remedyOf } from '../../verdict/remedies/index.ts';
import { type Mistake, mistakes } from '../../verdict/remedies/mistakes.ts';

test('a missing header names the order of limiter and key as the mistake', () => {
  const remedy = remedyOf('rate-limit-header', { code: 'missing' });
  assert.is(remedy?.id, 'headers-missing');
  assert.match(remedy?.advice ?? '', /^Run the limiter before the key is checked/);
});

test('the mistakes behind a requirement are those that break it, each with its remedies by stack', () => {
  const idsBehind = (requirement: Parameters<typeof mistakesBehind>[0]) =>
    mistakesBehind(requirement).map(({ id }) => id);
  assert.equal(idsBehind('rate-limit-header'), ['headers-missing']);
  assert.equal(idsBehind('auth-bearer-header'), ['body-before-key', 'key-lookup']);
  assert.equal(idsBehind('pet-id'), []);
  for (const { id, remedies } of mistakesBehind('create-invalid-values')) {
    const expected = Object.entries(remediesByStack).flatMap(([stack, ofStack]) => {
      const remedy = ofStack[id];
      return remedy === undefined ? [] : [[stack, remedy.advice, remedy.code]];
    });
    assert.ok(expected.length > 0, id);
    assert.equal(
      remedies.map(({ stack, advice, code }) => [stack, advice, code]),
      expected,
    );
  }
});

test('a failure that may have other reasons names no mistake', () => {
  assert.is(remedyOf('list-answer', { code: 'unexpected-status', status: 500 }), undefined);
  assert.is(remedyOf('rate-limit-header', { code: 'code-of-a-later-kit' }), undefined);
  assert.is(remedyOf('create-invalid-values', { code: 'accepted', status: 201 }), undefined);
  assert.is(remedyOf('requirement-of-a-later-kit', { code: 'missing' }), undefined);
});

const categoryId = (value: string): FailureToRemedy['input'] => ({ name: 'categoryId', value });
const credential = (value: string): FailureToRemedy['input'] => ({ name: 'credential', value });

const shown: readonly (readonly [mistake: string | undefined, requirement: string, failure: FailureToRemedy])[] = [
  ['int64-rounded', 'pet-category-id-kept', { code: 'categoryId-changed', input: categoryId('9007199254740993') }],
  // A column of 32 bits is another mistake.
  [undefined, 'pet-category-id-kept', { code: 'categoryId-changed', input: categoryId('2147483648') }],
  ['values-converted', 'create-invalid-values', { code: 'accepted', status: 201, input: categoryId('1.5') }],
  [
    'values-converted',
    'create-invalid-values',
    { code: 'accepted', status: 201, input: { name: 'name', value: '123' } },
  ],
  [
    'null-omitted',
    'create-invalid-values',
    { code: 'accepted', status: 201, input: { name: 'status', value: 'null' } },
  ],
  [
    'body-before-key',
    'auth-invalid-key',
    { code: 'unexpected-status', status: 400, input: credential('word-null'), otherFault: 'body' },
  ],
  [undefined, 'auth-invalid-key', { code: 'unexpected-status', status: 400, input: credential('word-null') }],
  [
    'body-before-key',
    'auth-bearer-header',
    { code: 'unexpected-status', status: 400, input: credential('scheme-token'), otherFault: 'body' },
  ],
  // The key counts without its scheme, so its request gets to the body.
  [
    undefined,
    'auth-bearer-header',
    { code: 'unexpected-status', status: 400, input: credential('without-scheme'), otherFault: 'body' },
  ],
  ['key-lookup', 'auth-invalid-key', { code: 'accepted', status: 200, input: credential('word-constructor') }],
  ['key-lookup', 'auth-invalid-key', { code: 'unexpected-status', status: 500, input: credential('word-proto') }],
  ['key-lookup', 'auth-bearer-header', { code: 'accepted', status: 200, input: credential('without-scheme') }],
  // A key that is read from the query, or compared in part, is another mistake.
  [undefined, 'auth-bearer-header', { code: 'accepted', status: 200, input: credential('elsewhere') }],
  [undefined, 'auth-invalid-key', { code: 'accepted', status: 200, input: credential('last-character-changed') }],
  ['broken-body', 'create-malformed-body', { code: 'unexpected-status', status: 500 }],
  ['framework-errors', 'create-malformed-body', { code: 'unexpected-status', status: 422 }],
  ['unusual-text', 'create-body-utf8', { code: 'unexpected-status', status: 500 }],
  ['names-trimmed', 'pet-name-kept', { code: 'name-changed', input: { name: 'name', value: '" Rex"' } }],
  ['page-limit', 'list-limit', { code: 'too-many' }],
  ['limit-answers', 'rate-retry-after', { code: 'unusable' }],
];

for (const [mistake, requirement, failure] of shown)
  test(`${requirement}, ${failure.code} ${failure.status ?? ''} ${failure.input?.value ?? ''}: ${mistake}`, () => {
    assert.is(remedyOf(requirement, failure)?.id, mistake);
  });

test('every mistake names requirements and codes that exist, and is behind each of these requirements', () => {
  for (const [id, { signs, alsoBreaks = [] }] of Object.entries<Mistake>(mistakes)) {
    for (const requirement of [...signs.map((sign) => sign.requirement), ...alsoBreaks]) {
      assert.ok(isRequirementId(requirement), `${id}: ${requirement}`);
      const behind = mistakesBehind(requirement).map((mistake) => mistake.id);
      assert.ok(behind.includes(id as keyof typeof mistakes), `${id}: ${requirement}`);
    }
    for (const code of signs.flatMap(({ codes }) => codes)) assert.ok(code in failureCodes, `${id}: ${code}`);
  }
});

test('a mistake has one line of advice for any stack, and a sentence and at most five lines of code for each', () => {
  for (const { advice } of Object.values<Mistake>(mistakes)) assert.ok(advice.length <= 150, advice);
  for (const [stack, remedies] of Object.entries(remediesByStack)) {
    for (const [id, { advice, code }] of Object.entries(remedies)) {
      const label = `${stack}: ${id}`;
      assert.match(advice, /^[A-Z`].*[.:]$/, label);
      assert.ok(code.length <= 5, label);
      for (const line of [advice, ...code]) assert.ok(line.length <= 100, `${label}: ${line}`);
    }
  }
});

test('the mistakes that most implementations made are all there, each with a remedy', () => {
  const ids =
    'headers-missing int64-rounded values-converted null-omitted body-before-key key-lookup broken-body unusual-text framework-errors names-trimmed page-limit limit-answers';
  assert.is(Object.keys(mistakes).join(' '), ids);
  const remedied = new Set(Object.values(remediesByStack).flatMap((remedies) => Object.keys(remedies)));
  for (const id of ids.split(' ')) assert.ok(remedied.has(id), id);
});

test.run();
