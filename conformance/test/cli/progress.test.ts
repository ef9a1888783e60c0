/** What a person sees while a run goes on: one line on a terminal, whole lines elsewhere, nothing where it is quiet. */

import { mock } from 'node:test';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { showProgress } from '../../cli/judge-target.ts';
import { createProgress, type Progress } from '../../cli/progress.ts';
import type { Exchange } from '../../http/exchange.ts';
import { widthOf } from '../../reporters/width.ts';

interface Recorded {
  readonly progress: Progress;
  readonly written: readonly string[];
  /** Lets time pass, milliseconds. */
  readonly pass: (ms: number) => void;
}

interface Circumstances {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly environment?: NodeJS.ProcessEnv;
  readonly most?: number | 'quiet';
}

/** A screen that keeps what is written to it. */
function record({ isTTY = true, columns = 100, environment = {}, most = 300 }: Circumstances = {}): Recorded {
  const written: string[] = [];
  let time = 1_000;
  const write = (text: string): boolean => written.push(text) > 0;
  const stream = { isTTY, columns, write } as unknown as NodeJS.WriteStream;
  return {
    progress: createProgress(most, { stream, environment, now: () => time }),
    written,
    pass(ms) {
      // Second by second, since a countdown reads the clock when it ticks.
      for (let left = ms; left > 0; left -= 1_000) {
        time += Math.min(left, 1_000);
        mock.timers.tick(Math.min(left, 1_000));
      }
    },
  };
}

function line(text: string): string {
  return `\r\x1b[2K${text}`;
}

test.before.each(() => mock.timers.enable({ apis: ['setInterval'] }));
test.after.each(() => mock.timers.reset());

test('on a terminal one line is rewritten, with the requests and, once it is known, the time left', () => {
  const { progress, written, pass } = record();
  for (const title of ['a', 'b', 'c', 'd', 'e']) {
    pass(200);
    progress.count(title);
  }
  assert.equal(written, [
    line('1/300 requests: a'),
    line('2/300 requests: b'),
    line('3/300 requests: c'),
    line('4/300 requests: d'),
    line('5/300 requests, up to 59 s left: e'),
  ]);
  pass(10_000);
  progress.count('f');
  assert.is(written.at(-1), line('6/300 requests, up to 9 min left: f'));
  progress.expect(1_000);
  progress.count('g');
  assert.is(written.at(-1), line('7/1000 requests, up to 27 min left: g'));
});

test('a wait is counted down to zero', () => {
  const { progress, written, pass } = record();
  progress.count('one');
  progress.wait(2_500, 'the target answered 429');
  pass(4_000);
  const seconds = [3, 2, 1, 0, 0].map((left) => line(`1/300 requests, waiting ${left} s: the target answered 429`));
  assert.equal(written.slice(1), seconds);
});

test('before the first scenario there is only the count', () => {
  const { progress, written } = record();
  progress.count('');
  assert.equal(written, [line('1/300 requests')]);
});

test('without a request there is only the wait', () => {
  const { progress, written } = record();
  progress.wait(120_000, 'why');
  assert.equal(written, [line('waiting 2 min: why')]);
});

test('the next message ends a countdown, and so does the end', () => {
  const { progress, written, pass } = record();
  for (const next of [() => progress.count('on'), () => progress.end()]) {
    progress.wait(60_000, 'why');
    next();
    const { length } = written;
    pass(10_000);
    assert.is(written.length, length);
  }
  assert.equal(written.slice(-1), [line('')]);
});

test('a second wait replaces the first', () => {
  const { progress, written, pass } = record();
  progress.wait(60_000, 'one');
  progress.wait(5_000, 'other');
  pass(1_000);
  assert.equal(written.slice(1), [line('waiting 5 s: other'), line('waiting 4 s: other')]);
});

test('at any width it stays on one line, whatever letters it has', () => {
  for (const columns of [1, 2, 8, 20, 60, 100]) {
    const { progress, written } = record({ columns });
    progress.count('動物を一覧する 🐈 an animal of every category, listed by status and by limit, once more');
    const shown = written[0]!.slice('\r\x1b[2K'.length);
    assert.ok(widthOf(shown) < columns || shown === '', `${columns}: ${shown}`);
    assert.not.match(shown, /\n/);
    if (columns >= 8) assert.match(shown, /^1\/300.*…$/);
  }
});

test('COLUMNS wins over the width of the terminal', () => {
  const { progress, written } = record({ columns: 100, environment: { COLUMNS: '11' } });
  progress.count('listing');
  assert.equal(written, [line('1/300 req…')]);
});

test('where nobody watches there is one line for a wait, and no escape', () => {
  for (const circumstances of [{ isTTY: false }, { environment: { TERM: 'dumb' } }]) {
    const { progress, written, pass } = record(circumstances);
    progress.count('one');
    progress.wait(2_500, 'the target answered 429');
    pass(4_000);
    progress.end();
    assert.equal(written, ['Waiting 3 s: the target answered 429.\n']);
  }
});

test('where it is quiet nothing is shown', () => {
  const { progress, written, pass } = record({ most: 'quiet' });
  progress.count('one');
  progress.wait(2_500, 'why');
  pass(2_000);
  progress.end();
  assert.equal(written, []);
});

test('each request is shown under the title of its scenario, also where several are under way', () => {
  const shown: string[] = [];
  const progress = {
    count: (title: string) => shown.push(title),
    expect: (most: number) => shown.push(`at most ${most}`),
    wait: (ms: number) => shown.push(`waits ${ms}`),
  };
  const { onScenario, onExchange, onWait, onBudget } = showProgress(progress, { baseUrl: 'http://host/v1' });
  const answer = (check: string): void => onExchange?.({ check } as Exchange);
  answer('preflight');
  onScenario?.({ id: 'first', title: 'Creates animals' });
  onScenario?.({ id: 'second', title: 'Lists them' });
  for (const check of ['first', 'second', 'first', 're-check']) answer(check);
  onBudget?.(1_000);
  onWait?.(5, 'why');
  const titles = ['', 'Creates animals', 'Lists them', 'Creates animals', 'Creates animals'];
  assert.equal(shown, [...titles, 'at most 1000', 'waits 5']);
  // A clock that jumps over waits has none to count down.
  showProgress(progress, {}).onWait?.(7, 'why');
  assert.is(shown.at(-1), 'waits 5');
});

test.run();
