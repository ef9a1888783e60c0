/** Waivers: what is read from a file, what none may hold, and what the reporter writes. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { readWaiverList } from '../../options/waivers.ts';
import { reporters } from '../../reporters/index.ts';
import { UsageError } from '../../run/usage-error.ts';
import type { Waivers } from '../../verdict/verdict.ts';
import { sampleReport } from '../reporters/sample-report.ts';
import { testCalls } from './command.ts';

function read(text: string): Waivers {
  return readWaiverList(parse(text), 'waivers.yaml');
}

const waiver = (id: string, expires = '2027-01-31'): string =>
  `- id: ${id}\n  reason: fixed in 2.0\n  owner: pets team\n  expires: ${expires}\n`;

const without = (field: string): string => waiver('pet-id').replace(new RegExp(`\\b${field}: .*`), 'x: y');

const refused: readonly (readonly [text: string, sentence: RegExp])[] = [
  [
    waiver('no-such'),
    /^Waiver 1 \(no-such\) in waivers\.yaml names no requirement: petstore-conformance explain lists them\.$/,
  ],
  [waiver('pet-naem'), / \(pet-naem\) .* explain lists them\. Did you mean pet-name\?$/],
  [without('id'), /^Waiver 1 in waivers\.yaml has no id: fill in the requirement that fails\.$/],
  [without('owner'), /^Waiver 1 \(pet-id\) in \S+ has no owner: fill in who mends it\.$/],
  [waiver('pet-id').replace(/reason: .*/, 'reason: " "'), /has no reason: fill in why the failure is accepted\.$/],
  [without('expires'), /has no expires: fill in until when, like 2027-01-31\.$/],
  ['- just a text\n', /^Waiver 1 in waivers\.yaml has no id: /],
  [waiver('pet-id', 'soon'), /must expire on a day like 2027-01-31, not "soon"/],
  [waiver('pet-id', '2027-02-29'), /must expire on a day .*, not "2027-02-29"/],
  [
    `${waiver('pet-id')}  covers: all\n`,
    /\(pet-id\) in \S+ must cover a list of texts, .* leave covers out for every way of failing\.$/,
  ],
  [`${waiver('pet-id')}  covers: ["missing: on 401", 7]\n`, /must cover a list of texts/],
  ['pet-id: x', /must hold a list of waivers/],
  [waiver('pet-name') + waiver('pet-id').repeat(2), /waives pet-id twice/],
];

test('a waiver that lacks something is refused with one sentence', () => {
  for (const [text, sentence] of refused) {
    const isRight = (error: unknown): boolean =>
      error instanceof UsageError && sentence.test(error.message) && /^[^\n]*waivers\.yaml[^\n]*$/.test(error.message);
    assert.throws(() => read(text), isRight, sentence.source);
  }
});

const files = { 'alias.yaml': '- &a { id: pet-id }\n- *a\n' };
const alias = /^The waivers file alias\.yaml uses a YAML alias: write each value where it belongs\.\n$/;
testCalls([{ words: 'run --waivers alias.yaml', code: 2, stderr: alias, files }]);

test('the reporter waives every failure for ninety days once owner and reason are filled in, and keeps what holds', () => {
  const text = reporters.waivers(sampleReport);
  assert.throws(() => read(text), / \(pet-name-kept\) in waivers\.yaml has no reason: fill in/);
  const waivers = read(text.replaceAll('owner: ""', 'owner: "us"').replaceAll('reason: ""', 'reason: "why"'));
  const kept = [
    'pet-id-unique',
    'pet-name-kept',
    'list-answer',
    'list-limit',
    'list-limit-refused',
    'auth-invalid-key',
    'rate-exceeded',
  ];
  assert.equal([...waivers.keys()], kept);
  const covers = ['served-without-key: with a wrong key'];
  assert.equal(waivers.get('auth-invalid-key'), { owner: 'us', reason: 'why', expires: '2027-02-19', covers });
  assert.is(waivers.get('pet-id-unique')?.reason, 'mended in 2.0');
  // What is new is for a person to decide on.
  assert.equal(waivers.get('list-answer')?.covers, ['wrong-status: on 500']);
  assert.match(text, /\n {4}# new: "wrong-status: with /);
  const { state: _state, ...listLimit } = sampleReport.requirements.find(({ id }) => id === 'list-limit')!.waiver!;
  assert.equal(waivers.get('list-limit'), listLimit);
  assert.is(read(reporters.waivers({ ...sampleReport, requirements: [] })).size, 0);
});

test.run();
