/** What a person sees while a run goes on: one line on a terminal, whole lines elsewhere. */

import { mock } from 'node:test';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createProgress } from '../../command-line/progress.ts';
import { createStop } from '../../command-line/stop.ts';

/** A stream that keeps what is written to it. */
function record(isTTY: boolean): { readonly stream: NodeJS.WriteStream; readonly written: string[] } {
  const written: string[] = [];
  const write = (text: string): boolean => written.push(text) > 0;
  return { stream: { isTTY, write } as unknown as NodeJS.WriteStream, written };
}

function line(text: string): string {
  return `\r\x1b[2K${text}`;
}

test.before.each(() => mock.timers.enable({ apis: ['setInterval'] }));
test.after.each(() => mock.timers.reset());

test('on a terminal one line is rewritten, and a wait is counted down to zero', () => {
  const { stream, written } = record(true);
  const progress = createProgress(stream);
  progress.show('12 requests');
  progress.wait(2_500, 'the target answered 429');
  mock.timers.tick(4_000);
  const seconds = [3, 2, 1, 0, 0].map((left) => line(`waiting ${left} s: the target answered 429`));
  assert.equal(written, [line('12 requests'), ...seconds]);
});

test('what is shown next ends a countdown, and so does the end', () => {
  const { stream, written } = record(true);
  const progress = createProgress(stream);
  for (const next of [() => progress.show('on'), () => progress.end()]) {
    progress.wait(60_000, 'why');
    next();
    const { length } = written;
    mock.timers.tick(10_000);
    assert.is(written.length, length);
  }
  assert.equal(written.slice(-1), [line('')]);
});

test('a second wait replaces the first', () => {
  const { stream, written } = record(true);
  const progress = createProgress(stream);
  progress.wait(60_000, 'one');
  progress.wait(5_000, 'other');
  mock.timers.tick(1_000);
  assert.equal(written.slice(1), [line('waiting 5 s: other'), line('waiting 4 s: other')]);
});

test('where nobody watches there is one line for a wait, and no escape', () => {
  const { stream, written } = record(false);
  const progress = createProgress(stream);
  progress.show('12 requests');
  progress.wait(2_500, 'the target answered 429');
  mock.timers.tick(4_000);
  progress.end();
  assert.equal(written, ['Waiting 3 s: the target answered 429.\n']);
});

test('an interruption stops a run and says so, be it before the start', () => {
  const interruption = new AbortController();
  const stop = createStop(60_000, interruption.signal).signal;
  assert.is(stop.aborted, false);
  interruption.abort();
  assert.is(stop.reason, 'The run was interrupted.');
  assert.is(createStop(60_000, AbortSignal.abort()).signal.reason, 'The run was interrupted.');
});

test.run();
