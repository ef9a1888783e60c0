/** The forms for issues have the members that GitHub wants, and name an id that the kit has. */

import { globSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { requirements } from '../../../spec/requirements.ts';

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly { readonly id?: string; readonly attributes: Readonly<Record<string, string>> }[];
}

test('every form has a name, a description and labels, and its example of an id is one', () => {
  const folder = new URL('../../../.github/ISSUE_TEMPLATE/', import.meta.url).pathname;
  const forms = globSync('[!c]*.yml', { cwd: folder }).map(
    (file) => parse(readFileSync(folder + file, 'utf8')) as Form,
  );
  assert.is(forms.length, 2);
  for (const { name, description, body } of forms) {
    assert.ok(name && description);
    for (const { id, attributes } of body) assert.ok(attributes['value'] ?? (id && attributes['label']));
  }
  const [example] = forms.flatMap(({ body }) => body.flatMap(({ attributes }) => attributes['placeholder'] ?? []));
  assert.ok(
    requirements.some(({ id }) => id === example),
    example,
  );
});

test.run();
