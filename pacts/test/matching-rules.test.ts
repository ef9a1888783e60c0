/** Matching rules are read in every notation, and say which values a place allows. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { constraintOf, rulesOf } from '../lint/matching-rules.ts';

/** The values that one matcher at the root allows. */
function allowed(matcher: object, example: unknown, values: readonly unknown[]): readonly unknown[] {
  const rules = rulesOf({ body: { $: { matchers: [matcher] } } }, 'body');
  return values.filter(constraintOf(rules, [], example).accepts);
}

const some = [1, 1.5, 2n, '1', 'text', true, null];

/** Matcher → the values that it allows for the example 1. */
const matchers: readonly (readonly [object, readonly unknown[]])[] = [
  [{ match: 'equality' }, [1]],
  [{ match: 'regex', regex: '^\\d$' }, [1, 2n, '1']],
  [{ regex: '^t' }, ['text', true]],
  [{ match: 'include', value: 'ex' }, ['text']],
  [{ match: 'integer' }, [1, 2n]],
  [{ match: 'decimal' }, [1.5]],
  [{ match: 'number' }, [1, 1.5, 2n]],
  [{ match: 'boolean' }, [true]],
  [{ match: 'null' }, [null]],
  [{ match: 'type' }, [1, 1.5]],
  [{}, [1, 1.5]],
  [{ match: 'date' }, []],
  [{ match: 'time' }, []],
  [{ match: 'timestamp' }, []],
  [{ match: 'datetime' }, []],
  [{ match: 'semver' }, []],
  [{ match: 'of another version' }, some],
  [{ match: 'regex', regex: '(?<no pattern' }, some],
];

for (const [matcher, values] of matchers) {
  test(`${JSON.stringify(matcher)} allows ${values.map(String).join(', ') || 'nothing'}`, () => {
    assert.equal(allowed(matcher, 1, some), values);
  });
}

test('without a rule only the example is allowed', () => {
  const { accepts, isWhole, isContained } = constraintOf([], ['id'], 7);
  assert.equal([accepts(7), accepts(8), isWhole, isContained], [true, false, true, false]);
});

test('all matchers of a rule must allow a value, or one of them with OR', () => {
  const both = [{ match: 'integer' }, { match: 'regex', regex: '^7$' }];
  const accepts = (combine: string) =>
    [7, 8].map(constraintOf(rulesOf({ body: { $: { combine, matchers: both } } }, 'body'), [], 7).accepts);
  assert.equal(accepts('AND'), [true, false]);
  assert.equal(accepts('OR'), [true, true]);
});

test('the longest matching rule applies, and its entry counts do not cascade', () => {
  const rules = rulesOf(
    {
      body: { $: { matchers: [{ match: 'type', min: 2, max: 5 }] }, '$[*].id': { matchers: [{ match: 'equality' }] } },
    },
    'body',
  );
  const root = constraintOf(rules, [], []);
  assert.equal([root.least, root.most, root.isWhole], [2, 5, false]);
  const name = constraintOf(rules, [0, 'name'], 'Rex');
  assert.equal([name.least, name.most, name.accepts('Max')], [undefined, undefined, true]);
  assert.not.ok(constraintOf(rules, [3, 'id'], 7).accepts(8));
});

test('the first matcher with a number bounds the entries of a list', () => {
  const matchers = [{ match: 'type' }, { match: 'type', min: '9', max: null }, { match: 'type', min: 2, max: 5 }];
  const { least, most } = constraintOf(rulesOf({ body: { $: { matchers } } }, 'body'), [], []);
  assert.equal([least, most], [2, 5]);
});

test('a pattern that takes too long counts as a match', () => {
  const regex = '^(a+)+$';
  assert.equal(allowed({ match: 'regex', regex }, 'a', [`${'a'.repeat(40)}!`, 'b']), [`${'a'.repeat(40)}!`]);
});

test('paths are read in every notation, and headers by name', () => {
  for (const path of ["$['pets'][0]['name']", '$.pets[0].name', '$["pets"][*].name', '$.*[*].*']) {
    const rules = rulesOf({ body: { [path]: { match: 'type' } } }, 'body');
    assert.ok(constraintOf(rules, ['pets', 0, 'name'], 'Rex').accepts('Max'), path);
    assert.not.ok(constraintOf(rules, ['pets', 0], 'Rex').accepts('Max'), path);
  }
  for (const rules of [
    { header: { 'Retry-After': { matchers: [{ match: 'type' }] } } },
    { '$.headers.Retry-After': { match: 'type' } },
    { '$.header.Retry-After': { match: 'type' } },
  ]) {
    assert.equal(
      rulesOf(rules, 'header').map(({ path }) => path),
      [['Retry-After']],
    );
    assert.equal(rulesOf(rules, 'body'), []);
  }
  assert.equal(rulesOf('none', 'body'), []);
});

test('an entry of arrayContains is matched by the rules of its variant', () => {
  const variants = [
    { index: 0, rules: { '$.id': { matchers: [{ match: 'type' }] } } },
    { index: 1, rules: {} },
  ];
  const rules = rulesOf({ body: { $: { matchers: [{ match: 'arrayContains', variants }] } } }, 'body');
  assert.ok(constraintOf(rules, [], []).isContained);
  assert.ok(constraintOf(rules, [0, 'id'], 7).accepts(8));
  assert.not.ok(constraintOf(rules, [0, 'name'], 'Rex').accepts('Max'));
  assert.not.ok(constraintOf(rules, [1, 'id'], 7).accepts(8));
});

test.run();
