/** Files of animals, JSON and YAML, without losing a digit. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readAnimals } from '../../twin/animals-file.ts';

const expected = [
  { name: 'Rex', categoryId: 9007199254740993n, status: 'sold' },
  { name: '1.0', categoryId: -1n },
];

test('a list of animals is read from JSON and from YAML', () => {
  const json = '[{"name":"Rex","categoryId":9007199254740993,"status":"sold"},{"name":"1.0","categoryId":-1}]';
  assert.equal(readAnimals(json), expected);
  assert.equal(readAnimals(`\ufeff ${json}`), expected);
  const yaml =
    '# mine\n- name: Rex\n  categoryId: 9007199254740993\n  status: sold\n- { name: "1.0", categoryId: -1 }\n';
  assert.equal(readAnimals(yaml), expected);
  assert.equal(readAnimals('[]'), []);
});

for (const [text, sentence] of [
  ['[', /^it is neither JSON nor YAML/],
  ['a: [', /^it is neither JSON nor YAML/],
  ['', /^it must be a list of animals$/],
  ['{"name":"Rex"}', /^it must be a list of animals$/],
  ['["Rex"]', /^animal 1 is not an object$/],
  ['[{"name":"Rex","categoryId":1},{"categoryId":1}]', /^animal 2 needs a name/],
  ['[{"name":"Rex","categoryId":1.5}]', /^animal 1 needs a categoryId/],
  ['[{"name":"Rex","categoryId":9223372036854775808}]', /^animal 1 needs a categoryId/],
  ['[{"name":"Rex","categoryId":1,"status":"lost"}]', /^animal 1 has a status other than/],
  ['[{"name":"Rex","categoryId":1,"id":7}]', /^animal 1 has the unknown field "id"$/],
] as const) {
  test(`${JSON.stringify(text)} is refused with its animal`, () => {
    assert.throws(
      () => readAnimals(text),
      (error: Error) => error instanceof RangeError && sentence.test(error.message),
    );
  });
}

test('aliases that multiply are refused', () => {
  const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
  for (let at = 1; at < 9; at += 1) {
    const [before, name] = [String.fromCharCode(96 + at), String.fromCharCode(97 + at)];
    bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(',')}]`);
  }
  assert.throws(() => readAnimals(bomb.join('\n')), /^it is neither JSON nor YAML/);
});

test.run();
