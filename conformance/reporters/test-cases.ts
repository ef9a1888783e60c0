/** The report as test cases, one for each requirement, for formats that know only tests. */

import { markOf } from '../verdict/causes.ts';
import { sentenceOf } from '../verdict/failure.ts';
import type { Report, ReportedInteraction, ReportedRequirement } from '../verdict/report.ts';
import { countWaived, requirementsInWords } from './counts.ts';
import { escapeForTerminal } from './escape.ts';
import { evidenceLines, exchangeLines, exchangesOf, showCurl } from './evidence.ts';
import { headlineOf } from './headline.ts';
import type { AnyMark } from './marks.ts';
import { markWords, remarksOn, subjectOf, titleOf } from './words.ts';

export type Result = 'passed' | 'failure' | 'error' | 'skipped';

export interface TestCase {
  readonly group: string;
  readonly name: string;
  readonly mark: AnyMark;
  readonly isFlaky: boolean;
  /** The duration of the exchanges that the report cites for it; 0 where it cites none. */
  readonly durationMs: number;
  readonly result: Result;
  readonly type: string;
  readonly message: string;
  readonly text: string;
}

export interface TestSuite {
  readonly name: 'run' | 'interactions' | 'requirements';
  readonly cases: readonly TestCase[];
}

/** Joins lines. Ensures that no output line starts with text from the target, so it cannot inject CI commands. */
function joinLines(lines: readonly string[]): string {
  return lines.map(escapeForTerminal).join('\n');
}

function durationOf({ timeline }: Report, numbers: readonly number[]): number {
  const cited = new Set(numbers);
  return timeline.reduce((sum, { number, durationMs }) => (cited.has(number) ? sum + durationMs : sum), 0);
}

const results: Readonly<Partial<Record<AnyMark, Result>>> = { pass: 'passed', fail: 'failure', error: 'error' };

/** A warning or a waived failure does not fail a build: both are shown as skipped, with their reason. */
function resultFor(mark: AnyMark, message: string): Pick<TestCase, 'mark' | 'result' | 'message'> {
  const result = results[mark] ?? 'skipped';
  return { mark, result, message: result === 'skipped' ? `${markWords[mark]}: ${message}` : message };
}

function caseOf(requirement: ReportedRequirement, report: Report): TestCase {
  const { id, section, text, verdict, failures, reason, recheck } = requirement;
  const [first] = failures;
  const message = first === undefined ? (reason ?? verdict) : sentenceOf(first);
  const shown = failures.flatMap((failure) => [
    `${failure.code}: ${sentenceOf(failure)}`,
    ...evidenceLines(report, failure),
    showCurl(failure),
  ]);
  // The remarks on failures hold the reason already.
  const others = failures.length > 0 || reason === undefined ? [] : [reason];
  const cited = failures.flatMap(({ exchanges }) => exchanges);
  return {
    group: `§${section}`,
    name: `${id}: ${text}`,
    isFlaky: recheck === 'flaky',
    durationMs: durationOf(report, cited),
    type: first?.code ?? verdict,
    ...resultFor(markOf(requirement), message),
    text: joinLines([...shown, ...others, ...remarksOn(requirement)]),
  };
}

function caseOfInteraction(interaction: ReportedInteraction, report: Report): TestCase {
  const { verdict, messages, exchanges } = interaction;
  const evidence = exchangesOf(report, exchanges.slice(-1)).flatMap((one) => exchangeLines(one));
  return {
    group: 'pact',
    name: titleOf(interaction),
    isFlaky: false,
    durationMs: durationOf(report, exchanges),
    type: 'interaction',
    ...resultFor(verdict, messages[0] ?? verdict),
    text: verdict === 'pass' ? '' : joinLines([...messages, ...evidence]),
  };
}

/** The case of the run itself fails where it could not judge, or where only an expired waiver makes it fail. */
function caseOfRun(report: Report, cases: readonly TestCase[]): TestCase {
  const { exitCode, verdict, reason = verdict, durationMs } = report;
  const isExplained = cases.some(({ result }) => result === 'failure' || result === 'error');
  const isPassed = exitCode === 0 || isExplained;
  const text = requirementsInWords(report);
  return {
    group: 'run',
    name: 'the run came to a verdict',
    isFlaky: false,
    durationMs,
    type: verdict,
    ...resultFor(isPassed ? 'pass' : 'error', reason),
    text: isPassed ? text : joinLines([reason, text]),
  };
}

/** The run itself first, then the interactions of pacts, then the requirements. */
export function testSuitesOf(report: Report): readonly TestSuite[] {
  const requirements = report.requirements.map((requirement) => caseOf(requirement, report));
  const interactions = report.interactions?.map((interaction) => caseOfInteraction(interaction, report));
  return [
    { name: 'run', cases: [caseOfRun(report, [...(interactions ?? []), ...requirements])] },
    ...(interactions === undefined ? [] : [{ name: 'interactions', cases: interactions } as const]),
    { name: 'requirements', cases: requirements },
  ];
}

export function propertiesOf(report: Report): Readonly<Record<string, string>> {
  const { verdict, seed, requests, creates, unanswered, kit, node, interface: stated } = report;
  const settings = Object.entries(report.settings);
  return {
    interface: `${stated.name} ${stated.version}`,
    target: subjectOf(report),
    verdict,
    headline: headlineOf(report),
    seed: String(seed),
    requests: String(requests),
    creations: String(creates),
    unanswered: String(unanswered),
    'kit.version': kit.version,
    ...(kit.commit !== undefined && { 'kit.commit': kit.commit }),
    node,
    'requirements.waived': String(countWaived(report)),
    ...Object.fromEntries(
      Object.entries(report.counts).map(([name, count]) => [`requirements.${name}`, String(count)]),
    ),
    ...Object.fromEntries(
      settings.map(([name, value]) => [`settings.${name}`, escapeForTerminal([value].flat().join(', '))]),
    ),
  };
}
