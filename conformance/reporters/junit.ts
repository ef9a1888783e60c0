/** The report as JUnit XML for CI systems: one test case for each requirement. */

import { sentenceOf } from '../verdict/failure.ts';
import type { Report, ReportedExchange } from '../verdict/report.ts';
import { escapeForTerminal } from './escape.ts';
import { evidenceLines, exchangeLines, showCurl } from './evidence.ts';
import { countWaived } from './headline.ts';
import { type Mark, marks } from './marks.ts';
import { joinMarkup, type Markup, markup } from './markup.ts';
import type { CauseView, InteractionView, RequirementView, View } from './view.ts';

type Result = 'passed' | 'failure' | 'error' | 'skipped';

interface TestCase {
  readonly group: string;
  readonly name: string;
  readonly result: Result;
  readonly type: string;
  readonly message: string;
  readonly lines: readonly string[];
  /** The duration of the exchanges that it cites. */
  readonly durationMs: number;
}

/** A warning or a waived failure does not fail a build: both are shown as skipped, with their reason. */
const results: Readonly<Partial<Record<Mark, Result>>> = { pass: 'passed', fail: 'failure', error: 'error' };

function resultOf(mark: Mark, message: string): Pick<TestCase, 'result' | 'message'> {
  const result = results[mark] ?? 'skipped';
  return { result, message: result === 'skipped' ? `${marks[mark].word}: ${message}` : message };
}

function durationOf({ timeline }: Report, numbers: readonly number[]): number {
  const cited = new Set(numbers);
  return timeline.reduce((sum, { number, durationMs }) => (cited.has(number) ? sum + durationMs : sum), 0);
}

/** What a cause says of one of its requirements: its own failures and remarks, and the evidence of the cause. */
function causeLines(cause: CauseView, id: string): readonly string[] {
  const own = cause.broken.find(({ requirement }) => requirement.id === id);
  if (own === undefined) return [];
  return [
    `${cause.failure.code}: ${sentenceOf(cause.failure)}`,
    ...(cause.also === undefined ? [] : [cause.also]),
    ...own.further.map((failure) => `${failure.code}: ${sentenceOf(failure)}`),
    ...evidenceLines(cause),
    showCurl(cause.failure),
    ...own.remarks,
  ];
}

function caseOf({ requirement, mark, note = '' }: RequirementView, { report, causes }: View): TestCase {
  const { id, section, text, verdict, failures, reason = verdict } = requirement;
  const [first] = failures;
  return {
    group: `§${section}`,
    name: `${id}: ${text}`,
    ...resultOf(mark, first === undefined ? reason : sentenceOf(first)),
    type: first?.code ?? verdict,
    lines: first === undefined && mark !== 'pass' ? [note] : causes.flatMap((cause) => causeLines(cause, id)),
    durationMs: durationOf(
      report,
      failures.flatMap(({ exchanges }) => exchanges),
    ),
  };
}

function caseOfInteraction({ interaction, mark, title, exchange }: InteractionView, report: Report): TestCase {
  const { verdict, messages, exchanges } = interaction;
  const evidence = (one: ReportedExchange): readonly string[] => exchangeLines(one);
  return {
    group: 'pact',
    name: title,
    ...resultOf(mark, messages[0] ?? verdict),
    type: 'interaction',
    lines: verdict === 'pass' ? [] : [...messages, ...(exchange === undefined ? [] : evidence(exchange))],
    durationMs: durationOf(report, exchanges),
  };
}

/** The case of the run itself fails where it could not judge, or where only an expired waiver makes it fail. */
function caseOfRun({ report, reason: why, tally }: View, cases: readonly TestCase[]): TestCase {
  const { exitCode, verdict, durationMs } = report;
  const reason = why ?? verdict;
  const isExplained = cases.some(({ result }) => result === 'failure' || result === 'error');
  const isPassed = exitCode === 0 || isExplained;
  return {
    group: 'run',
    name: 'the run came to a verdict',
    ...resultOf(isPassed ? 'pass' : 'error', reason),
    type: verdict,
    lines: isPassed ? tally : [reason, ...tally],
    durationMs,
  };
}

/** Facts about the run, for whoever keeps test results in a database. */
function propertiesOf({ report, headline, subject, settings }: View): readonly (readonly [string, string | number])[] {
  const { verdict, seed, requests, creates: creations, unanswered, kit, node, interface: stated } = report;
  const { text } = headline;
  const facts = { target: subject, verdict, headline: text, seed, requests, creations, unanswered, node };
  const counts = Object.entries({ ...report.counts, waived: countWaived(report) });
  return [
    ['interface', `${stated.name} ${stated.version}`],
    ...Object.entries(facts),
    ['kit.version', kit.version],
    ...(kit.commit === undefined ? [] : [['kit.commit', kit.commit] as const]),
    ...counts.map(([name, count]) => [`requirements.${name}`, count] as const),
    ...settings.map(([name, value]) => [`settings.${name}`, value] as const),
  ];
}

function inSeconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** Ensures that no line of the output starts with text from the target, so it cannot inject CI commands. */
function resultElement({ result, type, message, lines }: TestCase): Markup {
  const text = lines.map(escapeForTerminal).join('\n');
  if (result === 'passed') return text === '' ? markup`` : markup`<system-out>${text}</system-out>`;
  if (result === 'skipped') return markup`<skipped message="${message}">${text}</skipped>`;
  return markup`<${result} type="${type}" message="${message}">${text}</${result}>`;
}

function caseElement(one: TestCase): Markup {
  return markup`    <testcase classname="${one.group}" name="${one.name}" time="${inSeconds(one.durationMs)}">${resultElement(one)}</testcase>`;
}

function countAttributes(cases: readonly TestCase[]): Markup {
  const count = (wanted: Result): number => cases.filter(({ result }) => result === wanted).length;
  return markup`tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}"`;
}

function suiteElement(name: string, cases: readonly TestCase[], { report }: View, properties: Markup): Markup {
  const time = inSeconds(cases.reduce((sum, { durationMs }) => sum + durationMs, 0));
  return markup`  <testsuite name="${name}" ${countAttributes(cases)} skipped="${cases.filter(({ result }) => result === 'skipped').length}" timestamp="${report.startedAt}" time="${time}">
${joinMarkup([properties, ...cases.map(caseElement)])}
  </testsuite>`;
}

function propertiesElement(view: View): Markup {
  const properties = propertiesOf(view).map(
    ([name, value]) => markup`      <property name="${name}" value="${value}"/>`,
  );
  return markup`    <properties>
${joinMarkup(properties)}
    </properties>`;
}

/** The run itself first, with the properties; then the interactions of pacts, then the requirements. */
export function reportJunit(view: View): string {
  const { report, sections, interactions } = view;
  const requirements = sections.flatMap((section) => section.requirements.map((one) => caseOf(one, view)));
  const pacts = interactions.map((one) => caseOfInteraction(one, report));
  const run = [caseOfRun(view, [...pacts, ...requirements])];
  const suites = [
    suiteElement('run', run, view, propertiesElement(view)),
    ...(report.interactions === undefined ? [] : [suiteElement('interactions', pacts, view, markup``)]),
    suiteElement('requirements', requirements, view, markup``),
  ];
  const { name, version } = report.interface;
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${name} ${version}" ${countAttributes([...run, ...pacts, ...requirements])} time="${inSeconds(report.durationMs)}">
${joinMarkup(suites)}
</testsuites>
`.toString();
}
