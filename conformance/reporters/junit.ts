/** The report as JUnit XML for CI systems: one test case for each requirement. */

import { sentenceOf } from '../verdict/failure.ts';
import { escapeForTerminal } from './escape.ts';
import { evidenceLines, exchangeLines, showCurl } from './evidence.ts';
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
}

/** A warning or a waived failure does not fail a build: both are shown as skipped, with their reason. */
const results: Readonly<Partial<Record<Mark, Result>>> = { pass: 'passed', fail: 'failure', error: 'error' };

function resultOf(mark: Mark, message: string): Pick<TestCase, 'result' | 'message'> {
  const result = results[mark] ?? 'skipped';
  return { result, message: result === 'skipped' ? `${marks[mark].word}: ${message}` : message };
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

function caseOf({ requirement, mark, note = '' }: RequirementView, { causes }: View): TestCase {
  const { id, section, text, verdict, failures, reason = verdict } = requirement;
  const [first] = failures;
  return {
    group: `§${section}`,
    name: `${id}: ${text}`,
    ...resultOf(mark, first === undefined ? reason : sentenceOf(first)),
    type: first?.code ?? verdict,
    lines: first === undefined && mark !== 'pass' ? [note] : causes.flatMap((cause) => causeLines(cause, id)),
  };
}

function caseOfInteraction({ interaction: { verdict, messages }, mark, title, exchange }: InteractionView): TestCase {
  return {
    group: 'pact',
    name: title,
    ...resultOf(mark, messages[0] ?? verdict),
    type: 'interaction',
    lines: verdict === 'pass' ? [] : [...messages, ...(exchange === undefined ? [] : exchangeLines(exchange))],
  };
}

/** The case of the run itself fails where it could not judge, or where only an expired waiver makes it fail. */
function caseOfRun({ report, reason: why, tally }: View, cases: readonly TestCase[]): TestCase {
  const { exitCode, verdict } = report;
  const reason = why ?? verdict;
  const isExplained = cases.some(({ result }) => result === 'failure' || result === 'error');
  const isPassed = exitCode === 0 || isExplained;
  return {
    group: 'run',
    name: 'the run came to a verdict',
    ...resultOf(isPassed ? 'pass' : 'error', reason),
    type: verdict,
    lines: isPassed ? tally : [reason, ...tally],
  };
}

/** Facts about the run, for whoever keeps test results in a database. */
function propertiesOf({ report, headline, subject, settings }: View): Markup {
  const { verdict, seed, requests, kit, interface: stated } = report;
  const facts = {
    interface: `${stated.name} ${stated.version}`,
    target: subject,
    verdict,
    headline: headline.text,
    seed,
    requests,
    kit: kit.version,
  };
  const pairs = [...Object.entries(facts), ...settings.map(([name, value]) => [`settings.${name}`, value] as const)];
  return markup`    <properties>
${joinMarkup(pairs.map(([name, value]) => markup`      <property name="${name}" value="${value}"/>`))}
    </properties>`;
}

/** Ensures that no line of the output starts with text from the target, so it cannot inject CI commands. */
function resultElement({ result, type, message, lines }: TestCase): Markup {
  const text = lines.map(escapeForTerminal).join('\n');
  if (result === 'passed') return text === '' ? markup`` : markup`<system-out>${text}</system-out>`;
  if (result === 'skipped') return markup`<skipped message="${message}">${text}</skipped>`;
  return markup`<${result} type="${type}" message="${message}">${text}</${result}>`;
}

function caseElement(one: TestCase): Markup {
  return markup`    <testcase classname="${one.group}" name="${one.name}">${resultElement(one)}</testcase>`;
}

function countAttributes(cases: readonly TestCase[]): Markup {
  const count = (wanted: Result): number => cases.filter(({ result }) => result === wanted).length;
  return markup`tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
}

function suiteElement(
  name: string,
  cases: readonly TestCase[],
  { report }: View,
  properties: readonly Markup[],
): Markup {
  return markup`  <testsuite name="${name}" ${countAttributes(cases)} timestamp="${report.startedAt}">
${joinMarkup([...properties, ...cases.map(caseElement)])}
  </testsuite>`;
}

/** The run itself first, with the properties; then the interactions of pacts, then the requirements. */
export function reportJunit(view: View): string {
  const { report, sections, interactions } = view;
  const requirements = sections.flatMap((section) => section.requirements.map((one) => caseOf(one, view)));
  const pacts = interactions.map(caseOfInteraction);
  const run = [caseOfRun(view, [...pacts, ...requirements])];
  const suites = [
    suiteElement('run', run, view, [propertiesOf(view)]),
    ...(report.interactions === undefined ? [] : [suiteElement('interactions', pacts, view, [])]),
    suiteElement('requirements', requirements, view, []),
  ];
  const { name, version } = report.interface;
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${name} ${version}" ${countAttributes([...run, ...pacts, ...requirements])} time="${(report.durationMs / 1000).toFixed(3)}">
${joinMarkup(suites)}
</testsuites>
`.toString();
}
