/** Turns every requirement into a test of the user's own suite: uvu, node:test, Vitest or Jest. */

import { escapeForTerminal } from '../reporters/escape.ts';
import { casesOf, type TestCase } from '../reporters/junit.ts';
import { viewOf } from '../reporters/view.ts';
import { UsageError } from '../run/usage-error.ts';
import type { Report } from '../verdict/report.ts';
import { type JudgeOptions, judge } from './judge.ts';

/** The part of `test` that uvu, node:test, Vitest and Jest share. */
export interface TestFunction {
  (name: string, run: () => void): unknown;
  /** Registers a test that is not run. */
  readonly skip: (name: string, run: () => void) => unknown;
}

/** A test case of JUnit as one of the user's runner. */
function registerTest(test: TestFunction, { group, name, result, message, lines }: TestCase): void {
  const title = group.startsWith('§') ? `${group} ${name}` : name;
  if (result === 'skipped') return void test.skip(`${title} (${escapeForTerminal(message)})`, () => undefined);
  test(title, () => {
    if (result !== 'passed') throw new Error(lines.map(escapeForTerminal).join('\n'));
  });
}

/**
 * Registers a test for the run and one for every requirement of its report. If nothing could be judged, the one for the run
 * fails and says why, since not every runner fails if registering tests rejects.
 */
export async function registerTests(test: TestFunction, judging: Promise<Report>): Promise<Report | undefined> {
  try {
    const report = await judging;
    for (const one of Object.values(casesOf(viewOf(report))).flat()) registerTest(test, one);
    return report;
  } catch (error) {
    test('the run came to a verdict', () => {
      throw error;
    });
    return undefined;
  }
}

/** Throws a UsageError where a program gives none of the functions that register tests. */
function checkTestFunction(test: TestFunction): void {
  if (typeof test === 'function' && typeof test.skip === 'function') return;
  throw new UsageError('conformanceTests takes the function test of your runner, which has test.skip.');
}

/**
 * Judges a target and makes each requirement a test: `await conformanceTests({ test, baseUrl, apiKey })` at the top of a
 * test file. A requirement that is broken fails with the exchanges and the curl line that show it; one that was not judged is
 * skipped, with its reason in the title. Resolves with the report, or with undefined if an option cannot be used: then there
 * is a single test, which fails and says so. With uvu, call `test.run()` afterwards.
 */
export async function conformanceTests({
  test,
  ...options
}: JudgeOptions & { readonly test: TestFunction }): Promise<Report | undefined> {
  checkTestFunction(test);
  return registerTests(test, judge(options));
}
