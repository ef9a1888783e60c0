/** Each reason for the end of a run has its sentence, and the schema of reports knows it. */

import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { reason, reasonCodes, reasonInWords, reasonOf } from '../../verdict/reasons.ts';
import { settingsShown } from '../../verdict/report.ts';

test('a sentence holds its values as they are, and nothing for one that a report lacks', () => {
  assert.is(reasonInWords(reason('deadline', { seconds: 5 })), 'The deadline of 5 s has passed.');
  const odd = reason('requirement-unjudged', { id: '$&', why: '{id}' });
  assert.is(reasonInWords(odd), '$& could not be judged: {id}');
  assert.is(reasonInWords({ code: 'outage', values: {} }), 'The target is out of service: for at least  s .');
  assert.is(reasonInWords(undefined), undefined);
  const others = [new DOMException(), { code: 'x' }, null, undefined, 'outage'];
  const codes = [odd, ...others].map((given) => reasonOf({ reason: given }).code);
  assert.equal(codes, [odd.code, ...others.map(() => 'interrupted')]);
});

test('the schema of reports has the same codes and settings', () => {
  const schema = JSON.parse(readFileSync(new URL('../../report.schema.json', import.meta.url), 'utf8'));
  assert.equal(schema.properties.reason.properties.code.enum.toSorted(), reasonCodes.toSorted());
  const known = Object.keys(schema.$defs.settings.properties);
  assert.equal([...new Set([...known, ...settingsShown])], known);
});

test.run();
