/** Clients whose runs fail now and then, disturb each other or are ended: they are blamed for no answer. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RunClient } from '../../clients/client-run.ts';
import { reason, reasonInWords } from '../../verdict/reasons.ts';
import { clientOf, explore, lists, type Run, report, verdictIn } from './exploring.ts';

/** A client that fails in some of its runs, counted from 1. */
function failingIn(isFailing: (count: number, variant: string) => boolean): RunClient {
  let count = 0;
  const client = clientOf(lists);
  return async (variant, habits, stop) => {
    count += 1;
    const run = await client(variant, habits, stop);
    return isFailing(count, variant.id) ? { ...run, isPassed: false, ending: 'exit code 1' } : run;
  };
}

test('a client that fails twice of three times with a service, and never without, is reported as flaky', async () => {
  const outcomes = [true, false, true].values();
  const client = failingIn((_count, variant) => variant === 'list-order: shuffled' && outcomes.next().value === true);
  const broken = verdictIn(report(await explore(client, { only: new Set(['any-list-order']) })), 'any-list-order');
  assert.equal([broken?.verdict, broken?.recheck], ['fail', 'flaky']);
});

test('a client that fails once, and then no more, relies on nothing', async () => {
  const made = await explore(
    failingIn((count) => count === 3),
    { only: new Set(['any-list-order']) },
  );
  assert.equal([made.breakages.length, made.unexplained.map(({ why }) => why)], [0, ['passed-again']]);
  const { exitCode, reason } = report(made);
  assert.is(exitCode, 0);
  assert.is(
    reasonInWords(reason),
    'with list-order: newest-first the client failed once and passed when it ran again: exit code 1',
  );
});

test('a client that fails once while other runs are under way is said to disturb itself', async () => {
  const made = await explore(
    failingIn((count, variant) => count === 5 && variant !== 'reference'),
    { only: new Set(['any-list-order', 'any-id-form']), concurrency: 2 },
  );
  assert.equal([made.breakages, made.unexplained, made.isDisturbedByItself], [[], [], true]);
});

test('a client that from some moment on fails with every service relies on nothing', async () => {
  const made = await explore(
    failingIn((count) => count >= 4),
    { only: new Set(['any-list-order']) },
  );
  assert.equal([made.breakages.length, made.unexplained.map(({ why }) => why)], [0, ['fails-without']]);
  assert.match(reasonInWords(report(made).reason) ?? '', 'the client failed, and later without it, too: exit code 1');
});

/** A client that cannot run while another run of it is under way, as one that listens on a fixed port. */
function withFixedPort(run: Run): RunClient {
  const client = clientOf(run);
  let isTaken = false;
  return async (variant, habits, stop) => {
    if (isTaken) return { ...(await client(variant, habits, stop)), isPassed: false, ending: 'exit code 98' };
    isTaken = true;
    await new Promise(setImmediate);
    return client(variant, habits, stop).finally(() => {
      isTaken = false;
    });
  };
}

test('a client that disturbs itself runs one at a time, relies on nothing, and learns why', async () => {
  const made = await explore(withFixedPort(lists), { concurrency: 3, maxRuns: 60 });
  assert.equal([made.breakages, made.isDisturbedByItself], [[], true]);
  const { exitCode, reason } = report(made);
  assert.is(exitCode, 0);
  assert.match(
    reasonInWords(reason) ?? '',
    /while another run of it was under way \(does it listen on a fixed port\?\), so it ran one at a time/,
  );
  assert.is((await explore(clientOf(lists), { concurrency: 3, maxRuns: 60 })).isDisturbedByItself, false);
});

test('a client that is run to its end too early is blamed for nothing', async () => {
  const stop = new AbortController();
  const client = clientOf(lists);
  const runClient: RunClient = async (variant, habits, ending) => {
    const run = await client(variant, habits, ending);
    if (variant.id === 'reference') return run;
    stop.abort();
    return { ...run, isPassed: false, ending: 'its end by SIGKILL' };
  };
  const made = await explore(runClient, { signal: stop.signal });
  assert.equal([made.breakages, made.isEnded, made.runs.length], [[], true, 2]);
  const ended = reason('overdue', {});
  const over = report(made, ended);
  assert.equal([over.exitCode, over.reason], [3, ended]);
});

test.run();
