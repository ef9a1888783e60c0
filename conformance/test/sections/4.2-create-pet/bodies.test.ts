/** The table of invalid bodies: its malformed texts are what their row says. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readNewPet } from '../../../http/read-request.ts';
import { malformed } from '../../../sections/4.2-create-pet/bodies.ts';

const animal = '{"name":"cf-abc123-01","categoryId":5}';
const tokens: Readonly<Record<string, string>> = {
  N: '"cf-abc123-01"',
  T: 'cf-abc123-01',
  C: '5',
  P: animal,
  J: JSON.stringify(animal),
};
const texts = Object.values(malformed)
  .flat()
  .map((template) => template.replace(/%([NTCPJ])/g, (_, token: string) => tokens[token]!));

/** A name that nests is JSON: it stands among the malformed rows since a parser may fail by its depth. */
function brokenBy(text: string): string {
  if (text.startsWith('{"name":[[')) return 'create-invalid-values';
  return text.startsWith('{"name":{') ? 'create-required-fields' : 'create-malformed-body';
}

test('no text of the malformed rows is an animal as JSON, and all texts differ', () => {
  for (const body of texts) {
    const request = { method: 'POST', target: '/pets', headers: { 'content-type': 'application/json' }, body };
    const reading = readNewPet({ request });
    assert.is(reading.kind === 'invalid' && reading.requirement, brokenBy(body), body);
  }
  assert.is(new Set(texts).size, texts.length);
});

test.run();
