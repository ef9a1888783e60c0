/** The report in the Common Test Report Format, for tools that read one format of all test runners. */

import type { Report } from '../verdict/report.ts';
import { escapeForTerminal, escapeLines } from './escape.ts';
import { propertiesOf, type TestCase, type TestSuite, testSuitesOf } from './test-cases.ts';
import { markWords } from './words.ts';

type Status = 'passed' | 'failed' | 'skipped' | 'pending' | 'other';

/** A test fails where the run fails because of it; a result without a verdict is `other`. */
const statuses: Readonly<Record<TestCase['mark'], Status>> = {
  pass: 'passed',
  fail: 'failed',
  error: 'failed',
  warn: 'other',
  inconclusive: 'other',
  'not-verifiable': 'other',
  waived: 'skipped',
  skipped: 'skipped',
  'not-applicable': 'skipped',
  pending: 'pending',
};

function testOf({ group, name, mark, isFlaky, durationMs, result, message, text }: TestCase, suite: TestSuite): object {
  return {
    name: escapeForTerminal(name),
    status: statuses[mark],
    duration: Math.round(durationMs),
    suite: suite.name === group ? [group] : [suite.name, group],
    ...(result !== 'passed' && { message: escapeForTerminal(message) }),
    ...(text !== '' && { trace: text }),
    rawStatus: markWords[mark],
    ...(isFlaky && { flaky: true }),
  };
}

export function reportCtrf(report: Report): string {
  const suites = testSuitesOf(report);
  const cases = suites.flatMap((suite) => suite.cases);
  const count = (wanted: Status): number => cases.filter(({ mark }) => statuses[mark] === wanted).length;
  const start = Date.parse(report.startedAt);
  const stop = start + Math.round(report.durationMs);
  const document = {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    timestamp: new Date(stop).toISOString(),
    generatedBy: report.kit.name,
    results: {
      tool: { name: report.kit.name, version: report.kit.version },
      summary: {
        tests: cases.length,
        passed: count('passed'),
        failed: count('failed'),
        skipped: count('skipped'),
        pending: count('pending'),
        other: count('other'),
        flaky: cases.filter(({ isFlaky }) => isFlaky).length,
        suites: suites.length,
        start,
        stop,
      },
      tests: suites.flatMap((suite) => suite.cases.map((one) => testOf(one, suite))),
      extra: propertiesOf(report),
    },
  };
  return `${escapeLines(JSON.stringify(document, null, 2))}\n`;
}
