/** What a person sees while a run goes on: one line on a terminal, seldom lines elsewhere, nothing where it is quiet. */

import measure from 'fast-string-truncated-width';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createProgress, type Progress } from '../../cli/progress.ts';

interface Circumstances {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly environment?: NodeJS.ProcessEnv;
  readonly isQuiet?: boolean;
}

/** What a step does to the progress. */
const steps: Readonly<Record<string, (progress: Progress, text: string) => void>> = {
  count: ({ count }, title) => count(title),
  fail: ({ count }, title) => count(title, true),
  expect: ({ expect }, most) => expect(Number(most)),
  wait: ({ wait }, text) => wait(Number.parseInt(text, 10), text.replace(/^\d+ /, '')),
  end: ({ end }) => end(),
};

/** What is written to a screen. The steps are like `wait 2500 why; pass 4`: a wait of 2.5 s begins, then 4 s pass. */
function written(
  acts: string,
  { isTTY = true, columns = 100, environment = {}, isQuiet = false }: Circumstances = {},
): readonly string[] {
  const texts: string[] = [];
  let now = 1_000;
  const stream = { isTTY, columns, write: (text: string) => texts.push(text) > 0 } as unknown as NodeJS.WriteStream;
  const progress = createProgress({ isQuiet, most: 300, counted: 'requests' }, { stream, environment, now: () => now });
  for (const [, step = '', text = ''] of acts.matchAll(/(\w+) ?([^;]*);?/g)) {
    steps[step]?.(progress, text);
    if (step === 'pass') now += 1_000 * Number(text);
  }
  return texts.map((text) => text.replace('\r\x1b[2K', '>'));
}

const inLog = ['Waiting 3 s: why.\n', '3/300 requests, 1 failed.\n'];
const rows: readonly (readonly [acts: string, shown: readonly string[], at?: Circumstances])[] = [
  // On a terminal one line is rewritten, with the count, the failures and the title, or the wait.
  ['count; count a; expect 1000; fail b', ['>1/300 requests', '>2/300 requests: a', '>3/1000 requests, 1 failed: b']],
  ['wait 2500 why; count on; end', ['>Waiting 3 s: why', '>1/300 requests: on', '>']],
  // Elsewhere there is a line for a wait, one every ten seconds, and no escape.
  ['fail a; wait 2500 why; pass 9; count b; pass 1; count c; count d; end', inLog, { isTTY: false }],
  ['fail a; wait 2500 why; pass 9; count b; pass 1; count c; count d; end', inLog, { environment: { TERM: 'dumb' } }],
  ['count listing', ['>1/300 req…'], { environment: { COLUMNS: '11' } }],
  ['count a; wait 60000 why; end', [], { isQuiet: true }],
];

test('progress is one line on a terminal, and seldom lines elsewhere', () => {
  for (const [acts, shown, at] of rows) assert.equal(written(acts, at), shown, acts);
  // At any width it stays on one line, whatever letters it has.
  for (const columns of [1, 2, 8, 20, 40]) {
    const [shown = ''] = written('count 動物を一覧する 🐈 an animal of every category, by status', { columns });
    assert.ok(measure(shown.slice(1)).width < columns || shown === '>', `${columns}: ${shown}`);
  }
});

test.run();
