/** Matching rules say which values a place allows, in every form that they are written in. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { demandOf, rulesOf } from '../lint/matching-rules.ts';

/** What one matcher at the root allows of some values, for an example. */
function allowed(matcher: object, example: unknown, values: readonly unknown[]): readonly unknown[] {
  const rules = rulesOf({ body: { $: { matchers: [matcher] } } }, 'body');
  return values.filter(demandOf(rules, [], example).accepts);
}

const some = [1, 1.5, 2n, '1', 'text', true, null];

/** Matcher → what it allows of some values, where the example is 1. */
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

test('without a rule a place is its example', () => {
  const { accepts, isWhole, isContained } = demandOf([], ['id'], 7);
  assert.equal([accepts(7), accepts(8), isWhole, isContained], [true, false, true, false]);
});

test('all matchers of a rule have to allow a value, or one where it says so', () => {
  const both = [{ match: 'integer' }, { match: 'regex', regex: '^7$' }];
  const accepts = (combine: string) =>
    [7, 8].map(demandOf(rulesOf({ body: { $: { combine, matchers: both } } }, 'body'), [], 7).accepts);
  assert.equal(accepts('AND'), [true, false]);
  assert.equal(accepts('OR'), [true, true]);
});

test('the longest rule that fits a place holds there, and how many entries it wants does not pass on', () => {
  const rules = rulesOf(
    {
      body: { $: { matchers: [{ match: 'type', min: 2, max: 5 }] }, '$[*].id': { matchers: [{ match: 'equality' }] } },
    },
    'body',
  );
  const root = demandOf(rules, [], []);
  assert.equal([root.least, root.most, root.isWhole], [2, 5, false]);
  const name = demandOf(rules, [0, 'name'], 'Rex');
  assert.equal([name.least, name.most, name.accepts('Max')], [undefined, undefined, true]);
  assert.not.ok(demandOf(rules, [3, 'id'], 7).accepts(8));
});

test('paths are read in every notation, and headers by their name', () => {
  for (const path of ["$['pets'][0]['name']", '$.pets[0].name', '$["pets"][*].name', '$.*[*].*']) {
    const rules = rulesOf({ body: { [path]: { match: 'type' } } }, 'body');
    assert.ok(demandOf(rules, ['pets', 0, 'name'], 'Rex').accepts('Max'), path);
    assert.not.ok(demandOf(rules, ['pets', 0], 'Rex').accepts('Max'), path);
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

test('an entry that only has to be somewhere is matched by the rules of its variant', () => {
  const variants = [
    { index: 0, rules: { '$.id': { matchers: [{ match: 'type' }] } } },
    { index: 1, rules: {} },
  ];
  const rules = rulesOf({ body: { $: { matchers: [{ match: 'arrayContains', variants }] } } }, 'body');
  assert.ok(demandOf(rules, [], []).isContained);
  assert.ok(demandOf(rules, [0, 'id'], 7).accepts(8));
  assert.not.ok(demandOf(rules, [0, 'name'], 'Rex').accepts('Max'));
  assert.not.ok(demandOf(rules, [1, 'id'], 7).accepts(8));
});

test.run();
