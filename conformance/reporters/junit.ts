/** The report as JUnit XML for CI systems: one test case for each requirement. */

import type { Report, ReportedInteraction, ReportedRequirement } from '../verdict/report.ts';
import { countWaived, requirementsInWords } from './counts.ts';
import { escapeForTerminal } from './escape.ts';
import { evidenceLines, exchangeLines, exchangesOf, showCurl } from './evidence.ts';
import { headlineOf } from './headline.ts';
import type { AnyMark } from './marks.ts';
import { joinMarkup, type Markup, markup } from './markup.ts';
import { markOf, markWords, remarksOn, subjectOf, titleOf } from './words.ts';

type Result = 'passed' | 'failure' | 'error' | 'skipped';

interface TestCase {
  /** The section of a requirement. */
  readonly group: string;
  readonly name: string;
  /** The duration of the exchanges that the report cites for it; 0 where it cites none. */
  readonly durationMs: number;
  readonly result: Result;
  readonly type: string;
  readonly message: string;
  readonly lines: readonly string[];
}

/** A warning or a waived failure does not fail a build: both are shown as skipped, with their reason. */
const results: Readonly<Partial<Record<AnyMark, Result>>> = { pass: 'passed', fail: 'failure', error: 'error' };

function durationOf({ timeline }: Report, numbers: readonly number[]): number {
  const cited = new Set(numbers);
  return timeline.reduce((sum, { number, durationMs }) => (cited.has(number) ? sum + durationMs : sum), 0);
}

/** The result for a mark. A skipped case says first why it is skipped. */
function resultFor(mark: AnyMark, message: string): Pick<TestCase, 'result' | 'message'> {
  const result = results[mark] ?? 'skipped';
  return { result, message: result === 'skipped' ? `${markWords[mark]}: ${message}` : message };
}

function caseOf(requirement: ReportedRequirement, report: Report): TestCase {
  const { id, section, text, verdict, failures, reason } = requirement;
  const { code: type, message } = failures[0] ?? { code: verdict, message: reason ?? verdict };
  const reasons = failures.flatMap((failure) => [
    `${failure.code}: ${failure.message}`,
    ...evidenceLines(report, failure),
    showCurl(failure),
  ]);
  // The remarks on failures hold the reason already.
  const others = failures.length > 0 || reason === undefined ? [] : [reason];
  const cited = failures.flatMap(({ exchanges }) => exchanges);
  return {
    group: `§${section}`,
    name: `${id}: ${text}`,
    durationMs: durationOf(report, cited),
    type,
    ...resultFor(markOf(requirement), message),
    lines: [...reasons, ...others, ...remarksOn(requirement)],
  };
}

function caseOfInteraction(interaction: ReportedInteraction, report: Report): TestCase {
  const { verdict, messages, exchanges } = interaction;
  const evidence = exchangesOf(report, exchanges.slice(-1)).flatMap((one) => exchangeLines(one, messages[0]));
  return {
    group: 'pact',
    name: titleOf(interaction),
    durationMs: durationOf(report, exchanges),
    type: 'interaction',
    ...resultFor(verdict, messages[0] ?? verdict),
    lines: verdict === 'pass' ? [] : [...messages, ...evidence],
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
    durationMs,
    type: verdict,
    result: isPassed ? 'passed' : 'error',
    message: reason,
    lines: isPassed ? [text] : [reason, text],
  };
}

/** Properties of a run besides its verdicts, as pairs of texts. */
function propertiesOf(report: Report): Readonly<Record<string, string>> {
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

function inSeconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function resultElement({ result, type, message, lines }: TestCase): Markup {
  // Ensures that no output line starts with text from the target, so it cannot inject CI commands.
  const text = lines.map(escapeForTerminal).join('\n');
  if (result === 'passed') return text === '' ? markup`` : markup`<system-out>${text}</system-out>`;
  if (result === 'skipped') return markup`<skipped message="${message}">${text}</skipped>`;
  return markup`<${result} type="${type}" message="${message}">${text}</${result}>`;
}

function caseElement(one: TestCase): Markup {
  return markup`    <testcase classname="${one.group}" name="${one.name}" time="${inSeconds(one.durationMs)}">${resultElement(one)}</testcase>`;
}

function countOf(wanted: Result, cases: readonly TestCase[]): number {
  return cases.filter(({ result }) => result === wanted).length;
}

function countAttributes(cases: readonly TestCase[]): Markup {
  return markup`tests="${cases.length}" failures="${countOf('failure', cases)}" errors="${countOf('error', cases)}"`;
}

function propertiesElement(report: Report): Markup {
  const properties = Object.entries(propertiesOf(report)).map(
    ([property, value]) => markup`      <property name="${property}" value="${value}"/>`,
  );
  return markup`    <properties>
${joinMarkup(properties)}
    </properties>`;
}

function suiteElement(name: string, cases: readonly TestCase[], report: Report): Markup {
  const time = inSeconds(cases.reduce((sum, { durationMs }) => sum + durationMs, 0));
  const properties = name === 'run' ? [propertiesElement(report)] : [];
  return markup`  <testsuite name="${name}" ${countAttributes(cases)} skipped="${countOf('skipped', cases)}" timestamp="${report.startedAt}" time="${time}">
${joinMarkup([...properties, ...cases.map(caseElement)])}
  </testsuite>`;
}

/** The run itself first, then the interactions of pacts, then the requirements. */
export function reportJunit(report: Report): string {
  const requirements = report.requirements.map((requirement) => caseOf(requirement, report));
  const interactions = report.interactions?.map((interaction) => caseOfInteraction(interaction, report));
  const judged = [...(interactions ?? []), ...requirements];
  const run = caseOfRun(report, judged);
  const suites = [
    suiteElement('run', [run], report),
    ...(interactions === undefined ? [] : [suiteElement('interactions', interactions, report)]),
    suiteElement('requirements', requirements, report),
  ];
  const { name, version } = report.interface;
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${name} ${version}" ${countAttributes([run, ...judged])} time="${inSeconds(report.durationMs)}">
${joinMarkup(suites)}
</testsuites>
`.toString();
}
