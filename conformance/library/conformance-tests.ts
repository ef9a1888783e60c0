/** Turns every requirement into a test of the user's own suite: uvu, node:test, Vitest or Jest. */

import { escapeForTerminal, escapeLines } from '../reporters/escape.ts';
import { sentenceOf } from '../verdict/finding.ts';
import { reasonInWords } from '../verdict/reasons.ts';
import type { Report, ReportedRequirement } from '../verdict/report.ts';
import { type JudgeOptions, judge } from './judge.ts';

/** The part of `test` that uvu, node:test, Vitest and Jest share. */
export interface TestFunction {
  (name: string, run: () => void): unknown;
  /** Registers a test that is not run. */
  readonly skip: (name: string, run: () => void) => unknown;
}

/** Why a requirement fails its test, empty where it does not. */
function complaintOf({ verdict, reason = '', failures, waiver }: ReportedRequirement): string {
  if (verdict === 'error') return `a check of the kit broke: ${reason}`;
  const expired = waiver?.state === 'expired' ? [`the waiver expired on ${waiver.expires}: remove or renew it`] : [];
  const broken = verdict === 'fail' && waiver?.state !== 'waived' ? failures : [];
  return [...expired, ...broken.map((one) => `${one.code}: ${sentenceOf(one)}\n${one.curl}`)].join('\n');
}

/** Why a requirement was not judged, or does not fail although it is broken. */
function reasonOf({ verdict, reason, failures: [failure], waiver }: ReportedRequirement): string {
  const waived = waiver?.state === 'waived' ? `waived until ${waiver.expires}, ${waiver.reason}: ` : '';
  return `${verdict.replace('-', ' ')}: ${waived}${failure === undefined ? (reason ?? '') : sentenceOf(failure)}`;
}

/** Fails a test for a reason, if there is any. */
function failFor(reason: string): void {
  if (reason !== '') throw new Error(escapeLines(reason));
}

function registerTest(test: TestFunction, requirement: ReportedRequirement): void {
  const { id, section, text, verdict } = requirement;
  const title = `§${section} ${id}: ${text}`;
  const complaint = complaintOf(requirement);
  if (complaint !== '' || verdict === 'pass') test(title, () => failFor(complaint));
  else test.skip(`${title} (${escapeForTerminal(reasonOf(requirement))})`, () => undefined);
}

/**
 * Registers a test for the run and one for every requirement of its report. Where nothing could be judged, the one for the
 * run fails and says why: a rejection while tests are registered is no failure to every runner.
 */
export async function registerTests(test: TestFunction, judging: Promise<Report>): Promise<Report | undefined> {
  const title = 'the run came to a verdict';
  try {
    const report = await judging;
    const why = reasonInWords(report.reason) ?? 'the target could not be judged';
    test(title, () => failFor(report.verdict === 'inconclusive' ? why : ''));
    for (const requirement of report.requirements) registerTest(test, requirement);
    return report;
  } catch (error) {
    test(title, () => {
      throw error;
    });
    return undefined;
  }
}

/**
 * Judges a target and makes each requirement a test: `await conformanceTests({ test, baseUrl, apiKey })` at the top of a
 * test file. What holds passes, what is broken fails with a curl line that shows it, and what was not judged is skipped
 * with its reason in the title. Resolves with the report; with undefined where an option cannot be used, and then the
 * one test that there is fails and says so. With uvu, call `test.run()` behind it.
 */
export function conformanceTests({
  test,
  ...options
}: JudgeOptions & { readonly test: TestFunction }): Promise<Report | undefined> {
  return registerTests(test, judge(options));
}
