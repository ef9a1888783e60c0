/** Files of gap choices: JSON, or YAML with a line for each gap. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readGapFile } from '../../twin/gap-choices.ts';

test('each line chooses an answer; comments and empty lines do not', () => {
  const text =
    '\ufeff---\n# a profile\r\nban: none\r\n\n  # list-order: not observed\nid-form:   large   # They count down.\n';
  assert.equal(readGapFile(text), { ban: 'none', 'id-form': 'large' });
  assert.equal(readGapFile(''), {});
});

test('gaps and answers may be quoted', () => {
  assert.equal(readGapFile(`"ban": 'none'\n'id-form': "large"`), { ban: 'none', 'id-form': 'large' });
});

test('a file may be JSON', () => {
  assert.equal(readGapFile(' {"ban":"none"}'), { ban: 'none' });
});

for (const [text, sentence] of [
  ['ban: none\nban none', /^line 2 is not "gap: answer"/],
  ['ban:none', /^line 1 is not/],
  ['ban: none#x', /^line 1 is not/],
  ['ban: none none', /^line 1 is not/],
  ['ban:\n  - none', /^line 1 is not/],
  [' ban: none', /^line 1 is not/],
  ['ban: "none', /^line 1 is not/],
  ['ban: none\nid-form: large\nban: none', /^line 3 chooses for ban again$/],
  ['{"ban":', /^it is not JSON$/],
  ['["ban"]', /^it must be a JSON object of gap and answer ids$/],
] as const) {
  test(`${JSON.stringify(text)} is refused with its line or reason`, () => {
    assert.throws(() => readGapFile(text), sentence);
  });
}

test('a size may follow an answer, plain or quoted', () => {
  assert.equal(readGapFile('known-categories: refused-400 -5..7,12 # Some.\n"page-cap": \'fewer 50\'\n'), {
    'known-categories': 'refused-400 -5..7,12',
    'page-cap': 'fewer 50',
  });
  assert.throws(() => readGapFile('page-cap: fewer  50'), /line 1 is not/);
});

test.run();
