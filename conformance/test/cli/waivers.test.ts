/** Files of waivers: what is read from them, and what no file may hold. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { readWaiverList } from '../../options/waivers.ts';
import { UsageError } from '../../run/usage-error.ts';
import type { Waivers } from '../../verdict/waivers.ts';

function read(text: string): Waivers {
  return readWaiverList(parse(text), 'waivers.yaml');
}

const waiver = (id: string, expires: string): string =>
  `- id: ${id}\n  reason: fixed in 2.0\n  owner: pets team\n  expires: ${expires}\n`;

test('the last day of February is a day in leap years only', () => {
  const expiresOn = (day: string) => read(waiver('pet-id', day)).get('pet-id')?.[0]?.expires;
  assert.is(expiresOn('2028-02-29'), '2028-02-29');
  assert.throws(() => expiresOn('2027-02-29'), /must expire on a day/);
});

test('a waiver has all that a team says of it, and a file has many', () => {
  const waivers = read(waiver('pet-id', '2027-01-31') + waiver('pet-name', '2027-02-28'));
  const said = { reason: 'fixed in 2.0', owner: 'pets team' };
  assert.equal(
    [...waivers],
    [
      ['pet-id', [{ ...said, expires: '2027-01-31' }]],
      ['pet-name', [{ ...said, expires: '2027-02-28' }]],
    ],
  );
});

test('a requirement has a waiver for each failure code, and at most one for each', () => {
  const coded = (code: string): string => `${waiver('pet-id', '2027-01-31')}  code: ${code}\n`;
  const waivers = read(coded('id-missing') + coded('id-not-int64')).get('pet-id');
  assert.equal(
    waivers?.map(({ code }) => code),
    ['id-missing', 'id-not-int64'],
  );
  assert.throws(() => read(coded('id-missing') + coded('id-missing')), /waives pet-id id-missing twice/);
  assert.throws(
    () => read(coded('no-such-code')),
    /^Waiver 1 in waivers\.yaml names no failure code with "no-such-code"\.$/,
  );
});

const without = (field: string): string =>
  waiver('pet-id', '2027-01-31').replace(new RegExp(`\\b${field}: .*`), 'x: y');

const wrongWaivers: readonly (readonly [string, string, RegExp])[] = [
  ['an unknown id', waiver('no-such', '2027-01-31'), /^Waiver 1 in .* names no requirement with "no-such"/],
  ['no id', without('id'), /needs a text as its id/],
  ['no owner', without('owner'), /^The waiver of pet-id in \S+ has no owner: fill in who mends the failure and why/],
  ['no reason', without('reason'), /^The waiver of pet-id in \S+ has no reason: fill in/],
  [
    'neither, as --reporter waivers writes them',
    '- id: pet-id\n  owner: ""\n  reason: " "\n  expires: 2027-01-31\n',
    /^The waiver of pet-id in \S+ has no owner and no reason: fill in who mends the failure and why it is accepted\.$/,
  ],
  ['no end', without('expires'), /needs a text as its expires/],
  ['a word for a day', waiver('pet-id', 'soon'), /must expire on a day like 2027-01-31, not "soon"/],
  ['a day that does not exist', waiver('pet-id', '2027-02-31'), /must expire on a day .*, not "2027-02-31"/],
  ['a month that does not exist', waiver('pet-id', '2027-13-01'), /must expire on a day/],
  ['a day with a time', waiver('pet-id', '2027-01-31T10:00:00Z'), /must expire on a day/],
  ['no list', 'pet-id: x', /must hold a list of waivers/],
  ['a text for a waiver', '- pet-id', /^Waiver 1 in .* needs a text as its id/],
  ['a second one that is wrong', waiver('pet-id', '2027-01-31') + without('expires'), /^Waiver 2 in/],
  ['a second one without a day', waiver('pet-id', '2027-01-31') + waiver('pet-name', 'soon'), /^Waiver 2 in .* "soon"/],
  ['one twice', waiver('pet-name', '2027-01-31') + waiver('pet-id', '2027-01-31').repeat(2), /waives pet-id twice/],
];

for (const [what, text, sentence] of wrongWaivers) {
  test(`waivers with ${what} are one sentence`, () => {
    let thrown: unknown;
    try {
      read(text);
    } catch (error) {
      thrown = error;
    }
    assert.instance(thrown, UsageError);
    const { message } = thrown as Error;
    assert.match(message, sentence);
    assert.match(message, 'waivers.yaml');
    assert.not.match(message, '\n');
  });
}

test.run();
