/** The forms for issues are such as GitHub takes, and name ids that the kit has. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { requirements } from '../../../spec/requirements.ts';

const folder = new URL('../../../.github/ISSUE_TEMPLATE', import.meta.url).pathname;

interface Field {
  readonly type: string;
  readonly id?: string;
  readonly attributes: Readonly<Record<string, string>>;
}

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly Field[];
}

const forms = readdirSync(folder)
  .filter((file) => file !== 'config.yml')
  .map((file) => parse(readFileSync(join(folder, file), 'utf8')) as Form);

test('every form has a name, a description and fields of its own ids', () => {
  assert.is(forms.length, 2);
  for (const { name, description, body } of forms) {
    assert.ok(name.length > 3 && description.length > 10);
    const fields = body.filter(({ type }) => type !== 'markdown');
    assert.is(new Set(fields.map(({ id }) => id)).size, fields.length);
    for (const { type, id, attributes } of body) {
      assert.ok(['markdown', 'input', 'textarea'].includes(type), type);
      assert.ok(type === 'markdown' ? attributes['value'] : id !== undefined && attributes['label'], type);
    }
  }
});

test('the example of an id is one', () => {
  const examples = forms.flatMap(({ body }) => body.flatMap(({ attributes }) => attributes['placeholder'] ?? []));
  assert.ok(examples.length > 0);
  for (const id of examples) {
    assert.ok(
      requirements.some((one) => one.id === id),
      id,
    );
  }
});

test.run();
