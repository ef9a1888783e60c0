/** One defect is reported under the requirement that it breaks, and nothing that follows from it beside it: servers that no fault makes. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isJsonObject } from '../../http/json.ts';
import { changePage } from '../../services/pages.ts';
import { changes, layers, type Wrap } from '../../services/wraps.ts';
import { causesOf } from '../../verdict/causes.ts';
import { sentenceOf } from '../../verdict/finding.ts';
import { judged } from '../run/bench.ts';

/** What is wrong with a server → the requirement and the code of the only cause, and its sentence. */
const rows: Readonly<Record<string, readonly [wrap: Wrap, requirement: string, code: string, sentence: RegExp]>> = {
  'the 201 has an id that no animal has, and pages show the first two animals': [
    layers(
      changePage((page) => page.slice(0, 2)),
      changes.created((pet, _call, count) => ({ ...pet, id: 7_000_000_000n - BigInt(count) })),
    ),
    'list-complete',
    'id-differs',
    /^expected the animal 69999999\d\d in pages under the id of its 201/,
  ],
  'the newest animal in pages has the name of the one before': [
    changePage(([...page]) => {
      const [before, last] = page.slice(-2);
      const name = isJsonObject(before) ? before['name'] : undefined;
      return isJsonObject(last) && name !== undefined ? [...page.slice(0, -1), { ...last, name }] : undefined;
    }),
    'pet-name-kept',
    'name-changed',
    /^expected name "[^"]+" in a page, received "/,
  ],
};

for (const [what, [wrap, id, code, sentence]] of Object.entries(rows)) {
  test(`${what}: that is reported and nothing else`, async () => {
    const { report } = await judged({ wrap }, 300, { hasRateLimitKey: false, isDisposable: false });
    const shown = causesOf(report).filter(({ mark }) => mark === 'fail');
    assert.is(shown.length, 1, shown.map(({ failure }) => sentenceOf(failure)).join('\n'));
    const failures = shown[0]!.requirements.find(({ requirement }) => requirement.id === id)?.failures ?? [];
    assert.ok(
      failures.some((one) => one.code === code && sentence.test(sentenceOf(one))),
      failures.map(sentenceOf).join('\n'),
    );
  });
}

test.run();
